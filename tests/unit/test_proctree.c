/* The tree of processes: fixtures of /proc, and real processes that come, rename and go. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "measure/fdbudget.h"
#include "measure/proctree.h"
#include "measure_help.h"

#ifndef FIXTURES
#define FIXTURES "tests/unit/fixtures"
#endif

static const char *fixture(const char *name)
{
	static char path[512];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%.200s/" FIXTURES "/%.60s", srcdir ? srcdir : ".", name);
	return path;
}

static void assert_sorted(const struct proctree *t)
{
	for (size_t i = 1; i < t->n; i++)
		assert_true(t->procs[i - 1]->pid < t->procs[i]->pid);
	for (size_t i = 0; i < t->n; i++)
		assert_ptr_equal(proctree_find(t, t->procs[i]->pid), t->procs[i]);
}

/* 100 keeper - 101 postmaster (three threads) - 103, 90 (a lower pid); 103 - 104; 200 is not of it.
 */
static void check_fixture(const char *name, bool scan)
{
	static const pid_t pids[] = {90, 100, 101, 103, 104};
	struct proctree t;

	assert_int_equal(proctree_init(&t, fixture(name), 100), 0);
	assert_int_equal(proctree_read(&t), 0);
	assert_int_equal(t.scan, scan);
	assert_int_equal(t.n, 5);
	for (size_t i = 0; i < t.n; i++)
		assert_int_equal(t.procs[i]->pid, pids[i]);
	assert_sorted(&t);
	assert_true(proctree_find(&t, 101)->threaded);
	assert_false(proctree_find(&t, 103)->threaded);
	/* Without a clock: 150 + 25 ticks; its ledger: 300 + 45. */
	assert_int_equal(proctree_find(&t, 101)->cpu_ns, procfs_ticks_ns(175));
	assert_int_equal(proc_ledger_ns(proctree_find(&t, 101)), procfs_ticks_ns(345));
	assert_string_equal(proctree_find(&t, 103)->stat.comm, "a) R 1 (");
	proctree_release(&t);
}

static void test_fixture_lists(void **state)
{
	(void)state;
	check_fixture("proc", false);
}

static void test_fixture_scan(void **state)
{
	(void)state;
	check_fixture("proc-scan", true);
}

static void test_no_root(void **state)
{
	struct proctree t;

	(void)state;
	assert_int_equal(proctree_init(&t, fixture("proc"), 55), -ESRCH);
	proctree_release(&t);
}

/* The same pid with another start time is another process; a text cut short ends nothing. */
static void test_changing_files(void **state)
{
	static const char *const format =
		"%d (x) S %d 1 1 0 -1 0 0 0 0 0 5 5 %d 0 20 0 1 0 %d 9 9\n";
	char *dir = make_dir(), text[200];
	struct proctree t;

	(void)state;
	snprintf(text, sizeof(text), format, 10, 1, 0, 1000);
	put_file(dir, "10/stat", text);
	put_file(dir, "10/task/10/children", "11 ");
	snprintf(text, sizeof(text), format, 11, 10, 0, 1001);
	put_file(dir, "11/stat", text);
	put_file(dir, "11/task/11/children", "");
	assert_int_equal(proctree_init(&t, dir, 10), 0);
	assert_int_equal(proctree_read(&t), 0);
	assert_int_equal(t.n, 2);
	assert_false(t.unsettled);
	assert_true(proctree_same(&t));
	/* A ledger that moves is not the same any more. */
	snprintf(text, sizeof(text), format, 10, 1, 7, 1000);
	put_file(dir, "10/stat", text);
	assert_false(proctree_same(&t));
	assert_true(proctree_same(&t));
	proctree_find(&t, 11)->settled_cpu_ns = 5;
	/* The kept file is still 11, 1001: replaced below, as reuse would do it. */
	snprintf(text, sizeof(text), format, 11, 10, 0, 2002);
	put_file(dir, "11/stat", text);
	assert_int_equal(proctree_read(&t), 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.exits, 1);
	assert_int_equal(t.vanished_ns, 5);
	assert_int_equal(proctree_find(&t, 11)->start, 2002);
	put_file(dir, "10/stat", "10 (x) S 1");
	assert_int_equal(proctree_read(&t), -ESRCH);
	proctree_release(&t);
	remove_dir(dir);
}

static void sleepers(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++) {
		if (fork() == 0) {
			if (i % 4 == 0)
				fork();
			pause();
		}
	}
	pause();
}

static unsigned gone;

static void count_gone(void *arg, struct proc *p)
{
	assert_ptr_equal(arg, &gone);
	assert_true(p->pid > 0);
	gone++;
}

static void read_until(struct proctree *t, size_t n)
{
	uint64_t deadline = deadline_in(10000);

	do {
		assert_int_equal(proctree_read(t), 0);
		assert_sorted(t);
		assert_false(deadline_passed(deadline));
		poll_pause();
	} while (t->n != n);
}

static void check_real(void)
{
	struct keeper k;
	struct proctree t;

	keeper_start(&k, sleepers, NULL);
	assert_int_equal(proctree_init(&t, "/proc", k.pid), 0);
	t.on_gone = count_gone;
	t.arg = &gone;
	gone = 0;
	keeper_release(&k);
	/* keeper, program, 20 children, 5 grandchildren */
	read_until(&t, 27);
	for (size_t i = 0; i < t.n; i++) {
		if (t.procs[i]->stat.ppid != k.pid && t.procs[i]->pid != k.pid &&
		    t.procs[i]->stat.ppid != t.procs[i]->pid)
			kill(t.procs[i]->pid, SIGKILL);
	}
	/* The children are zombies of the program, the grandchildren are reaped by the keeper. */
	read_until(&t, 22);
	assert_int_equal(gone, 5);
	assert_int_equal(t.exits, 5);
	keeper_end(&k);
	assert_int_equal(proctree_read(&t), -ESRCH);
	proctree_release(&t);
	assert_int_equal(gone, 27);
}

