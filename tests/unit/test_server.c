/* Finding, starting and failing, with shell scripts in the place of initdb and postgres. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "proc/tmpdir.h"
#include "proc_support.h"
#include "server/server.h"

enum { LIMIT_MS = 20000 };

struct bench {
	char base[64], bin[96];
	uv_loop_t loop;
	struct tmpdir tmp;
	struct server_options options;
	struct server *server;
	unsigned held;
	bool over, done;
	struct err failure, err;
};

static int held(struct server *s, pid_t keeper, void *arg, struct err *err)
{
	struct bench *b = arg;

	(void)s;
	(void)keeper;
	(void)err;
	b->held++;
	return 0;
}

static void ready(struct server *s, void *arg)
{
	(void)s;
	(void)arg;
	fail_msg("a script cannot be ready");
}

static void failed(struct server *s, const struct err *err, void *arg)
{
	struct bench *b = arg;

	(void)s;
	b->failure = *err;
	b->over = true;
}

static void done(struct server *s, void *arg)
{
	struct bench *b = arg;

	(void)s;
	b->done = true;
}

static void put_script(struct bench *b, const char *name, const char *script)
{
	char path[128], text[1024];

	snprintf(path, sizeof(path), "%s/%s", b->bin, name);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	support_write_file(path, text, 0755);
}

static void bench_init(struct bench *b, const char *initdb, const char *postgres)
{
	memset(b, 0, sizeof(*b));
	uv_loop_init(&b->loop);
	snprintf(b->base, sizeof(b->base), "/tmp/cptest-XXXXXX");
	assert_non_null(mkdtemp(b->base));
	chmod(b->base, 0755);
	setenv("TMPDIR", b->base, 1);
	snprintf(b->bin, sizeof(b->bin), "%s/bin", b->base);
	assert_int_equal(mkdir(b->bin, 0755), 0);
	if (initdb)
		put_script(b, "initdb", initdb);
	if (postgres)
		put_script(b, "postgres", postgres);
	b->options.bin_dir = b->bin;
	if (tmpdir_create(&b->tmp, &b->err) < 0)
		fail_msg("%s", b->err.text);
}

static bool bench_start(struct bench *b)
{
	const struct server_callbacks cb = {NULL, held, ready, failed};

	b->server = server_start(&b->loop, &b->tmp, &b->options, &cb, b, &b->err);
	return b->server != NULL;
}

static void bench_fails(struct bench *b)
{
	if (!bench_start(b))
		fail_msg("%s", b->err.text);
	assert_true(support_run_until(&b->loop, &b->over, LIMIT_MS));
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
	assert_int_equal(remove_tree(b->bin), 0);
	assert_int_equal(rmdir(b->base), 0);
	unsetenv("TMPDIR");
}

static void assert_says(const struct err *err, const char *text)
{
	if (!strstr(err->text, text))
		fail_msg("'%s' is not in: %s", text, err->text);
}

static void test_find(void **state)
{
	struct bench b;
	char path[4096], wanted[128];

	(void)state;
	bench_init(&b, NULL, "exit 0");
	assert_false(server_find(DIALECT_POSTGRES, &b.options, path, sizeof(path), &b.err));
	assert_says(&b.err, "no program initdb in");
	assert_says(&b.err, b.bin);
	assert_says(&b.err, "; --postgres-bin takes the directory");
	b.options.bin_variable = "PG_BIN";
	assert_false(server_find(DIALECT_POSTGRES, &b.options, path, sizeof(path), &b.err));
	assert_says(&b.err, "; PG_BIN takes the directory");
	put_script(&b, "initdb", "exit 0");
	assert_true(server_find(DIALECT_POSTGRES, &b.options, path, sizeof(path), &b.err));
	snprintf(wanted, sizeof(wanted), "%s/postgres", b.bin);
	assert_string_equal(path, wanted);
	snprintf(wanted, sizeof(wanted), "%s/postgres", b.bin);
	unlink(wanted);
	assert_false(server_find(DIALECT_POSTGRES, &b.options, path, sizeof(path), &b.err));
	assert_says(&b.err, "no program postgres in");
	assert_false(bench_start(&b));
	bench_release(&b);
}

static void test_find_in_path(void **state)
{
	char *old = strdup(getenv("PATH"));
	struct bench b;
	char path[4096], wanted[128];

	(void)state;
	bench_init(&b, "exit 0", "exit 0");
	b.options.bin_dir = NULL;
	snprintf(path, sizeof(path), "relative::/nonexistent:%s:%s", b.bin, old);
	setenv("PATH", path, 1);
	assert_true(server_find(DIALECT_POSTGRES, &b.options, path, sizeof(path), &b.err));
	snprintf(wanted, sizeof(wanted), "%s/postgres", b.bin);
	assert_string_equal(path, wanted);
	setenv("PATH", old, 1);
	free(old);
	bench_release(&b);
}

static void test_init_fails(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "echo 'initdb: error: could not do\033[2J it' >&2; echo removing; exit 1",
		   "exit 0");
	bench_fails(&b);
	assert_says(&b.failure, "PostgreSQL could not be initialised: initdb: error: could not do");
	assert_says(&b.failure, "\\x1b[2J");
	assert_says(&b.failure, "/pg/log");
	assert_int_equal(b.held, 0);
	bench_release(&b);

	/* the shell of a script tells what ended the server that it had started */
	bench_init(&b, "sh -c 'kill -9 $$'; echo 'it failed' >&2; exit 1", "exit 0");
	bench_fails(&b);
	assert_says(&b.failure, "PostgreSQL could not be initialised: it was ended by signal 9");
	bench_release(&b);
}

