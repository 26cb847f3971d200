/* A real private PostgreSQL: that it starts, is private, tells why it does not start, and leaves
 * nothing behind. */
#include "config.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit/proc_support.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "lib/xalloc.h"
#include "proc/tmpdir.h"
#include "server/server.h"

enum { LIMIT_MS = 60000 };

struct bench {
	uv_loop_t loop;
	struct tmpdir tmp;
	struct server_options options;
	struct server *server;
	bool held, ready, failed, over, done; /* over: ready or failed */
	bool refuse;                          /* on_held fails */
	pid_t keeper;
	char progress[256];
	struct err failure, err;
	char base[64];
};

static void progress(struct server *s, const char *what, void *arg)
{
	struct bench *b = arg;
	size_t len = strlen(b->progress);

	(void)s;
	snprintf(b->progress + len, sizeof(b->progress) - len, "%s|", what);
}

static int held(struct server *s, pid_t keeper, void *arg, struct err *err)
{
	struct bench *b = arg;

	(void)s;
	b->held = true;
	b->keeper = keeper;
	return b->refuse ? err_set(err, -EPERM, "no counters today") : 0;
}

static void ready(struct server *s, void *arg)
{
	struct bench *b = arg;

	(void)s;
	b->ready = b->over = true;
}

static void failed(struct server *s, const struct err *err, void *arg)
{
	struct bench *b = arg;

	(void)s;
	assert_false(b->failed);
	b->failure = *err;
	b->failed = b->over = true;
}

static void done(struct server *s, void *arg)
{
	struct bench *b = arg;

	(void)s;
	b->done = true;
}

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	uv_loop_init(&b->loop);
	snprintf(b->base, sizeof(b->base), "/tmp/cptest-XXXXXX");
	assert_non_null(mkdtemp(b->base));
	chmod(b->base, 0755);
	setenv("TMPDIR", b->base, 1);
}

static bool bench_start(struct bench *b)
{
	static const struct server_callbacks cb = {progress, held, ready, failed};

	if (!b->tmp.path[0] && tmpdir_create(&b->tmp, &b->err) < 0)
		fail_msg("%s", b->err.text);
	b->server = server_start(&b->loop, DIALECT_POSTGRES, &b->tmp, &b->options, &cb, b, &b->err);
	return b->server != NULL;
}

static void bench_ready(struct bench *b)
{
	if (!bench_start(b))
		fail_msg("%s", b->err.text);
	assert_true(support_run_until(&b->loop, &b->over, LIMIT_MS));
	if (b->failed)
		fail_msg("%s", b->failure.text);
}

static void bench_fails(struct bench *b, const char *text)
{
	if (!bench_start(b))
		fail_msg("%s", b->err.text);
	assert_true(support_run_until(&b->loop, &b->over, LIMIT_MS));
	assert_true(b->failed);
	if (!strstr(b->failure.text, text))
		fail_msg("'%s' is not in: %s", text, b->failure.text);
}

static void bench_release(struct bench *b)
{
	if (b->server) {
		server_stop(b->server, done, b);
		assert_true(support_run_until(&b->loop, &b->done, LIMIT_MS));
	}
	server_free(b->server);
	tmpdir_remove(&b->tmp);
	assert_true(support_loop_close(&b->loop));
	unsetenv("TMPDIR");
	/* nothing is left, or this fails */
	assert_int_equal(rmdir(b->base), 0);
}

struct answer {
	bool have;
	enum db_status status;
	char text[256];
};

static void answer_cb(struct db *db, const struct db_result *r, void *arg)
{
	struct answer *a = arg;
	const char *text = r->error;

	(void)db;
	if (a->have)
		return;
	if (r->status == DB_OK)
		text = r->rows && r->cols ? r->field(r, 0, 0) : "";
	a->status = r->status;
	snprintf(a->text, sizeof(a->text), "%s", text ? text : "");
	a->have = true;
}

/* Connects as dsn says, and asks; the answer, or the error of either. */
static struct answer ask(struct bench *b, const struct db_dsn *dsn, const char *sql)
{
	struct answer a = {false, DB_OK, ""};
	struct db *db = db_open(&b->loop, dsn, "test", answer_cb, &a, &b->err);

	assert_non_null(db);
	assert_true(support_run_until(&b->loop, &a.have, LIMIT_MS));
	if (a.status == DB_OK) {
		a.have = false;
		db_query(db, sql, answer_cb, &a);
		assert_true(support_run_until(&b->loop, &a.have, LIMIT_MS));
	}
	db_close(db, NULL, NULL);
	return a;
}

