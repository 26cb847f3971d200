/* Every way in which a program, its keeper, its children or cputop itself can end. The trees are
 * shell scripts; a mark in the environment finds what is left of them. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "child_bench.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "proc/child.h"
#include "proc_support.h"

static void test_stop_by_signal(void **state)
{
	struct bench b;
	uint64_t begin;

	(void)state;
	bench_init(&b, "exec sleep 1000");
	b.spec.kill_after_ms = 60000;
	b.spec.stop_signal = SIGINT;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.started);
	begin = clock_now_ns();
	child_stop(b.seen.child);
	child_stop(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	assert_int_equal(b.seen.status.signal, SIGINT);
	assert_string_equal(b.seen.reason, "");
	bench_release(&b);
}

static void test_stop_stubborn_tree(void **state)
{
	struct bench b;
	uint64_t begin;

	(void)state;
	bench_init(&b, STUBBORN_TREE);
	bench_spawn(&b);
	bench_wait(&b, &b.seen.started);
	/* the keeper as well */
	assert_true(support_wait_marked(b.mark, STUBBORN_COUNT + 1, LIMIT_MS));
	begin = clock_now_ns();
	child_stop(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	assert_true(clock_now_ns() - begin >= 200 * NS_PER_MS);
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	assert_int_equal(b.seen.status.signal, SIGKILL);
	bench_release(&b);
}

static void test_kill(void **state)
{
	struct bench b;
	uint64_t begin;

	(void)state;
	bench_init(&b, STUBBORN_TREE);
	b.spec.kill_after_ms = 60000;
	bench_spawn(&b);
	assert_true(support_run_until(&b.loop, &b.seen.started, LIMIT_MS));
	assert_true(support_wait_marked(b.mark, STUBBORN_COUNT + 1, LIMIT_MS));
	begin = clock_now_ns();
	child_kill(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	assert_true(clock_now_ns() - begin < NS_PER_S);
	bench_release(&b);
}

/* A daemon ends by the stop signal, without waiting for KILL. */
static void test_left_behind(void **state)
{
	struct bench b;
	uint64_t begin;

	(void)state;
	bench_init(&b, "(setsid sleep 1000 &) ; exit 3");
	b.spec.cb.on_left = bench_on_left;
	b.spec.kill_after_ms = 60000;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.left);
	assert_int_equal(b.seen.status.code, 3);
	assert_true(support_wait_marked(b.mark, 2, LIMIT_MS));
	assert_false(b.seen.exited);
	begin = clock_now_ns();
	child_stop(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	assert_int_equal(b.seen.status.code, 3);
	bench_release(&b);
}

static void test_left_behind_is_stopped(void **state)
{
	struct bench b;

	(void)state;
	bench_run(&b, "(setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; exit 0");
	assert_int_equal(b.seen.status.code, 0);
	bench_release(&b);
}

/* The program obeys, its daemon was never told: it is, as soon as the program has ended. */
static void test_daemon_is_told(void **state)
{
	struct bench b;
	uint64_t begin;

	(void)state;
	bench_init(&b, "(setsid sleep 1000 &) ; exec sleep 1000");
	b.spec.kill_after_ms = 60000;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.started);
	assert_true(support_wait_marked(b.mark, 3, LIMIT_MS));
	begin = clock_now_ns();
	child_stop(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	bench_release(&b);
}

static void test_stop_while_held(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "echo ran");
	b.seen.hold = true;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.held);
	child_stop(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	assert_false(b.seen.started);
	assert_false(b.seen.status.exited);
	assert_false(b.seen.status.keeper_killed);
	assert_string_equal(support_read_file(b.out), "");
	bench_release(&b);
}

static void test_stop_at_once(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exec sleep 1000");
	bench_spawn(&b);
	child_stop(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	assert_false(b.seen.started);
	bench_release(&b);
}

static void test_keeper_killed(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "trap '' TERM; sleep 1000 & sleep 1000");
	b.spec.kill_after_ms = 60000;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.started);
	assert_true(support_wait_marked(b.mark, 4, LIMIT_MS));
	kill(b.seen.keeper, SIGKILL);
	bench_wait(&b, &b.seen.exited);
	assert_true(b.seen.status.keeper_killed);
	assert_false(b.seen.status.exited);
	assert_non_null(strstr(b.seen.reason, "worker: its keeper was ended by signal 9"));
	bench_release(&b);
}