static void test_server_fails(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "echo 'ERROR:  of before'",
		   "echo 'LOG:  x'; echo '2026 FATAL:  cannot: No space left on device'; exit 1");
	bench_fails(&b);
	assert_says(&b.failure, "PostgreSQL did not start: FATAL:  cannot");
	assert_says(&b.failure, "set TMPDIR");
	assert_int_equal(b.held, 1);
	bench_release(&b);

	/* the log of an earlier step does not count */
	bench_init(&b, "echo 'ERROR:  of before'", "exit 1");
	bench_fails(&b);
	assert_null(strstr(b.failure.text, "of before"));
	bench_release(&b);
}

/* A setting that the server refuses is named as it was given. */
static void test_refused_setting(void **state)
{
	static const struct server_setting set[] = {{"max_wal_size", "1"}, {"Work-Mem", "0"}};
	struct bench b;

	(void)state;
	bench_init(&b, "exit 0", "echo 'FATAL:  bad value for \"work_mem\"'; exit 1");
	b.options.settings = set;
	b.options.nsettings = 2;
	bench_fails(&b);
	assert_says(&b.failure, "\"work_mem\"; correct --set postgres:Work-Mem=0 or leave it out");
	bench_release(&b);

	bench_init(&b, "exit 0", "echo 'FATAL:  no network_memory'; exit 1");
	b.options.settings = set;
	b.options.nsettings = 2;
	bench_fails(&b);
	assert_says(&b.failure, "try without --set postgres:max_wal_size=1 and the others");
	bench_release(&b);
}

static void test_cannot_be_run(void **state)
{
	struct bench b;
	char path[128];

	(void)state;
	bench_init(&b, "exit 0", NULL);
	/* an interpreter that is not there */
	snprintf(path, sizeof(path), "%s/postgres", b.bin);
	support_write_file(path, "#!/nonexistent/sh\n", 0755);
	bench_fails(&b);
	assert_says(&b.failure, "postgres: cannot run");
	assert_says(&b.failure, path);
	bench_release(&b);
}

/* It says that it is ready, and nobody listens: the reason is told long before the time is up. */
/* A port that nobody listens on: the default one may be somebody else's server here. */
static unsigned unused_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	close(fd);
	return ntohs(a.sin_port);
}

static void test_cannot_be_connected_to(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "mkdir data",
		   "printf '%s\\n' $$ . 0 0 '' '' '0 0' ready >data/postmaster.pid; "
		   "exec sleep 60");
	b.options.port = unused_port();
	bench_fails(&b);
	assert_says(&b.failure, "PostgreSQL cannot be connected to: ");
	assert_says(&b.failure, "refused");
	bench_release(&b);
}

/* Each start finds its port taken, until it gives up. */
static void test_port_is_lost(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit 0",
		   "echo 'LOG:  could not bind: Address already in use'; "
		   "echo 'FATAL:  could not create any TCP/IP sockets'; exit 1");
	bench_fails(&b);
	assert_int_equal(b.held, 6);
	assert_says(&b.failure, "could not create any TCP/IP sockets");
	assert_says(&b.failure, "--postgres-port");
	bench_release(&b);
}

static void test_port_asked_and_busy(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct bench b;
	char port[16];

	(void)state;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	bench_init(&b, "exit 0", "exit 0");
	b.options.port = ntohs(a.sin_port);
	b.options.port_asked = true;
	assert_false(bench_start(&b));
	snprintf(port, sizeof(port), "port %u", b.options.port);
	assert_says(&b.err, port);
	b.options.port = 70000;
	assert_false(bench_start(&b));
	assert_says(&b.err, "70000");
	b.options.port = 1;
	assert_false(bench_start(&b));
	assert_says(&b.err, "port 1 is root's to use");
	assert_says(&b.err, "--postgres-port");
	bench_release(&b);
	close(fd);
}

static void test_settings_are_checked(void **state)
{
	static const struct server_setting bad[] = {{"port", "1"},
						    {"Listen_Addresses", "*"},
						    {"unix_socket_directories", "/tmp"},
						    {"hba-file", "/tmp/hba"},
						    {"UNIX-socket_DIRECTORIES", "/tmp"},
						    {"", "1"},
						    {"a b", "1"},
						    {"a=b", "1"}};
	struct bench b;

	(void)state;
	bench_init(&b, "exit 0", "exit 0");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		b.options.settings = &bad[i];
		b.options.nsettings = 1;
		assert_false(bench_start(&b));
		assert_int_equal(b.err.code, -EINVAL);
		assert_says(&b.err, "--set");
	}
	bench_release(&b);
}

