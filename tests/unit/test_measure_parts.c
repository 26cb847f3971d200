/*
 * Parts and monitors on a real tree. The program plays a server itself: exec'd under the name
 * "postgres" it forks children that name themselves the way PostgreSQL's do.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "measure/measure.h"
#include "measure_help.h"
#include "sample_help.h"

#define PADDING \
	"a-long-argument-that-leaves-room-for-titles-of-a-hundred-characters-or-so-like-this"

static char **the_argv;
static int the_argc;

static void set_title(const char *title)
{
	char *end = the_argv[the_argc - 1] + strlen(the_argv[the_argc - 1]);
	size_t size = (size_t)(end - the_argv[0]);

	memset(the_argv[0], 0, size);
	snprintf(the_argv[0], size, "%s", title);
}

static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

/* Burns 60 ms for each SIGUSR1; names itself "NAME" first; ends at SIGTERM. */
static void be_child(const char *name)
{
	struct sigaction sa = {.sa_handler = on_signal};
	sigset_t mask, before;

	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_BLOCK, &mask, &before);
	sigaction(SIGUSR1, &sa, NULL);
	if (name)
		set_title(name);
	for (;;) {
		sigsuspend(&before);
		if (!name)
			set_title("postgres: late late [local] idle");
		for (; signals > 0; signals--)
			burn_ms(60);
	}
}

#define BACKEND    "postgres: app cputop 127.0.0.1(4001) idle"
#define MONITOR    "postgres: app cputop 127.0.0.1(4002) idle"
#define WEIRD      "postgres: pg_cron launcher"
#define HOSTILE    "postgres: \xe7\x1b[2J db [local] x"
#define POSTMASTER "postgres -D /data " PADDING

static int be_postmaster(void)
{
	prctl(PR_SET_NAME, "a) R 1 (");
	be_child("postgres: checkpointer ");
	be_child("postgres: walwriter ");
	be_child(BACKEND);
	be_child(MONITOR);
	be_child(WEIRD);
	be_child(HOSTILE);
	be_child(NULL);
	for (;;) {
		struct timespec t = {60, 0};

		while (waitpid(-1, NULL, 0) > 0)
			;
		nanosleep(&t, NULL);
	}
	return 0;
}

static void exec_server(void *arg)
{
	(void)arg;
	execl(own_path(), "postgres", "-D", "/data", PADDING, (char *)NULL);
	_exit(1);
}

static void check_parts(struct measure *m)
{
	struct sample s;

	read_sample(m, 0, &s);
	assert_int_equal(part_titled(&s, "postgres: checkpointer"), PART_CHECKPOINTER);
	assert_int_equal(part_titled(&s, "postgres: walwriter"), PART_WALWRITER);
	assert_int_equal(part_titled(&s, BACKEND), PART_BACKEND);
	assert_int_equal(part_titled(&s, MONITOR), PART_BACKEND);
	assert_int_equal(part_titled(&s, WEIRD), PART_OTHER);
	assert_int_equal(part_titled(&s, HOSTILE), PART_BACKEND);
	assert_int_equal(s.nrows, 8);
	assert_int_equal(s.roles[ROLE_DATABASE].total.processes, 8);
	sample_release(&s);
}

static void test_parts(void **state)
{
	uint64_t deadline = deadline_in(10000);
	struct part_row map;
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_DATABASE, exec_server, NULL);
	struct sample s;
	pid_t late = 0;

	(void)state;
	wait_for_title(m, "postgres: checkpointer");
	wait_for_title(m, "postgres: walwriter");
	wait_for_title(m, BACKEND);
	wait_for_title(m, MONITOR);
	wait_for_title(m, WEIRD);
	wait_for_title(m, HOSTILE);
	/* the postmaster and the child without a name, whatever order they came in */
	do {
		read_sample(m, 0, &s);
		late = s.nrows == 8 ? s.rows[7].pid : 0;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
	} while (!late);
	check_parts(m);
	assert_true(measure_wants_map(m));
	read_sample(m, 0, &s);
	map = (struct part_row){pid_titled(&s, WEIRD), 0, PART_AV_WORKER};
	sample_release(&s);
	measure_set_map(m, &map, 1);
	assert_false(measure_wants_map(m));
	read_sample(m, 0, &s);
	assert_int_equal(part_titled(&s, WEIRD), PART_AV_WORKER);
	sample_release(&s);
	measure_end(m, &k);
}