static void test_keeper_ignores_and_obeys(void **state)
{
	static const int ignored[] = {SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE, SIGALRM};
	struct bench b;

	(void)state;
	bench_init(&b, "exec sleep 1000");
	bench_spawn(&b);
	bench_wait(&b, &b.seen.started);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		kill(b.seen.keeper, ignored[i]);
	assert_false(support_run_until(&b.loop, &b.seen.exited, 50));
	kill(b.seen.keeper, SIGTERM);
	bench_wait(&b, &b.seen.exited);
	assert_false(b.seen.status.keeper_killed);
	assert_int_equal(b.seen.status.signal, SIGTERM);
	bench_release(&b);
}

/* Plays cputop in a process of its own that is killed: what it started must be gone in 2 s. */
static void killed_cputop(const char *script, bool hold, unsigned count)
{
	struct bench b;
	uint64_t begin;
	pid_t pid;

	bench_init(&b, script);
	b.spec.kill_after_ms = 60000;
	b.seen.hold = hold;
	pid = fork();
	if (pid == 0) {
		uv_loop_t loop;
		bool never = false;

		uv_loop_init(&loop);
		if (!child_spawn(&loop, &b.spec, NULL))
			_exit(1);
		support_run_until(&loop, &never, LIMIT_MS);
		_exit(2);
	}
	assert_true(support_wait_marked(b.mark, count, LIMIT_MS));
	begin = clock_now_ns();
	kill(pid, SIGKILL);
	assert_true(support_wait_marked(b.mark, 0, LIMIT_MS));
	assert_true(clock_now_ns() - begin < 2 * NS_PER_S);
	waitpid(pid, NULL, 0);
	bench_release(&b);
}

static void test_cputop_killed(void **state)
{
	(void)state;
	killed_cputop(STUBBORN_TREE, false, STUBBORN_COUNT + 1);
}

static void test_cputop_killed_while_held(void **state)
{
	(void)state;
	killed_cputop("exec sleep 1000", true, 1);
}

static void test_eof_signal(void **state)
{
	struct bench b;
	pid_t pid;

	(void)state;
	bench_init(&b, "trap 'echo quit; exit' QUIT; trap 'echo int; exit' INT; echo on; "
		       "while :; do sleep 0.01; done");
	b.spec.stop_signal = SIGINT;
	b.spec.eof_signal = SIGQUIT;
	b.spec.kill_after_ms = 1500;
	pid = fork();
	if (pid == 0) {
		uv_loop_t loop;
		bool never = false;

		uv_loop_init(&loop);
		if (!child_spawn(&loop, &b.spec, NULL))
			_exit(1);
		support_run_until(&loop, &never, LIMIT_MS);
		_exit(2);
	}
	for (uint64_t end = clock_now_ns() + 10 * NS_PER_S;
	     !*support_read_file(b.out) && clock_now_ns() < end;)
		usleep(5000);
	kill(pid, SIGKILL);
	assert_true(support_wait_marked(b.mark, 0, LIMIT_MS));
	waitpid(pid, NULL, 0);
	assert_string_equal(support_read_file(b.out), "on\nquit\n");
	bench_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop_by_signal),
		cmocka_unit_test(test_stop_stubborn_tree),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_left_behind_is_stopped),
		cmocka_unit_test(test_daemon_is_told),
		cmocka_unit_test(test_stop_while_held),
		cmocka_unit_test(test_stop_at_once),
		cmocka_unit_test(test_keeper_killed),
		cmocka_unit_test(test_keeper_ignores_and_obeys),
		cmocka_unit_test(test_cputop_killed),
		cmocka_unit_test(test_cputop_killed_while_held),
		cmocka_unit_test(test_eof_signal),
	};

	support_find_libexec();
	return cmocka_run_group_tests_name("child_end", tests, NULL, NULL);
}
