/* A program under a keeper, seen from cputop: every way in which it, its keeper, its children or
 * cputop itself can end. The trees are shell scripts; a mark in the environment finds what is left
 * of them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "proc/child.h"
#include "proc_support.h"

enum { LIMIT_MS = 15000 };

/* Shells that ignore TERM: one, a child of it in a session of its own, and a double-forked daemon.
 */
#define STUBBORN_TREE                                                       \
	"trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000 & wait' & " \
	"(setsid sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000' &) ; sleep 1000"
#define STUBBORN_COUNT 7 /* with the sleeps */

struct seen {
	struct child *child;
	bool hold; /* do not release */
	bool held, started, left, exited;
	pid_t keeper, pid;
	bool keeper_leads_group, keeper_leads_session;
	struct child_status status;
	char reason[ERR_TEXT_MAX];
};

static void on_held(struct child *c, pid_t keeper, void *arg)
{
	struct seen *seen = arg;

	seen->held = true;
	seen->keeper = keeper;
	seen->keeper_leads_group = getpgid(keeper) == keeper;
	seen->keeper_leads_session = getsid(keeper) == keeper;
	assert_int_equal(child_pid(c), 0);
	assert_int_equal(child_keeper_pid(c), keeper);
	if (!seen->hold)
		child_release(c);
}

static void on_started(struct child *c, pid_t pid, void *arg)
{
	struct seen *seen = arg;

	(void)c;
	seen->started = true;
	seen->pid = pid;
}

static void on_left(struct child *c, const struct child_status *status, void *arg)
{
	struct seen *seen = arg;

	(void)c;
	seen->left = true;
	seen->status = *status;
}

static void on_exit_(struct child *c, const struct child_status *status, const char *reason,
		     void *arg)
{
	struct seen *seen = arg;

	assert_false(seen->exited);
	seen->exited = true;
	seen->status = *status;
	snprintf(seen->reason, sizeof(seen->reason), "%s", reason ? reason : "");
	child_free(c);
	seen->child = NULL;
}

struct bench {
	uv_loop_t loop;
	struct seen seen;
	char mark[64];
	char *env[3];
	char *argv[4];
	struct child_spec spec;
	char out[64];
};

static void bench_init(struct bench *b, const char *script)
{
	static char sh[] = "/bin/sh", c[] = "-c", path[] = "PATH=/usr/bin:/bin";

	memset(b, 0, sizeof(*b));
	uv_loop_init(&b->loop);
	snprintf(b->mark, sizeof(b->mark), "%s", support_new_mark());
	b->env[0] = b->mark;
	b->env[1] = path;
	b->argv[0] = sh;
	b->argv[1] = c;
	b->argv[2] = strdup(script);
	snprintf(b->out, sizeof(b->out), "/tmp/cptest-child-XXXXXX");
	b->spec = (struct child_spec){
		.name = "worker",
		.argv = b->argv,
		.env = b->env,
		.stop_signal = SIGTERM,
		.kill_after_ms = 200,
		.output_fd = mkostemp(b->out, O_CLOEXEC),
		.cb = {.on_held = on_held, .on_started = on_started, .on_exit = on_exit_},
		.arg = &b->seen,
	};
}

static void bench_spawn(struct bench *b)
{
	struct err err;

	b->seen.child = child_spawn(&b->loop, &b->spec, &err);
	if (!b->seen.child)
		fail_msg("%s", err.text);
}

static void bench_wait(struct bench *b, const bool *flag)
{
	assert_true(support_run_until(&b->loop, flag, LIMIT_MS));
}

static void bench_release(struct bench *b)
{
	assert_true(support_wait_marked(b->mark, 0, 100));
	assert_true(support_loop_close(&b->loop));
	free(b->argv[2]);
	close(b->spec.output_fd);
	unlink(b->out);
}

static void run_script(struct bench *b, const char *script)
{
	bench_init(b, script);
	bench_spawn(b);
	bench_wait(b, &b->seen.exited);
}

static void test_exit_status(void **state)
{
	struct bench b;

	(void)state;
	run_script(&b, "exit 7");
	assert_true(b.seen.started);
	assert_true(b.seen.status.exited);
	assert_false(b.seen.status.keeper_killed);
	assert_int_equal(b.seen.status.code, 7);
	assert_int_equal(b.seen.status.signal, 0);
	assert_string_equal(b.seen.reason, "");
	bench_release(&b);
}

static void test_ended_by_signal(void **state)
{
	struct bench b;

	(void)state;
	run_script(&b, "kill -9 $$");
	assert_true(b.seen.status.exited);
	assert_int_equal(b.seen.status.code, -1);
	assert_int_equal(b.seen.status.signal, SIGKILL);
	bench_release(&b);
}

static void test_exec_failure(void **state)
{
	static char missing[] = "/nonexistent/program";
	struct bench b;

	(void)state;
	bench_init(&b, "true");
	b.argv[0] = missing;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_false(b.seen.started);
	assert_false(b.seen.status.exited);
	assert_string_equal(b.seen.reason,
			    "worker: cannot run /nonexistent/program: No such file or directory");
	bench_release(&b);
}

static void test_directory_failure(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "true");
	b.spec.cwd = "/nonexistent";
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_non_null(strstr(b.seen.reason, "directory /nonexistent: No such file"));
	bench_release(&b);
}

static void test_surroundings(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "pwd; cat; echo error >&2");
	b.spec.cwd = "/usr";
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_string_equal(support_read_file(b.out), "/usr\nerror\n");
	assert_true(b.seen.keeper_leads_group);
	assert_false(b.seen.keeper_leads_session);
	bench_release(&b);
}

static int memory_with(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	return fd;
}

