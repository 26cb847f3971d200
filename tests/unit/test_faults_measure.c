/*
 * What other tools got wrong, tried on measure with real processes: files that may not be read,
 * programs for which the kernel drops counters, processes that leave their cgroup, late titles,
 * zombies. The test execs itself to play the programs.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_MALLINFO2
#include <malloc.h>
#endif

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "measure/cgroup.h"
#include "measure/measure.h"
#include "measure/procfs.h"
#include "measure_help.h"
#include "sample_help.h"

#define NOBODY 65534
#define SLEEPS 200

static char **the_argv;
static int the_argc;

/* Reads, as at the edge of a window, until so much CPU time was used. */
static void read_until_burnt(struct measure *m, enum role role, unsigned ms, struct sample *s)
{
	uint64_t deadline = deadline_in(20000);

	for (;;) {
		read_sample(m, MEASURE_EDGE, s);
		if (total_of(s, role)->cpu_ns.v >= (int64_t)(ms * NS_PER_MS))
			return;
		sample_release(s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

/* On one processor, and not on the first: nothing may look at CPU 0 only. */
static void pinned(void *arg)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	(void)arg;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpus - 1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	execl("/proc/self/exe", "sleeper", "x", (char *)NULL);
	_exit(1);
}

static void test_pinned_to_the_last_processor(void **state)
{
	struct keeper k;
	struct measure *m = measure_begin(CPU_AUTO, &k, ROLE_WORKER, pinned, NULL);
	struct sample s;

	(void)state;
	read_until_burnt(m, ROLE_WORKER, 150, &s);
	assert_true(total_of(&s, ROLE_WORKER)->context_switches.v >= SLEEPS);
	sample_release(&s);
	measure_end(m, &k);
}

/* ---- what may not be read or counted ---- */

static void hide(void *arg)
{
	prctl(PR_SET_DUMPABLE, 0);
	burn_ms(20);
	atomic_store((_Atomic unsigned *)arg, 1);
	wait_for_ever();
}

/* As an ordinary user: a process whose io file is closed to us has no bytes, not none. */
static int check_hidden(void *page)
{
	struct keeper k;
	struct measure *m;
	struct sample s;
	uint64_t deadline = deadline_in(10000);
	int bad;

	if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
		return 1;
	prctl(PR_SET_DUMPABLE, 1); /* lost with the user */
	m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, hide, page);
	while (!atomic_load((_Atomic unsigned *)page) && !deadline_passed(deadline))
		poll_pause();
	read_sample(m, MEASURE_EDGE, &s);
	bad = s.nrows != 1;
	bad |= (s.rows[0].usage.read_bytes.state != VALUE_UNREADABLE) << 1;
	bad |= (total_of(&s, ROLE_WORKER)->written_bytes.state != VALUE_UNREADABLE) << 2;
	bad |= !value_known(s.rows[0].usage.context_switches) << 3;
	bad |= (total_of(&s, ROLE_WORKER)->cpu_ns.v < (int64_t)(15 * NS_PER_MS)) << 4;
	sample_release(&s);
	measure_end(m, &k);
	return bad;
}

static void test_unreadable_io(void **state)
{
	void *page = shared_page();
	int status = -1;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(check_hidden(page));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	munmap(page, 4096);
}

static char copy_path[600];

static void exec_copy(void *arg)
{
	(void)arg;
	if (setgid(NOBODY) || setuid(NOBODY))
		_exit(1);
	execl(copy_path, "sleeper", "x", (char *)NULL);
	_exit(1);
}

static void copy_self(const char *dir, mode_t mode)
{
	char block[65536];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;
	ssize_t n;

	chmod(dir, 0755);
	snprintf(copy_path, sizeof(copy_path), "%.500s/copy-%o", dir, (unsigned)mode);
	to = open(copy_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	assert_true(from >= 0 && to >= 0);
	while ((n = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(to, block, (size_t)n), n);
	assert_int_equal(fchmod(to, mode), 0);
	close(from);
	close(to);
}

/* The kernel drops the counters at these execs, without a word: what was counted until then is not
 * taken for the whole. */
static void test_dropped_counters(void **state)
{
	static const mode_t modes[] = {0755, 0711, 04755};
	char *dir;

	(void)state;
	if (geteuid() != 0) {
		/* cmocka's own skip reads as a failure in TAP */
		print_message("# left out: only root can make programs that drop counters\n");
		return;
	}
	dir = make_dir();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct keeper k;
		struct measure *m;
		struct sample s;

		copy_self(dir, modes[i]);
		m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, exec_copy, NULL);
		read_until_burnt(m, ROLE_WORKER, 150, &s);
		assert_true(total_of(&s, ROLE_WORKER)->context_switches.v >= SLEEPS);
		sample_release(&s);
		measure_end(m, &k);
	}
	remove_dir(dir);
}

static void burn_on(void *arg)
{
	(void)arg;
	for (;;)
		burn_ms(10);
}

/* Out of their cgroup they are counted nowhere: no figure, instead of one that is too small. */
static void test_left_cgroup(void **state)
{
	char base[CGROUP_PATH_MAX], path[CGROUP_PATH_MAX + 32], text[16];
	uint64_t deadline = deadline_in(20000);
	struct value cpu = value_of(0);
	struct keeper k;
	struct measure *m = measure_begin(CPU_AUTO, &k, ROLE_WORKER, burn_on, NULL);
	struct sample s;
	int fd, n;

	(void)state;
	if (measure_counters(m)->cpu_source != CPU_CGROUP) {
		measure_end(m, &k);
		return;
	}
	read_until_burnt(m, ROLE_WORKER, 50, &s);
	assert_int_equal(total_of(&s, ROLE_WORKER)->cpu_ns.state, VALUE_OK);
	assert_int_equal(cgroup_base(base, "/proc", NULL), 0);
	snprintf(path, sizeof(path), "%s/cgroup.procs", base);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	n = snprintf(text, sizeof(text), "%d", (int)s.rows[0].pid);
	assert_int_equal(write(fd, text, (size_t)n), n);
	close(fd);
	sample_release(&s);
	while (cpu.state == VALUE_OK) {
		read_sample(m, 0, &s);
		cpu = total_of(&s, ROLE_WORKER)->cpu_ns;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	assert_int_equal(cpu.state, VALUE_UNREADABLE);
	/* It stays so, also over the edges of windows. */
	for (int i = 0; i < 3; i++) {
		read_sample(m, MEASURE_EDGE, &s);
		assert_int_equal(total_of(&s, ROLE_WORKER)->cpu_ns.state, VALUE_UNREADABLE);
		sample_release(&s);
	}
	measure_end(m, &k);
}

/* ---- titles and ends ---- */

#define LATE_TITLE "a: b/c@pts/0"

static void exec_late(void *arg)
{
	(void)arg;
	execl("/proc/self/exe", "late", "x-argument-that-leaves-room-for-a-title", (char *)NULL);
	_exit(1);
}

static int be_late(void)
{
	char *end = the_argv[the_argc - 1] + strlen(the_argv[the_argc - 1]);
	size_t size = (size_t)(end - the_argv[0]);

	usleep(50000);
	memset(the_argv[0], 0, size);
	snprintf(the_argv[0], size, "%s", LATE_TITLE);
	wait_for_ever();
	return 0;
}

/* A program that names itself when it has been seen already; the name is taken whole. */
static void test_late_title(void **state)
{
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, exec_late, NULL);

	(void)state;
	wait_for_title(m, "late x-argument-that-leaves-room-for-a-title");
	wait_for_title(m, LATE_TITLE);
	measure_end(m, &k);
}

static void leave_zombie(void *arg)
{
	(void)arg;
	fork_burner(30);
	wait_for_ever();
}

/* A zombie is a row with what it has used, but no process that runs; its empty command line does
 * not take its title away. And nobody's children are reaped by looking. */
static void test_zombies(void **state)
{
	uint64_t deadline = deadline_in(10000);
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, leave_zombie, NULL);
	bool zombie = false;
	int status = 0;
	pid_t own = fork();

	(void)state;
	if (own == 0)
		_exit(7);
	while (!zombie) {
		struct sample s;

		read_sample(m, MEASURE_EDGE | MEASURE_TITLES, &s);
		for (size_t i = 0; i < s.nrows; i++) {
			if (s.rows[i].usage.processes)
				continue;
			zombie = true;
			assert_true(s.rows[i].usage.cpu_ns.v >= (int64_t)(29 * NS_PER_MS));
			assert_int_equal(total_of(&s, ROLE_WORKER)->processes, s.nrows - 1);
			assert_non_null(s.rows[i].title);
		}
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	assert_int_equal(waitpid(own, &status, 0), own);
	assert_int_equal(WEXITSTATUS(status), 7);
	measure_end(m, &k);
}

#ifdef HAVE_MALLINFO2
static void fork_and_reap(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned n = 0;; n++) {
		if (fork() == 0) {
			sleep_often(4);
			_exit(0);
		}
		if (n >= 4)
			wait(arg);
	}
}