static void test_real(void **state)
{
	(void)state;
	check_real();
}

static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Few descriptors: the rest is opened for each reading; the limit is raised where it may be. */
static void test_few_descriptors(void **state)
{
	struct rlimit before, few;
	unsigned open_before = open_files();

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	few = (struct rlimit){open_before + 12, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	check_real();
	getrlimit(RLIMIT_NOFILE, &few);
	assert_true(few.rlim_cur > open_before + 12);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(open_files(), open_before);
	if (fork() == 0) {
		few = (struct rlimit){40, 40};
		/* only Valgrind refuses to lower the hard limit */
		if (setrlimit(RLIMIT_NOFILE, &few) < 0)
			_exit(errno == EPERM ? 0 : 2);
		_exit(fdbudget_take(20) && !fdbudget_take(1) ? 0 : 1);
	}
	int status = -1;
	wait(&status);
	assert_int_equal(status, 0);
}

static void test_hard_limit(void **state)
{
	int status = -1;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0) {
		struct rlimit few = {30, 30};

		setrlimit(RLIMIT_NOFILE, &few);
		check_real();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void *forking_thread(void *arg)
{
	(void)arg;
	if (fork() == 0)
		pause();
	pause();
	return NULL;
}

static void threads_with_children(void *arg)
{
	pthread_t thread;

	(void)arg;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, forking_thread, NULL);
	pause();
}

static void test_children_of_threads(void **state)
{
	struct keeper k;
	struct proctree t;

	(void)state;
	keeper_start(&k, threads_with_children, NULL);
	assert_int_equal(proctree_init(&t, "/proc", k.pid), 0);
	keeper_release(&k);
	read_until(&t, 5);
	proctree_release(&t);
	keeper_end(&k);
}

/* Forks until the child has this pid. Only as root; returns false where it cannot be forced. */
static pid_t fork_with_pid(pid_t wanted)
{
	for (int tries = 0; tries < 200; tries++) {
		char text[32];
		int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
		int n = snprintf(text, sizeof(text), "%d", (int)wanted - 1);
		bool ok = fd >= 0 && write(fd, text, (size_t)n) == n;
		pid_t pid;

		if (fd >= 0)
			close(fd);
		if (!ok)
			return -1;
		pid = fork();
		if (pid == 0) {
			burn_ms(40);
			pause();
		}
		if (pid == wanted)
			return pid;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return -1;
}

/* A pid that lives again never continues the old one's time. The test itself is the root, so that
 * the new one is in the tree as well. */
static void test_pid_reuse(void **state)
{
	uint64_t deadline = deadline_in(10000), old_start, old_cpu;
	struct proctree t;
	struct proc *p;
	pid_t old;

	(void)state;
	old = fork_burner(150);
	assert_int_equal(proctree_init(&t, "/proc", getpid()), 0);
	do {
		assert_int_equal(proctree_read(&t), 0);
		p = proctree_find(&t, old);
		assert_non_null(p);
		assert_false(deadline_passed(deadline));
	} while (p->cpu_ns < 100 * NS_PER_MS || p->stat.state != 'Z');
	old_start = p->start;
	old_cpu = p->cpu_ns;
	poll_pause();
	waitpid(old, NULL, 0);
	for (uint64_t until = deadline_in(15); !deadline_passed(until);)
		poll_pause(); /* start times are ticks: a new tick must have begun */
	if (fork_with_pid(old) == old) {
		assert_int_equal(proctree_read(&t), 0);
		p = proctree_find(&t, old);
		assert_non_null(p);
		assert_true(p->start > old_start);
		assert_true(p->cpu_ns < old_cpu);
		assert_int_equal(t.exits, 1);
		kill(old, SIGKILL);
		waitpid(old, NULL, 0);
	} else {
		print_message("pid reuse cannot be forced here\n");
		assert_int_not_equal(geteuid(), 0);
	}
	proctree_release(&t);
}

static void churn(void *arg)
{
	(void)arg;
	for (;;) {
		for (int i = 0; i < 4; i++)
			if (fork() == 0)
				_exit(0);
		for (int i = 0; i < 4; i++)
			wait(NULL);
	}
}

/* Processes that come and go all the time never end a reading, and none is kept too long. */
static void test_churn(void **state)
{
	unsigned open_before = open_files();
	uint64_t until = deadline_in(500);
	struct keeper k;
	struct proctree t;

	(void)state;
	keeper_start(&k, churn, NULL);
	assert_int_equal(proctree_init(&t, "/proc", k.pid), 0);
	keeper_release(&k);
	while (!deadline_passed(until)) {
		assert_int_equal(proctree_read(&t), 0);
		assert_sorted(&t);
		assert_true(t.n <= 16);
	}
	assert_true(t.exits > 0);
	proctree_release(&t);
	keeper_end(&k);
	assert_int_equal(open_files(), open_before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture_lists), cmocka_unit_test(test_fixture_scan),
		cmocka_unit_test(test_no_root),       cmocka_unit_test(test_changing_files),
		cmocka_unit_test(test_real),          cmocka_unit_test(test_few_descriptors),
		cmocka_unit_test(test_hard_limit),    cmocka_unit_test(test_children_of_threads),
		cmocka_unit_test(test_pid_reuse),     cmocka_unit_test(test_churn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