/* Targets that collide with each other's present numbers, and a descriptor that leaks. */
static void test_descriptors(void **state)
{
	struct bench b;
	struct child_fd fds[3] = {{memory_with("a"), 5}, {memory_with("b"), 4}, {-1, 9}};
	int leak = dup(STDIN_FILENO);

	(void)state;
	fds[2].fd = memory_with("c");
	bench_init(&b, "cat <&5; cat <&4; cat <&9; "
		       "for f in /proc/$$/fd/*; do [ -e $f ] && echo -n \" ${f##*/}\"; done");
	b.spec.fds = fds;
	b.spec.nfds = 3;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_string_equal(support_read_file(b.out), "abc 0 1 2 4 5 9");
	bench_release(&b);
	close(leak);
	for (int i = 0; i < 3; i++)
		close(fds[i].fd);
}

/* The other end sees end of file when the program is gone, not when its keeper is. */
static void test_keeper_lets_go(void **state)
{
	struct bench b;
	struct child_fd fd = {-1, 3};
	int ends[2];
	char byte;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	fd.fd = ends[1];
	bench_init(&b, "exec 3>&- >&- 2>&-; sleep 1000");
	b.spec.fds = &fd;
	b.spec.nfds = 1;
	bench_spawn(&b);
	bench_wait(&b, &b.seen.started);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	assert_false(b.seen.exited);
	child_stop(b.seen.child);
	bench_wait(&b, &b.seen.exited);
	bench_release(&b);
	close(ends[0]);
}

static void test_signals_are_sane(void **state)
{
	struct bench b;
	sigset_t some;

	(void)state;
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, NULL);
	signal(SIGQUIT, SIG_IGN);
	bench_init(&b, "exec grep -E '^Sig(Blk|Ign):' /proc/self/status");
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_string_equal(support_read_file(b.out),
			    "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	signal(SIGQUIT, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &some, NULL);
	bench_release(&b);
}

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
	b.spec.cb.on_left = on_left;
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
	run_script(&b, "(setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; exit 0");
	assert_int_equal(b.seen.status.code, 0);
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

static void test_find_program(void **state)
{
	char path[4096];
	char *libexec = strdup(getenv("CPUTOP_LIBEXEC"));
	struct err err;

	(void)state;
	assert_int_equal(child_find_program("cputop-keeper", path, sizeof(path), &err), 0);
	assert_int_equal(access(path, X_OK), 0);
	setenv("CPUTOP_LIBEXEC", "/nonexistent", 1);
	assert_int_equal(child_find_program("cputop-keeper", path, sizeof(path), &err), -ENOENT);
	assert_non_null(strstr(err.text, "cputop-keeper is not in /nonexistent"));
	setenv("CPUTOP_LIBEXEC", libexec, 1);
	free(libexec);
}

static void test_find_user(void **state)
{
	struct err err;
	uid_t uid = 1;
	gid_t gid = 1;

	(void)state;
	assert_int_equal(child_find_user("root", &uid, &gid, &err), 0);
	assert_int_equal(uid, 0);
	assert_int_equal(child_find_user("no such user", &uid, &gid, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no such user"));
}

static void test_spawn_failure(void **state)
{
	char *libexec = strdup(getenv("CPUTOP_LIBEXEC"));
	struct bench b;
	struct err err;

	(void)state;
	bench_init(&b, "true");
	setenv("CPUTOP_LIBEXEC", "/nonexistent", 1);
	assert_null(child_spawn(&b.loop, &b.spec, &err));
	setenv("CPUTOP_LIBEXEC", libexec, 1);
	bench_release(&b);
	free(libexec);
}

static void test_privileges_dropped(void **state)
{
	struct bench b;
	const struct passwd *pw = getpwnam("nobody");
	char wanted[256];

	(void)state;
	assert_non_null(pw);
	bench_init(&b, "grep -E '^(Uid|Gid|Groups|CapPrm|CapAmb):' /proc/self/status; "
		       "cat /etc/shadow 2>/dev/null && echo read");
	b.spec.drop = true;
	b.spec.uid = pw->pw_uid;
	b.spec.gid = pw->pw_gid;
	snprintf(wanted, sizeof(wanted),
		 "Uid:\t%1$u\t%1$u\t%1$u\t%1$u\nGid:\t%2$u\t%2$u\t%2$u\t%2$u\nGroups:\t%2$u \n"
		 "CapPrm:\t0000000000000000\nCapAmb:\t0000000000000000\n",
		 (unsigned)pw->pw_uid, (unsigned)pw->pw_gid);
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_string_equal(support_read_file(b.out), wanted);
	bench_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_status),
		cmocka_unit_test(test_ended_by_signal),
		cmocka_unit_test(test_exec_failure),
		cmocka_unit_test(test_directory_failure),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_keeper_lets_go),
		cmocka_unit_test(test_signals_are_sane),
		cmocka_unit_test(test_stop_by_signal),
		cmocka_unit_test(test_stop_stubborn_tree),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_left_behind_is_stopped),
		cmocka_unit_test(test_stop_while_held),
		cmocka_unit_test(test_stop_at_once),
		cmocka_unit_test(test_keeper_killed),
		cmocka_unit_test(test_keeper_ignores_and_obeys),
		cmocka_unit_test(test_cputop_killed),
		cmocka_unit_test(test_cputop_killed_while_held),
		cmocka_unit_test(test_eof_signal),
		cmocka_unit_test(test_find_program),
		cmocka_unit_test(test_find_user),
		cmocka_unit_test(test_spawn_failure),
		/* needs root */
		cmocka_unit_test(test_privileges_dropped),
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);

	support_find_libexec();
	return _cmocka_run_group_tests("child", tests, geteuid() == 0 ? n : n - 1, NULL, NULL);
}