static void test_start_and_stop(void **state)
{
	struct bench b;
	struct answer a;
	uint64_t begin;
	pid_t pid;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	assert_string_equal(b.progress, "initialising the data directory|starting the server|"
					"making the database|");
	assert_true(b.held);
	assert_true(server_version(b.server)[0] >= '1' && server_version(b.server)[0] <= '9');
	pid = server_pid(b.server);
	assert_true(pid > 0 && kill(pid, 0) == 0);
	a = ask(&b, server_dsn(b.server), "SELECT current_database()");
	assert_string_equal(a.text, "cputop");
	a = ask(&b, server_dsn(b.server), "SHOW fsync");
	assert_string_equal(a.text, "on");
	begin = clock_now_ns();
	server_stop(b.server, done, &b);
	assert_true(support_run_until(&b.loop, &b.done, LIMIT_MS));
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	assert_int_equal(kill(pid, 0), -1);
	assert_false(b.failed);
	bench_release(&b);
}

static void test_settings(void **state)
{
	static const struct server_setting set[] = {{"work_mem", "7MB"}};
	struct bench b;
	struct answer a;

	(void)state;
	bench_init(&b);
	b.options.settings = set;
	b.options.nsettings = 1;
	bench_ready(&b);
	a = ask(&b, server_dsn(b.server), "SHOW work_mem");
	assert_string_equal(a.text, "7MB");
	bench_release(&b);
}

static void test_bad_setting(void **state)
{
	static const struct server_setting set[] = {{"no_such_thing", "1"}};
	struct bench b;

	(void)state;
	bench_init(&b);
	b.options.settings = set;
	b.options.nsettings = 1;
	bench_fails(&b, "unrecognized configuration parameter \"no_such_thing\"");
	assert_non_null(strstr(b.failure.text, "--set"));
	bench_release(&b);
}

/* Every account, also by other addresses of the loopback, without the password. */
static void test_nobody_else_logs_in(void **state)
{
	static const char *const users[] = {"postgres", "root", "nobody", "cputop", ""};
	struct db_dsn dsn;
	struct answer a;
	struct bench b;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		dsn = *server_dsn(b.server);
		snprintf(dsn.user, sizeof(dsn.user), "%s", users[i]);
		snprintf(dsn.password, sizeof(dsn.password), "%s", i % 2 ? "wrong" : "");
		a = ask(&b, &dsn, "SELECT 1");
		assert_int_equal(a.status, DB_BROKEN);
	}
	/* one account can log in at all; no rule trusts anybody */
	a = ask(&b, server_dsn(b.server),
		"SELECT string_agg(rolname, ',') FROM pg_authid WHERE rolcanlogin");
	assert_string_equal(a.text, "postgres");
	a = ask(&b, server_dsn(b.server),
		"SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'");
	assert_string_equal(a.text, "0");
	a = ask(&b, server_dsn(b.server),
		"SELECT left(rolpassword, 14) FROM pg_authid WHERE rolname = 'postgres'");
	assert_string_equal(a.text, "SCRAM-SHA-256$");
	a = ask(&b, server_dsn(b.server),
		"SELECT current_setting('listen_addresses') || '|' || "
		"current_setting('unix_socket_directories') || '|'");
	assert_string_equal(a.text, "127.0.0.1||");
	bench_release(&b);
}

/* Whether a file holds the text, whatever else is in it. */
static bool file_has(const char *path, const char *text)
{
	static char buf[1 << 20];
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t keep = 0, len = strlen(text);
	bool has = false;
	ssize_t n;

	if (fd < 0)
		return false;
	while (!has && (n = read(fd, buf + keep, sizeof(buf) - keep)) > 0) {
		size_t all = keep + (size_t)n;

		has = memmem(buf, all, text, len) != NULL;
		keep = all < len ? all : len - 1;
		memmove(buf, buf + all - keep, keep);
	}
	close(fd);
	return has;
}

static unsigned tree_has(const char *dir, const char *text)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d))) {
		char *path = xasprintf("%s/%s", dir, e->d_name);

		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			n += tree_has(path, text);
		else if (e->d_type == DT_REG)
			n += file_has(path, text);
		free(path);
	}
	if (d)
		closedir(d);
	return n;
}

static void test_password_is_nowhere(void **state)
{
	struct bench b;
	char path[300];
	const char *password;
	struct dirent *e;
	DIR *d;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	password = server_dsn(b.server)->password;
	assert_int_equal(strlen(password), 32);
	assert_int_equal(tree_has(b.base, password), 0);
	assert_true(file_has(server_log(b.server), "ready to accept connections"));
	d = opendir("/proc");
	while ((e = readdir(d))) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/cmdline", e->d_name);
		assert_false(file_has(path, password));
		snprintf(path, sizeof(path), "/proc/%s/environ", e->d_name);
		assert_false(file_has(path, password));
	}
	closedir(d);
	bench_release(&b);
}