/* What the programs are given: no password and nothing of the user's environment. */
static void test_surroundings(void **state)
{
	struct bench b;
	const char *log;

	(void)state;
	setenv("PGPASSWORD", "hunter2", 1);
	bench_init(&b,
		   "env; for i; do echo \"arg $i\"; done; stat -c '%a %s' ../pg/password; "
		   "cat password >/dev/null || echo unreadable",
		   "env; [ -e password ] && echo still there; for i; do echo \"arg $i\"; done; "
		   "exit 1");
	bench_fails(&b);
	log = support_read_file(server_log(b.server));
	assert_null(strstr(log, "hunter2"));
	assert_non_null(strstr(log, "LC_ALL=C\n"));
	assert_non_null(strstr(log, "arg --auth=scram-sha-256\n"));
	assert_non_null(strstr(log, "600 33\n"));
	assert_null(strstr(log, "unreadable"));
	assert_null(strstr(log, "still there"));
	assert_non_null(strstr(log, "arg listen_addresses=127.0.0.1\n"));
	assert_non_null(strstr(log, "arg unix_socket_directories=\n"));
	assert_int_equal(strlen(server_dsn(b.server)->password), 32);
	assert_null(strstr(log, server_dsn(b.server)->password));
	unsetenv("PGPASSWORD");
	bench_release(&b);
}

/* Its user puts other files at the log's path: what is copied is the log all the same. */
static void copy_of_log(const char *trick)
{
	char path[128], script[256];
	struct bench b;
	int fd;

	snprintf(script, sizeof(script), "echo the real log; rm log; %s; exit 1", trick);
	bench_init(&b, "exit 0", script);
	bench_fails(&b);
	snprintf(path, sizeof(path), "%s/copy", b.base);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(server_copy_log(b.server, fd, 1 << 20), 0);
	assert_string_equal(support_read_file(path), "the real log\n");
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(server_copy_log(b.server, fd, 8), 0);
	assert_string_equal(support_read_file(path), "the real");
	close(fd);
	assert_int_equal(server_copy_log(b.server, fd, 8), -EBADF);
	unlink(path);
	bench_release(&b);
}

static void test_copy_log(void **state)
{
	(void)state;
	copy_of_log("ln -s /etc/passwd log");
	copy_of_log("mkfifo log");
}

/* The data are gone when done is called, and that is later. */
static void test_stop_removes(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "mkdir data; touch data/file", "exit 1");
	bench_fails(&b);
	assert_int_equal(access(server_data_dir(b.server), F_OK), 0);
	server_stop(b.server, done, &b);
	assert_false(b.done);
	assert_true(support_run_until(&b.loop, &b.done, LIMIT_MS));
	assert_int_equal(access(server_data_dir(b.server), F_OK), -1);
	b.done = false;
	bench_release(&b);

	bench_init(&b, "mkdir data; touch data/file", "exit 1");
	b.tmp.keep = true;
	bench_fails(&b);
	server_stop(b.server, done, &b);
	assert_true(support_run_until(&b.loop, &b.done, LIMIT_MS));
	assert_int_equal(access(server_data_dir(b.server), F_OK), 0);
	server_free(b.server);
	b.server = NULL;
	assert_int_equal(remove_tree(b.tmp.path), 0);
	bench_release(&b);
}

static void test_stop_while_initialising(void **state)
{
	struct bench b;
	bool never = false;

	(void)state;
	bench_init(&b, "trap '' TERM; sleep 1000", "exit 0");
	assert_true(bench_start(&b));
	support_run_until(&b.loop, &never, 50);
	bench_release(&b);
	assert_false(b.over);
}

static void test_stop_server_that_hangs(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit 0", "trap '' INT; sleep 1000 & sleep 1000");
	assert_true(bench_start(&b));
	while (!server_pid(b.server))
		uv_run(&b.loop, UV_RUN_ONCE);
	bench_release(&b);
	assert_false(b.over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_in_path),
		cmocka_unit_test(test_init_fails),
		cmocka_unit_test(test_server_fails),
		cmocka_unit_test(test_refused_setting),
		cmocka_unit_test(test_cannot_be_run),
		cmocka_unit_test(test_cannot_be_connected_to),
		cmocka_unit_test(test_port_is_lost),
		cmocka_unit_test(test_port_asked_and_busy),
		cmocka_unit_test(test_settings_are_checked),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_copy_log),
		cmocka_unit_test(test_stop_removes),
		cmocka_unit_test(test_stop_while_initialising),
		cmocka_unit_test(test_stop_server_that_hangs),
	};

	support_find_libexec();
	return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
