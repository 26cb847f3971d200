/* That a private server is private, and what stands in its way when it runs as another user. */
#include "config.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit/proc_support.h"
#include "lib/xalloc.h"
#include "proc/tmpdir.h"
#include "server/server.h"
#include "server_bench.h"

/* One account can log in at all; no rule trusts anybody. */
static void assert_postgres_rules(struct bench *b)
{
	struct answer a;

	a = bench_ask(b, server_dsn(b->server),
		      "SELECT string_agg(rolname, ',') FROM pg_authid WHERE rolcanlogin");
	assert_string_equal(a.text, "postgres");
	a = bench_ask(
		b, server_dsn(b->server),
		"SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'");
	assert_string_equal(a.text, "0");
	a = bench_ask(b, server_dsn(b->server),
		      "SELECT left(rolpassword, 14) FROM pg_authid WHERE rolname = 'postgres'");
	assert_string_equal(a.text, "SCRAM-SHA-256$");
	a = bench_ask(b, server_dsn(b->server),
		      "SELECT current_setting('listen_addresses') || '|' || "
		      "current_setting('unix_socket_directories') || '|'");
	assert_string_equal(a.text, "127.0.0.1||");
}

/* Accounts that there may be, without the password. */
static void test_nobody_else_logs_in(void **state)
{
	static const char *const users[] = {"postgres", "root",  "nobody",
					    "cputop",   "mysql", "mariadb.sys"};
	struct db_dsn dsn;
	struct answer a;
	struct bench b;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	for (size_t i = 0; i < 2 * sizeof(users) / sizeof(users[0]); i++) {
		dsn = *server_dsn(b.server);
		snprintf(dsn.user, sizeof(dsn.user), "%s", users[i / 2]);
		snprintf(dsn.password, sizeof(dsn.password), "%s", i % 2 ? "wrong" : "");
		a = bench_ask(&b, &dsn, "SELECT 1");
		assert_int_equal(a.status, DB_BROKEN);
	}
	if (TEST_DIALECT == DIALECT_POSTGRES)
		assert_postgres_rules(&b);
	bench_release(&b);
}

/* Whether the table of sockets names one of inode as listening; *local gets its address. */
static bool listens(const char *table, unsigned long inode, char *local)
{
	FILE *f = fopen(table, "re");
	char line[512], address[64];
	unsigned state;
	unsigned long i;
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, " %*u: %63s %*s %x %*s %*s %*s %*u %*u %lu", address, &state,
			       &i) == 3 &&
			state == 0x0a && i == inode;
	if (found)
		snprintf(local, 64, "%s", address);
	if (f)
		fclose(f);
	return found;
}

static bool is_unix_socket(unsigned long inode)
{
	FILE *f = fopen("/proc/net/unix", "re");
	unsigned long i, flags;
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) /* bit 16: it accepts */
		found = sscanf(line, "%*s %*x %*x %lx %*x %*x %lu", &flags, &i) == 2 &&
			i == inode && (flags & 0x10000);
	if (f)
		fclose(f);
	return found;
}

/* The one way in is its port on 127.0.0.1. */
static void test_one_way_in(void **state)
{
	char path[64], link[64], local[64] = "", wanted[32];
	struct bench b;
	struct dirent *e;
	unsigned n = 0;
	DIR *d;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)server_pid(b.server));
	d = opendir(path);
	assert_non_null(d);
	while ((e = readdir(d))) {
		unsigned long inode;
		ssize_t len = readlinkat(dirfd(d), e->d_name, link, sizeof(link) - 1);

		link[len > 0 ? len : 0] = '\0';
		if (sscanf(link, "socket:[%lu]", &inode) != 1)
			continue;
		n += listens("/proc/net/tcp", inode, local);
		assert_false(listens("/proc/net/tcp6", inode, link));
		assert_false(is_unix_socket(inode));
	}
	closedir(d);
	assert_int_equal(n, 1);
	snprintf(wanted, sizeof(wanted), "%08X:%04X", htonl(INADDR_LOOPBACK),
		 server_dsn(b.server)->port);
	assert_string_equal(local, wanted);
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
	assert_true(file_has(server_log(b.server), ENGINE.up));
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

static void test_log_in_as_other_user(void **state)
{
	const struct passwd *pw = getpwnam("daemon"); /* a server may run as nobody */
	uid_t uid = pw->pw_uid; /* the server's start asks for users as well */
	gid_t gid = pw->pw_gid;
	struct bench b;
	struct stat st;
	char *parent;
	int status;
	pid_t pid;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	assert_int_equal(stat(server_data_dir(b.server), &st), 0);
	assert_int_not_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 00007, 0); /* MySQL opens it to its group, */
	parent = xstrndup(
		server_data_dir(b.server),
		(size_t)(strrchr(server_data_dir(b.server), '/') - server_data_dir(b.server)));
	assert_int_equal(stat(parent, &st), 0);
	free(parent);
	assert_int_not_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 07777, 0700); /* which stands before this */
	pid = fork();
	if (pid == 0) {
		char *port = xasprintf("%u", server_dsn(b.server)->port);

		if (setgroups(0, NULL) < 0 || setgid(gid) < 0 || setuid(uid) < 0)
			_exit(99);
		/* nothing of the server can be listed or read */
		if (access(server_log(b.server), R_OK) == 0 ||
		    access(server_data_dir(b.server), R_OK) == 0 || opendir(b.tmp.path))
			_exit(98);
		if (TEST_DIALECT != DIALECT_POSTGRES) /* test_server_my logs in */
			_exit(2);
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
	assert_true(server_find(TEST_DIALECT, &b.options, path, sizeof(path), &b.err));
	snprintf(dir, sizeof(dir), "%s/bin", b.base);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(link, sizeof(link), "%s/%s", dir, strrchr(path, '/') + 1);
	assert_int_equal(symlink(path, link), 0);
	if (ENGINE.init_program) {
		snprintf(path, sizeof(path), "%s/%s", dir, ENGINE.init_program);
		support_write_file(path, "#!/bin/sh\n", 0755);
	}
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
	assert_int_equal(mount("tmpfs", b.base, "tmpfs", 0, ENGINE.full), 0);
	bench_fails(&b, ENGINE.full_says);
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
		cmocka_unit_test(test_nobody_else_logs_in),
		cmocka_unit_test(test_one_way_in),
		cmocka_unit_test(test_password_is_nowhere),
		/* these need root */
		cmocka_unit_test(test_log_in_as_other_user),
		cmocka_unit_test(test_unreachable_tmpdir),
		cmocka_unit_test(test_unreachable_binary),
		cmocka_unit_test(test_full_disk),
	};

	return bench_main(TEST_NAME, tests, 4);
}