static int listen_on(unsigned port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void test_busy_port(void **state)
{
	struct bench b;
	int fd = listen_on(55433);

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	assert_int_not_equal(server_dsn(b.server)->port, 55433);
	bench_release(&b);

	bench_init(&b);
	b.options.port = 55433;
	b.options.port_asked = true;
	assert_false(bench_start(&b));
	assert_non_null(strstr(b.err.text, "55433"));
	assert_non_null(strstr(b.err.text, "--postgres-port"));
	bench_release(&b);
	if (fd >= 0)
		close(fd);
}

struct thief {
	struct bench *b;
	int fd;
};

/* Takes the port after it was probed. */
static int held_by_thief(struct server *s, pid_t keeper, void *arg, struct err *err)
{
	struct thief *t = arg;

	(void)err;
	(void)keeper;
	if (t->fd < 0)
		t->fd = listen_on(server_dsn(s)->port);
	return 0;
}

static void ready_for_thief(struct server *s, void *arg)
{
	ready(s, ((struct thief *)arg)->b);
}

static void failed_for_thief(struct server *s, const struct err *err, void *arg)
{
	failed(s, err, ((struct thief *)arg)->b);
}

static void test_lost_port(void **state)
{
	static const struct server_callbacks cb = {NULL, held_by_thief, ready_for_thief,
						   failed_for_thief};
	struct bench b;
	struct thief t = {&b, -1};

	(void)state;
	bench_init(&b);
	assert_int_equal(tmpdir_create(&b.tmp, &b.err), 0);
	b.server = server_start(&b.loop, DIALECT_POSTGRES, &b.tmp, &b.options, &cb, &t, &b.err);
	assert_non_null(b.server);
	assert_true(support_run_until(&b.loop, &b.over, LIMIT_MS));
	if (b.failed)
		fail_msg("%s", b.failure.text);
	assert_true(t.fd >= 0);
	close(t.fd);
	bench_release(&b);
}

static void test_held_refuses(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.refuse = true;
	bench_fails(&b, "no counters today");
	bench_release(&b);
}

static void test_killed_server(void **state)
{
	struct bench b;
	struct shmid_ds ds;
	char *path, *line;
	int id;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	path = xasprintf("%s/postmaster.pid", server_data_dir(b.server));
	line = strdup(support_read_file(path));
	free(path);
	path = line;
	for (int i = 0; i < 6; i++)
		path = strchr(path, '\n') + 1;
	assert_int_equal(sscanf(path, "%*u %d", &id), 1);
	free(line);
	assert_int_equal(shmctl(id, IPC_STAT, &ds), 0);
	b.over = false;
	kill(server_pid(b.server), SIGKILL);
	assert_true(support_run_until(&b.loop, &b.over, LIMIT_MS));
	assert_true(b.failed);
	assert_non_null(strstr(b.failure.text, "PostgreSQL was ended by signal 9"));
	assert_int_equal(shmctl(id, IPC_STAT, &ds), -1);
	bench_release(&b);
}

static void test_killed_keeper(void **state)
{
	struct bench b;
	pid_t pid;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	pid = server_pid(b.server);
	b.over = false;
	kill(b.keeper, SIGKILL);
	assert_true(support_run_until(&b.loop, &b.over, LIMIT_MS));
	assert_true(b.failed);
	assert_int_equal(kill(pid, 0), -1);
	bench_release(&b);
}

static void test_stop_early(void **state)
{
	static const unsigned delays_ms[] = {1, 20, 100, 300, 600, 900};
	struct bench b;
	bool never = false;

	(void)state;
	for (size_t i = 0; i < sizeof(delays_ms) / sizeof(delays_ms[0]); i++) {
		bench_init(&b);
		assert_true(bench_start(&b));
		support_run_until(&b.loop, &never, delays_ms[i]);
		bench_release(&b);
	}
}

static void test_two_at_once(void **state)
{
	struct bench a, b;

	(void)state;
	bench_init(&a);
	bench_ready(&a);
	bench_init(&b);
	bench_ready(&b);
	assert_int_not_equal(server_dsn(a.server)->port, server_dsn(b.server)->port);
	bench_release(&a);
	bench_release(&b);
}

/* cputop is killed: the server must be gone in 2 s, and the next start removes what is left. */
static void test_killed_cputop(void **state)
{
	struct bench b;
	int ends[2];
	pid_t pid, server = 0;
	uint64_t begin;

	(void)state;
	bench_init(&b);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		bool never = false;

		bench_ready(&b);
		server = server_pid(b.server);
		if (write(ends[1], &server, sizeof(server)) < 0)
			_exit(1);
		support_run_until(&b.loop, &never, LIMIT_MS);
		_exit(1);
	}
	assert_int_equal(read(ends[0], &server, sizeof(server)), sizeof(server));
	assert_int_equal(kill(server, 0), 0);
	begin = clock_now_ns();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	while (kill(server, 0) == 0 && clock_now_ns() - begin < 3 * NS_PER_S)
		usleep(5000);
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	while (tmpdir_sweep(b.base) == 0 && clock_now_ns() - begin < 5 * NS_PER_S)
		usleep(5000);
	close(ends[0]);
	close(ends[1]);
	bench_release(&b);
}