/* Reads until so many processes were seen. */
static void see(struct measure *m, struct sample *last, unsigned processes)
{
	uint64_t deadline = deadline_in(60000);

	for (unsigned seen = 0; seen < processes;) {
		struct sample s;
		size_t ia = 0;

		read_sample(m, MEASURE_EDGE, &s);
		for (size_t i = 0; i < s.nrows; i++)
			seen += !sample_row_before(last, &ia, &s.rows[i]);
		sample_release(last);
		*last = s;
		assert_false(deadline_passed(deadline));
	}
}

/* Of a process that has ended nothing stays in memory. (Under a sanitizer or Valgrind the figures
 * are all 0.) */
static void test_nothing_is_kept(void **state)
{
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, fork_and_reap, NULL);
	struct sample s = {0};
	size_t before, after;

	(void)state;
	see(m, &s, 200);
	before = mallinfo2().uordblks;
	see(m, &s, 1000);
	after = mallinfo2().uordblks;
	/* Some more, or fewer, may be alive; 1000 of the smallest pieces would be 32000. */
	assert_true(after < before + 16000);
	sample_release(&s);
	measure_end(m, &k);
}
#endif

static int be_sleeper(void)
{
	sleep_often(SLEEPS);
	burn_ms(160);
	wait_for_ever();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pinned_to_the_last_processor),
		cmocka_unit_test(test_unreadable_io),
		cmocka_unit_test(test_dropped_counters),
		cmocka_unit_test(test_left_cgroup),
		cmocka_unit_test(test_late_title),
		cmocka_unit_test(test_zombies),
#ifdef HAVE_MALLINFO2
		cmocka_unit_test(test_nothing_is_kept),
#endif
	};

	the_argc = argc;
	the_argv = argv;
	if (argc > 1 && strcmp(argv[0], "sleeper") == 0)
		return be_sleeper();
	if (argc > 1 && strcmp(argv[0], "late") == 0)
		return be_late();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
