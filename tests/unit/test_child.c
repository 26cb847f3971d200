/* A program under a keeper, seen from cputop: how it starts and what it finds around it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "child_bench.h"
#include "lib/err.h"
#include "proc/child.h"
#include "proc_support.h"

static void test_exit_status(void **state)
{
	struct bench b;

	(void)state;
	bench_run(&b, "exit 7");
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
	bench_run(&b, "kill -9 $$");
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

/* The program has the limit that the user has set, not the one that cputop has raised. */
static void test_limits(void **state)
{
	struct bench b;
	struct rlimit before, few, rl;
	unsigned long soft = 0, hard = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 200;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	child_remember_limits();
	rl = before;
	rl.rlim_cur = before.rlim_max < 4000 ? before.rlim_max : 4000;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &rl), 0);
	bench_init(&b, "ulimit -Sn; ulimit -Hn | sed s/unlimited/999999999/");
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_int_equal(sscanf(support_read_file(b.out), "%lu %lu", &soft, &hard), 2);
	assert_int_equal(soft, 200);
	assert_true(hard > 200);
	bench_release(&b);
	/* what is lower already is left */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	child_remember_limits();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	bench_init(&b, "ulimit -Sn");
	bench_spawn(&b);
	bench_wait(&b, &b.seen.exited);
	assert_string_equal(support_read_file(b.out), "200\n");
	bench_release(&b);
	setrlimit(RLIMIT_NOFILE, &before);
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

/* 32 and 33 are the C library's own: it lets nobody change them. */
#define OWN_SIGNALS ((1ULL << 31) | (1ULL << 32))

static void test_signals_are_sane(void **state)
{
	unsigned long long blocked = 1, ignored = 1;
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
	assert_int_equal(
		sscanf(support_read_file(b.out), "SigBlk: %llx SigIgn: %llx", &blocked, &ignored),
		2);
	assert_int_equal(blocked, 0);
	assert_int_equal(ignored & ~OWN_SIGNALS, 0);
	signal(SIGQUIT, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &some, NULL);
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

/* libuv reports this one: the keeper is a directory. */
static void test_keeper_not_executable(void **state)
{
	char *libexec = strdup(getenv("CPUTOP_LIBEXEC"));
	char dir[] = "/tmp/cptest-child-XXXXXX", keeper[64];
	struct bench b;
	struct err err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(keeper, sizeof(keeper), "%s/cputop-keeper", dir);
	assert_int_equal(mkdir(keeper, 0755), 0);
	bench_init(&b, "true");
	setenv("CPUTOP_LIBEXEC", dir, 1);
	assert_null(child_spawn(&b.loop, &b.spec, &err));
	assert_non_null(strstr(err.text, keeper));
	setenv("CPUTOP_LIBEXEC", libexec, 1);
	bench_release(&b);
	rmdir(keeper);
	rmdir(dir);
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
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_keeper_lets_go),
		cmocka_unit_test(test_signals_are_sane),
		cmocka_unit_test(test_find_program),
		cmocka_unit_test(test_find_user),
		cmocka_unit_test(test_spawn_failure),
		cmocka_unit_test(test_keeper_not_executable),
		/* needs root */
		cmocka_unit_test(test_privileges_dropped),
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);

	support_find_libexec();
	return _cmocka_run_group_tests("child", tests, geteuid() == 0 ? n : n - 1, NULL, NULL);
}
