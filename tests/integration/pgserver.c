#include "config.h"

#include "pgserver.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"

#define DEADLINE_NS (20 * NS_PER_S)

bool pgserver_find(struct pgserver *s)
{
	const char *bin = getenv("PG_BIN");
	char path[600];
	glob_t g;

	if (bin && bin[0]) {
		snprintf(s->bin, sizeof(s->bin), "%s", bin);
	} else {
		if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &g) != 0)
			return false;
		snprintf(s->bin, sizeof(s->bin), "%s", g.gl_pathv[g.gl_pathc - 1]);
		globfree(&g);
	}
	snprintf(path, sizeof(path), "%s/initdb", s->bin);
	return access(path, X_OK) == 0;
}

int pgserver_skip(void)
{
	printf("1..0 # SKIP PostgreSQL is not installed\n");
	return 0;
}

/* Runs a program as the server's user; output goes to a log in its directory. argv[0] becomes its
 * path: PostgreSQL's programs look for their files from there, and need not be in PATH. */
pid_t pgserver_spawn(const struct pgserver *s, const char *program, const char **argv)
{
	char path[600], log[128];
	pid_t pid = fork();
	int fd;

	if (pid != 0)
		return pid;
	snprintf(path, sizeof(path), "%s/%s", s->bin, program);
	snprintf(log, sizeof(log), "%s/log", s->dir);
	if (s->uid != getuid() &&
	    (setgroups(0, NULL) < 0 || setgid(s->gid) < 0 || setuid(s->uid) < 0))
		_exit(126);
	prctl(PR_SET_PDEATHSIG, SIGQUIT);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0 || chdir(s->dir) < 0)
		_exit(126);
	dup2(fd, 1);
	dup2(fd, 2);
	argv[0] = path;
	execv(path, (char *const *)argv);
	_exit(127);
}

unsigned pgserver_free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unsigned port = 0;

	if (bind(fd, (struct sockaddr *)(void *)&a, len) == 0 &&
	    getsockname(fd, (struct sockaddr *)(void *)&a, &len) == 0)
		port = ntohs(a.sin_port);
	close(fd);
	return port;
}

bool pgserver_answers(const struct pgserver *s)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)s->port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok = connect(fd, (struct sockaddr *)(void *)&a, sizeof(a)) == 0;

	close(fd);
	return ok;
}

/* Its pid file says "ready" once it takes logins. */
static bool ready(const struct pgserver *s)
{
	char path[128], text[1024] = "";
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/data/postmaster.pid", s->dir);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return strstr(text, "ready") && pgserver_answers(s);
}

static int as_user(struct pgserver *s, const char *user)
{
	struct passwd *pw;

	s->uid = getuid();
	s->gid = getgid();
	if (s->uid != 0)
		return 0;
	pw = getpwnam(user);
	if (!pw)
		pw = getpwnam("nobody");
	if (!pw)
		return -1;
	s->uid = pw->pw_uid;
	s->gid = pw->pw_gid;
	return chown(s->dir, s->uid, s->gid);
}

int pgserver_make_dir(struct pgserver *s, const char *user)
{
	snprintf(s->dir, sizeof(s->dir), "/tmp/cputop-test-XXXXXX");
	return mkdtemp(s->dir) ? as_user(s, user) : -1;
}