static void test_log_in_as_other_user(void **state)
{
	const struct passwd *pw = getpwnam("nobody");
	uid_t uid = pw->pw_uid; /* the server's start asks for users as well */
	gid_t gid = pw->pw_gid;
	struct bench b;
	struct stat st;
	int status;
	pid_t pid;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	assert_int_equal(stat(server_data_dir(b.server), &st), 0);
	assert_int_not_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	pid = fork();
	if (pid == 0) {
		char *port = xasprintf("%u", server_dsn(b.server)->port);

		if (setgroups(0, NULL) < 0 || setgid(gid) < 0 || setuid(uid) < 0)
			_exit(99);
		/* nothing of the server can be listed or read */
		if (access(server_log(b.server), R_OK) == 0 ||
		    access(server_data_dir(b.server), R_OK) == 0 || opendir(b.tmp.path))
			_exit(98);
		close(STDERR_FILENO);
		execlp("psql", "psql", "-w", "-h", "127.0.0.1", "-p", port, "-U", "postgres", "-c",
		       "SELECT 1", "postgres", (char *)NULL);
		_exit(97);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 2); /* psql: the connection was bad */
	bench_release(&b);
}

static void test_unreachable_tmpdir(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	chmod(b.base, 0700);
	assert_false(bench_start(&b));
	assert_non_null(strstr(b.err.text, b.base));
	assert_non_null(strstr(b.err.text, "is closed to the user"));
	bench_release(&b);
}

static void test_unreachable_binary(void **state)
{
	char path[4096], dir[128], link[256];
	struct bench b;

	(void)state;
	bench_init(&b);
	assert_true(server_find(DIALECT_POSTGRES, &b.options, path, sizeof(path), &b.err));
	snprintf(dir, sizeof(dir), "%s/bin", b.base);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(link, sizeof(link), "%s/postgres", dir);
	assert_int_equal(symlink(path, link), 0);
	snprintf(path, sizeof(path), "%s/initdb", dir);
	support_write_file(path, "#!/bin/sh\n", 0755);
	b.options.bin_dir = dir;
	/* a link out of a closed directory does not help */
	assert_false(bench_start(&b));
	assert_non_null(strstr(b.err.text, "is closed to the user"));
	assert_int_equal(remove_tree(dir), 0);
	bench_release(&b);
}

static void test_full_disk(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	assert_int_equal(mount("tmpfs", b.base, "tmpfs", 0, "size=12m,mode=0755"), 0);
	bench_fails(&b, "No space left on device");
	assert_non_null(strstr(b.failure.text, "TMPDIR"));
	server_free(b.server);
	b.server = NULL;
	tmpdir_remove(&b.tmp);
	assert_int_equal(umount(b.base), 0);
	bench_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_and_stop),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_bad_setting),
		cmocka_unit_test(test_nobody_else_logs_in),
		cmocka_unit_test(test_password_is_nowhere),
		cmocka_unit_test(test_busy_port),
		cmocka_unit_test(test_lost_port),
		cmocka_unit_test(test_held_refuses),
		cmocka_unit_test(test_killed_server),
		cmocka_unit_test(test_killed_keeper),
		cmocka_unit_test(test_stop_early),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_killed_cputop),
		/* these four need root */
		cmocka_unit_test(test_log_in_as_other_user),
		cmocka_unit_test(test_unreachable_tmpdir),
		cmocka_unit_test(test_unreachable_binary),
		cmocka_unit_test(test_full_disk),
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);
	struct server_options options = {0};
	char path[4096];
	struct err err;

	support_find_libexec();
	signal(SIGPIPE, SIG_IGN);
	if (!server_find(DIALECT_POSTGRES, &options, path, sizeof(path), &err)) {
		printf("1..0 # SKIP %s\n", err.text);
		return 0;
	}
	return _cmocka_run_group_tests("server", tests, geteuid() == 0 ? n : n - 4, NULL, NULL);
}