/* A child that has the postmaster's command line is looked at again until it has its own. */
static void test_late_name(void **state)
{
	uint64_t deadline = deadline_in(10000);
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_DATABASE, exec_server, NULL);
	struct sample s;
	pid_t late = 0;

	(void)state;
	wait_for_title(m, HOSTILE);
	while (!late) {
		unsigned same = 0;

		read_sample(m, 0, &s);
		for (size_t i = 0; i < s.nrows; i++) {
			if (s.rows[i].title && strcmp(s.rows[i].title, POSTMASTER) == 0 &&
			    s.rows[i].part != PART_POSTMASTER) {
				assert_int_equal(s.rows[i].part, PART_OTHER);
				late = s.rows[i].pid;
				same++;
			}
		}
		if (same != 1)
			late = 0;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
	}
	kill(late, SIGUSR1);
	wait_for_title(m, "postgres: late late [local] idle");
	read_sample(m, 0, &s);
	assert_int_equal(row_of(&s, late)->part, PART_BACKEND);
	sample_release(&s);
	measure_end(m, &k);
}

static int64_t burn_in(struct measure *m, pid_t pid, int64_t *total)
{
	uint64_t deadline = deadline_in(10000);
	int64_t begin_ns, now = 0;
	struct sample s;

	read_sample(m, 0, &s);
	begin_ns = row_of(&s, pid)->usage.cpu_ns.v;
	sample_release(&s);
	kill(pid, SIGUSR1);
	while (now - begin_ns < (int64_t)(58 * NS_PER_MS)) {
		poll_pause();
		read_sample(m, 0, &s);
		now = row_of(&s, pid)->usage.cpu_ns.v;
		*total = s.roles[ROLE_DATABASE].total.cpu_ns.v;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
	}
	return now - begin_ns;
}

/* What cputop's own connection uses is in its row and not in the total, also after its end. */
static void check_monitor(enum cpu_source cpu)
{
	int64_t slack = 25 * (int64_t)NS_PER_MS, before, total = 0;
	uint64_t deadline = deadline_in(10000);
	struct part_row map = {.part = PART_MONITOR};
	struct keeper k;
	struct measure *m = measure_begin(cpu, &k, ROLE_DATABASE, exec_server, NULL);
	struct sample s;
	bool gone = false;
	pid_t backend;

	wait_for_title(m, BACKEND);
	wait_for_title(m, MONITOR);
	wait_for_title(m, HOSTILE);
	read_sample(m, 0, &s);
	map.pid = map.tid = pid_titled(&s, MONITOR);
	backend = pid_titled(&s, BACKEND);
	sample_release(&s);
	burn_in(m, map.pid, &before);
	/* Until it is known as such it counts, and that stays. */
	measure_set_map(m, &map, 1);
	read_sample(m, 0, &s);
	assert_int_equal(row_of(&s, map.pid)->part, PART_MONITOR);
	assert_true(s.roles[ROLE_DATABASE].total.cpu_ns.v >= before);
	assert_true(s.roles[ROLE_DATABASE].total.cpu_ns.v < before + slack);
	sample_release(&s);
	burn_in(m, map.pid, &total);
	burn_in(m, map.pid, &total);
	assert_true(total < before + slack);
	burn_in(m, backend, &total);
	assert_true(total > before + (int64_t)(55 * NS_PER_MS));
	before = total;
	kill(map.pid, SIGKILL);
	while (!gone) {
		read_sample(m, 0, &s);
		gone = !has_row(&s, map.pid);
		total = s.roles[ROLE_DATABASE].total.cpu_ns.v;
		assert_true(total >= before && total < before + slack);
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	measure_end(m, &k);
}

static void test_monitor(void **state)
{
	(void)state;
	check_monitor(CPU_CLOCKS);
	check_monitor(CPU_AUTO);
}

/* What was read of a backend that ends stays the backends'. */
static void test_backend_ends(void **state)
{
	uint64_t deadline = deadline_in(10000);
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_DATABASE, exec_server, NULL);
	struct usage_diff d;
	struct sample a, b;
	int64_t burnt, total;
	pid_t backend;
	bool gone = false;

	(void)state;
	wait_for_title(m, BACKEND);
	wait_for_title(m, HOSTILE);
	read_sample(m, MEASURE_EDGE, &a);
	backend = pid_titled(&a, BACKEND);
	burnt = burn_in(m, backend, &total);
	kill(backend, SIGKILL);
	while (!gone) {
		assert_false(deadline_passed(deadline));
		poll_pause();
		read_sample(m, MEASURE_EDGE, &b);
		gone = !has_row(&b, backend);
		if (!gone)
			sample_release(&b);
	}
	sample_diff(&a, &b, &d);
	assert_true(d.parts[PART_BACKEND].cpu_ns.v >= burnt);
	assert_true(d.parts[PART_EXITED].cpu_ns.v < (int64_t)(25 * NS_PER_MS));
	assert_int_equal(d.parts[PART_BACKEND].read_bytes.v, 0);
	assert_int_equal(d.parts[PART_BACKEND].context_switches.state, VALUE_OK);
	sample_release(&a);
	sample_release(&b);
	measure_end(m, &k);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_late_name),
		cmocka_unit_test(test_monitor),
		cmocka_unit_test(test_backend_ends),
	};

	the_argc = argc;
	the_argv = argv;
	if (argc > 1 && strcmp(argv[0], "postgres") == 0)
		return be_postmaster();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