int pgserver_start(struct pgserver *s)
{
	char data[80], port[16];
	uint64_t end = clock_now_ns() + DEADLINE_NS;
	int status = -1;

	if (pgserver_make_dir(s, "postgres") < 0)
		return -1;
	snprintf(data, sizeof(data), "%s/data", s->dir);
	const char *init[] = {"initdb", "-A",         "trust",     "-U", "postgres", "-E",
			      "UTF8",   "--locale=C", "--no-sync", "-D", data,       NULL};
	if (waitpid(pgserver_spawn(s, "initdb", init), &status, 0) < 0 || status != 0) {
		fprintf(stderr, "initdb failed; see %s/log\n", s->dir);
		return -1;
	}
	s->port = pgserver_free_port();
	snprintf(port, sizeof(port), "%u", s->port);
	const char *start[] = {"postgres",
			       "-D",
			       data,
			       "-p",
			       port,
			       "-c",
			       "fsync=off",
			       "-c",
			       "listen_addresses=127.0.0.1",
			       "-c",
			       "unix_socket_directories=",
			       NULL};
	s->pid = pgserver_spawn(s, "postgres", start);
	while (!ready(s)) {
		if (clock_now_ns() > end || waitpid(s->pid, &status, WNOHANG) != 0) {
			fprintf(stderr, "postgres did not start; see %s/log\n", s->dir);
			return -1;
		}
		usleep(10000);
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void pgserver_stop(struct pgserver *s)
{
	if (s->pid > 0) {
		/* the data is thrown away */
		kill(s->pid, s->dialect == DIALECT_POSTGRES ? SIGQUIT : SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	s->pid = 0;
	if (s->dir[0])
		nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void pgserver_dsn(const struct pgserver *s, const char *schema, struct db_dsn *dsn)
{
	bool postgres = s->dialect == DIALECT_POSTGRES;

	memset(dsn, 0, sizeof(*dsn));
	dsn->dialect = s->dialect;
	snprintf(dsn->host, sizeof(dsn->host), "127.0.0.1");
	dsn->port = s->port;
	snprintf(dsn->user, sizeof(dsn->user), postgres ? "postgres" : "cputop");
	snprintf(dsn->password, sizeof(dsn->password), PGSERVER_PASSWORD);
	snprintf(dsn->database, sizeof(dsn->database), postgres ? "postgres" : "mysql");
	snprintf(dsn->schema, sizeof(dsn->schema), "%s", schema);
}

void outcome_cb(struct db *db, const struct db_result *r, void *arg)
{
	struct outcome *out = arg;
	const char *value;

	(void)db;
	out->calls++;
	out->status = r->status;
	snprintf(out->error, sizeof(out->error), "%s", r->error ? r->error : "");
	memcpy(out->sqlstate, r->sqlstate, sizeof(out->sqlstate));
	out->position = r->error_position;
	out->affected = r->affected;
	out->rows = r->rows;
	out->cols = r->cols;
	if (r->rows == 0 || r->cols == 0)
		return;
	value = r->field(r, 0, 0);
	out->null = !value;
	snprintf(out->value, sizeof(out->value), "%s", value ? value : "");
}

static void tick_cb(uv_timer_t *timer)
{
	(void)timer;
}

void run_until(uv_loop_t *loop, const unsigned *flag)
{
	uint64_t end = clock_now_ns() + DEADLINE_NS;
	uv_timer_t tick;

	uv_timer_init(loop, &tick);
	uv_timer_start(&tick, tick_cb, 50, 50);
	while (!*flag && clock_now_ns() < end)
		uv_run(loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&tick, NULL);
	uv_run(loop, UV_RUN_NOWAIT);
	assert_true(*flag);
}

struct db *open_db(uv_loop_t *loop, const struct db_dsn *dsn)
{
	struct outcome out = {0};
	struct err err = {0, ""};
	struct db *db = db_open(loop, dsn, "cputop test", outcome_cb, &out, &err);

	assert_non_null(db);
	run_until(loop, &out.calls);
	assert_string_equal(out.error, "");
	assert_int_equal(out.status, DB_OK);
	return db;
}

void run_sql(uv_loop_t *loop, struct db *db, const char *sql, struct outcome *out)
{
	memset(out, 0, sizeof(*out));
	db_query(db, sql, outcome_cb, out);
	run_until(loop, &out->calls);
}

long sql_number(uv_loop_t *loop, struct db *db, const char *sql)
{
	struct outcome out;

	run_sql(loop, db, sql, &out);
	assert_string_equal(out.error, "");
	return strtol(out.value, NULL, 10);
}

void close_all(uv_loop_t *loop, struct db *db)
{
	uint64_t end = clock_now_ns() + DEADLINE_NS / 4;

	if (db)
		db_close(db, NULL, NULL);
	/* a test that failed may have left something open */
	while (uv_run(loop, UV_RUN_NOWAIT) != 0 && clock_now_ns() < end)
		usleep(1000);
	assert_int_equal(uv_loop_close(loop), 0);
}
