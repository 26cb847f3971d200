/* A real private server of each engine: how it starts, stops, fails and is killed. */
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
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit/proc_support.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "lib/xalloc.h"
#include "proc/child.h"
#include "proc/tmpdir.h"
#include "server/engine.h"
#include "server/server.h"
#include "server_bench.h"

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
	a = bench_ask(&b, server_dsn(b.server), ENGINE.database_sql);
	assert_string_equal(a.text, "cputop");
	a = bench_ask(&b, server_dsn(b.server), ENGINE.durable_sql);
	assert_string_equal(a.text, ENGINE.durable);
	begin = clock_now_ns();
	server_stop(b.server, bench_done, &b);
	assert_true(support_run_until(&b.loop, &b.done, LIMIT_MS));
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	assert_int_equal(kill(pid, 0), -1);
	assert_false(b.failed);
	bench_release(&b);
}

static void test_settings(void **state)
{
	struct bench b;
	struct answer a;

	(void)state;
	bench_init(&b);
	b.options.settings = &ENGINE.setting;
	b.options.nsettings = 1;
	bench_ready(&b);
	a = bench_ask(&b, server_dsn(b.server), ENGINE.setting_sql);
	assert_string_equal(a.text, ENGINE.setting_is);
	bench_release(&b);
}

static void test_bad_setting(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.options.settings = &ENGINE.bad_setting;
	b.options.nsettings = 1;
	bench_fails(&b, ENGINE.bad_setting_says);
	assert_non_null(strstr(b.failure.text, "--set"));
	bench_release(&b);
}

/* Takes a port (0: any). *got is the one taken. Returns -1 when it is not free. */
static int listen_on(unsigned port, unsigned *got)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0) {
		close(fd);
		return -1;
	}
	*got = ntohs(a.sin_port);
	return fd;
}

static void test_busy_port(void **state)
{
	struct bench b;
	unsigned port;
	int fd = listen_on(0, &port);
	char text[32];

	(void)state;
	assert_true(fd >= 0);
	bench_init(&b);
	b.options.port = port;
	bench_ready(&b);
	assert_int_not_equal(server_dsn(b.server)->port, port);
	bench_release(&b);

	bench_init(&b);
	b.options.port = port;
	b.options.port_asked = true;
	assert_false(bench_start(&b));
	snprintf(text, sizeof(text), "port %u ", port);
	assert_non_null(strstr(b.err.text, text));
	snprintf(text, sizeof(text), "--%s-port", dialect_name(TEST_DIALECT));
	assert_non_null(strstr(b.err.text, text));
	bench_release(&b);
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
	unsigned port;

	(void)err;
	(void)keeper;
	if (t->fd < 0)
		t->fd = listen_on(server_dsn(s)->port, &port);
	return 0;
}

static void ready_for_thief(struct server *s, void *arg)
{
	struct thief *t = arg;

	(void)s;
	t->b->over = true;
}

static void failed_for_thief(struct server *s, const struct err *err, void *arg)
{
	struct thief *t = arg;

	(void)s;
	t->b->failure = *err;
	t->b->over = t->b->failed = true;
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
	b.server = server_start(&b.loop, &b.tmp, &b.options, &cb, &t, &b.err);
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

/* The segment of shared memory that a PostgreSQL has; -1: none. */
static int segment_of(const struct server *s)
{
	char *path = xasprintf("%s/postmaster.pid", server_data_dir(s));
	const char *line = support_read_file(path);
	int id = -1;

	free(path);
	for (int i = 0; line && i < 6; i++)
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
	if (line && sscanf(line, "%*u %d", &id) != 1)
		id = -1;
	return id;
}

static void assert_says(const struct bench *b, const char *text)
{
	char whole[128];

	snprintf(whole, sizeof(whole), "%s %s", ENGINE.title, text);
	assert_true(b->failed);
	if (!strstr(b->failure.text, whole))
		fail_msg("'%s' is not in: %s", whole, b->failure.text);
}

static void test_killed_server(void **state)
{
	struct bench b;
	struct shmid_ds ds;
	int id;

	(void)state;
	bench_init(&b);
	bench_ready(&b);
	id = segment_of(b.server);
	assert_int_equal(id >= 0, TEST_DIALECT == DIALECT_POSTGRES);
	if (id >= 0)
		assert_int_equal(shmctl(id, IPC_STAT, &ds), 0);
	b.over = false;
	kill(server_pid(b.server), SIGKILL);
	assert_true(support_run_until(&b.loop, &b.over, LIMIT_MS));
	assert_says(&b, "was ended by signal 9");
	if (id >= 0)
		assert_int_equal(shmctl(id, IPC_STAT, &ds), -1);
	bench_release(&b);
}

static pid_t initialiser(const struct bench *b)
{
	return b->server->state == SERVER_INITIALISING && b->server->child
		       ? child_pid(b->server->child)
		       : 0;
}

/* KILL to the program that initialises, and to the server before it is ready. */
static void test_killed_early(void **state)
{
	struct bench b;
	pid_t pid = 0;

	(void)state;
	for (int starting = 0; starting < 2; starting++) {
		uint64_t end = clock_now_ns() + LIMIT_MS * NS_PER_MS;

		bench_init(&b);
		assert_true(bench_start(&b));
		for (pid = 0; pid == 0 && clock_now_ns() < end && !b.over;) {
			uv_run(&b.loop, UV_RUN_NOWAIT);
			pid = starting ? server_pid(b.server) : initialiser(&b);
		}
		assert_true(pid > 0);
		kill(pid, SIGKILL);
		assert_true(support_run_until(&b.loop, &b.over, LIMIT_MS));
		assert_says(&b, starting ? "did not start: it was ended by signal 9"
					 : "could not be initialised: it was ended by signal 9");
		bench_release(&b);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_and_stop), cmocka_unit_test(test_settings),
		cmocka_unit_test(test_bad_setting),    cmocka_unit_test(test_busy_port),
		cmocka_unit_test(test_lost_port),      cmocka_unit_test(test_held_refuses),
		cmocka_unit_test(test_killed_server),  cmocka_unit_test(test_killed_keeper),
		cmocka_unit_test(test_killed_early),   cmocka_unit_test(test_stop_early),
		cmocka_unit_test(test_two_at_once),    cmocka_unit_test(test_killed_cputop),
	};

	return bench_main(TEST_NAME, tests, 0);
}
