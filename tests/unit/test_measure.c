/*
 * measure as a whole, on a fixture and on real trees. The program plays a server itself: exec'd
 * under the name "postgres" it forks children that name themselves the way PostgreSQL's do.
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

#define PADDING \
	"a-long-argument-that-leaves-room-for-titles-of-a-hundred-characters-or-so-like-this"

static struct measure *begin(enum cpu_source cpu, struct keeper *k, enum role role,
			     void (*program)(void *), void *arg)
{
	const struct measure_options options = {COUNTERS_AUTO, cpu, "/proc", "/sys"};
	struct err err = {0};
	struct measure *m = measure_new(&options, &err);

	assert_non_null(m);
	keeper_start(k, program, arg);
	if (measure_add_role(m, role, k->pid, &err) != 0)
		print_error("%s\n", err.text);
	assert_int_equal(err.code, 0);
	keeper_release(k);
	return m;
}

static void end(struct measure *m, struct keeper *k)
{
	keeper_end(k);
	measure_free(m);
}

static void read_sample(struct measure *m, unsigned flags, struct sample *s)
{
	struct err err = {0};

	assert_int_equal(measure_sample(m, flags, s, &err), 0);
	for (size_t i = 1; i < s->nrows; i++)
		assert_true(s->rows[i - 1].role < s->rows[i].role ||
			    s->rows[i - 1].pid < s->rows[i].pid);
}

static const struct proc_row *row_titled(const struct sample *s, const char *title)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (s->rows[i].title && strcmp(s->rows[i].title, title) == 0)
			return &s->rows[i];
	return NULL;
}

static const struct proc_row *row_of(const struct sample *s, pid_t pid)
{
	size_t i = 0;

	while (i < s->nrows && s->rows[i].pid != pid)
		i++;
	assert_true(i < s->nrows);
	return &s->rows[i];
}

static bool has_row(const struct sample *s, pid_t pid)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (s->rows[i].pid == pid)
			return true;
	return false;
}

static pid_t pid_titled(const struct sample *s, const char *title)
{
	const struct proc_row *row = row_titled(s, title);

	return row ? row->pid : -1;
}

static int part_titled(const struct sample *s, const char *title)
{
	const struct proc_row *row = row_titled(s, title);

	return row ? (int)row->part : -1;
}

/* Reads until a row with this title is there. */
static void wait_for_title(struct measure *m, const char *title)
{
	uint64_t deadline = deadline_in(10000);
	bool found = false;

	while (!found) {
		struct sample s;

		read_sample(m, 0, &s);
		found = row_titled(&s, title) != NULL;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

/* ---- the server ---- */

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
	execl("/proc/self/exe", "postgres", "-D", "/data", PADDING, (char *)NULL);
	_exit(1);
}

/* ---- tests ---- */

static void test_fixture(void **state)
{
	const char *srcdir = getenv("srcdir");
	char proc[512];
	const struct measure_options options = {COUNTERS_NONE, CPU_CLOCKS, proc, "/nonexistent"};
	struct err err = {0};
	struct measure *m;
	struct sample s;
	struct part_row map = {104, 104, PART_AV_WORKER};

	(void)state;
	snprintf(proc, sizeof(proc), "%.400s/tests/fixtures/proc", srcdir ? srcdir : ".");
	m = measure_new(&options, &err);
	assert_non_null(m);
	assert_int_equal(measure_add_role(m, ROLE_DATABASE, 100, &err), 0);
	read_sample(m, MEASURE_EDGE, &s);
	assert_true(s.roles[ROLE_DATABASE].present);
	assert_false(s.roles[ROLE_WORKER].present);
	assert_int_equal(s.nrows, 4);
	assert_int_equal(s.rows[0].pid, 90);
	assert_int_equal(s.rows[0].part, PART_BACKEND);
	assert_int_equal(s.rows[1].part, PART_POSTMASTER);
	assert_int_equal(s.rows[2].part, PART_WALWRITER);
	assert_string_equal(s.rows[2].comm, "a) R 1 (");
	assert_string_equal(s.rows[2].title, "postgres: walwriter");
	assert_int_equal(s.rows[3].part, PART_OTHER);
	assert_false(measure_wants_map(m));
	/* four clocks, five ledgers; io without what the keeper had before */
	assert_int_equal(s.roles[ROLE_DATABASE].total.cpu_ns.v,
			 (4 * 175 + 5 * 345) * (int64_t)(NS_PER_S / 100));
	assert_int_equal(s.roles[ROLE_DATABASE].total.processes, 4);
	assert_int_equal(s.roles[ROLE_DATABASE].total.read_bytes.v, (90 + 101 + 103 + 104) * 4096);
	assert_int_equal(s.roles[ROLE_DATABASE].total.written_bytes.v, 4 * 4096);
	/* three threads of 101 have the same file */
	assert_int_equal(s.rows[1].usage.context_switches.v, 3 * 102);
	assert_int_equal(s.roles[ROLE_DATABASE].total.context_switches.state, VALUE_AT_LEAST);
	assert_int_equal(s.roles[ROLE_DATABASE].total.context_switches.v, 91 + 3 * 102 + 104 + 105);
	assert_int_equal(s.roles[ROLE_DATABASE].total.instructions.state, VALUE_NONE);
	sample_release(&s);
	measure_set_map(m, &map, 1);
	read_sample(m, 0, &s);
	assert_int_equal(s.rows[3].part, PART_AV_WORKER);
	assert_int_equal(s.roles[ROLE_DATABASE].total.context_switches.state, VALUE_NONE);
	assert_int_equal(s.roles[ROLE_DATABASE].total.read_bytes.state, VALUE_NONE);
	sample_release(&s);
	measure_free(m);
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
	struct measure *m = begin(CPU_CLOCKS, &k, ROLE_DATABASE, exec_server, NULL);
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
	end(m, &k);
}

/* A child that has the postmaster's command line is looked at again until it has its own. */
static void test_late_name(void **state)
{
	uint64_t deadline = deadline_in(10000);
	struct keeper k;
	struct measure *m = begin(CPU_CLOCKS, &k, ROLE_DATABASE, exec_server, NULL);
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
	end(m, &k);
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
	struct measure *m = begin(cpu, &k, ROLE_DATABASE, exec_server, NULL);
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
	end(m, &k);
}

static void test_monitor(void **state)
{
	(void)state;
	check_monitor(CPU_CLOCKS);
	check_monitor(CPU_AUTO);
}

static void writer(void *arg)
{
	(void)arg;
	burn_ms(20);
	for (int i = 0; i < 5; i++)
		poll_pause();
	for (;;)
		pause();
}

static void exec_writer(void *arg)
{
	(void)arg;
	execl("/proc/self/exe", "writer", "x", (char *)NULL);
	_exit(1);
}

static void check_edges(void (*program)(void *))
{
	uint64_t deadline = deadline_in(10000);
	struct keeper k;
	struct measure *m = begin(CPU_AUTO, &k, ROLE_WORKER, program, NULL);
	const struct usage *u;
	bool seen = false;
	struct sample s;

	while (!seen) {
		read_sample(m, MEASURE_EDGE, &s);
		u = &s.roles[ROLE_WORKER].total;
		seen = s.nrows == 1 && u->context_switches.v >= 5 &&
		       u->cpu_ns.v >= (int64_t)(20 * NS_PER_MS);
		if (seen) {
			assert_true(value_known(u->context_switches));
			assert_int_equal(u->read_bytes.state, VALUE_OK);
			assert_int_equal(u->written_bytes.state, VALUE_OK);
			assert_int_equal(s.rows[0].part, PART_NONE);
			assert_int_equal(s.rows[0].role, ROLE_WORKER);
			assert_true(value_known(s.rows[0].usage.context_switches));
			assert_true(s.cputop.cpu_ns.v > 0);
			assert_int_equal(s.cputop.processes, 2);
			assert_true(s.taken_ns <= clock_now_ns());
			assert_true(s.cost_ns > 0);
		}
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	read_sample(m, 0, &s);
	assert_int_equal(s.roles[ROLE_WORKER].total.context_switches.state, VALUE_NONE);
	assert_int_equal(s.roles[ROLE_WORKER].total.read_bytes.state, VALUE_NONE);
	sample_release(&s);
	end(m, &k);
}

static void test_edges(void **state)
{
	(void)state;
	/* Counted by status files, as nothing is exec'd; and by perf, where this user may. */
	check_edges(writer);
	check_edges(exec_writer);
}

static void unreaped(void *arg)
{
	(void)arg;
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < 3; i++)
		fork_burner(80);
	for (;;)
		pause();
}

/* Children that nobody reaps: a cgroup has them, clocks flag what they saw of them. */
static void check_gap(enum cpu_source cpu)
{
	uint64_t deadline = deadline_in(10000);
	struct keeper k;
	struct measure *m = begin(cpu, &k, ROLE_WORKER, unreaped, NULL);
	bool all = false, gap = false;
	int64_t total = 0;
	struct sample s;

	while (!gap || !all) {
		read_sample(m, 0, &s);
		gap = s.gap;
		total = s.roles[ROLE_WORKER].total.cpu_ns.v;
		all = s.nrows == 1;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	if (measure_counters(m)->cpu_source == CPU_CGROUP)
		assert_true(total >= (int64_t)(239 * NS_PER_MS));
	else
		assert_true(total >= (int64_t)(150 * NS_PER_MS));
	/* The flag is about the time since the last edge. */
	read_sample(m, MEASURE_EDGE, &s);
	assert_true(s.gap);
	sample_release(&s);
	read_sample(m, MEASURE_EDGE, &s);
	assert_false(s.gap);
	sample_release(&s);
	end(m, &k);
}

static void unreaped_unseen(void *arg)
{
	(void)arg;
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < 20; i++)
		fork_burner(5);
	while (wait(NULL) > 0)
		;
}

/* Nobody looked while they lived: only a cgroup knows of them, and of the difference. */
static void test_unseen_gap(void **state)
{
	struct keeper k;
	struct measure *m = begin(CPU_AUTO, &k, ROLE_WORKER, unreaped_unseen, NULL);
	struct sample s;

	(void)state;
	keeper_wait(&k);
	read_sample(m, MEASURE_EDGE, &s);
	if (measure_counters(m)->cpu_source == CPU_CGROUP) {
		assert_true(s.roles[ROLE_WORKER].total.cpu_ns.v >= (int64_t)(100 * NS_PER_MS));
		assert_true(s.gap);
	}
	sample_release(&s);
	end(m, &k);
}

static void test_gap(void **state)
{
	(void)state;
	check_gap(CPU_CLOCKS);
	check_gap(CPU_AUTO);
}

static void many_children(void *arg)
{
	(void)arg;
	for (int i = 0; i < 60; i++)
		waitpid(fork_burner(3), NULL, 0);
}

/* Reaped children never are a gap, and both sources say the same. */
static void check_no_gap(enum cpu_source cpu)
{
	struct keeper k;
	struct measure *m = begin(cpu, &k, ROLE_WORKER, many_children, NULL);
	uint64_t deadline = deadline_in(10000), truth;
	bool done = false;
	int64_t total = 0;
	struct sample s;

	while (!done) {
		read_sample(m, 0, &s);
		assert_false(s.gap);
		total = s.roles[ROLE_WORKER].total.cpu_ns.v;
		done = s.nrows == 0 && total > 0;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	truth = keeper_wait(&k);
	read_sample(m, 0, &s);
	total = s.roles[ROLE_WORKER].total.cpu_ns.v;
	sample_release(&s);
	assert_true((uint64_t)total < truth + truth / 50 + 20 * NS_PER_MS);
	assert_true((uint64_t)total + truth / 50 + 20 * NS_PER_MS > truth);
	end(m, &k);
}

static void test_no_gap(void **state)
{
	(void)state;
	check_no_gap(CPU_CLOCKS);
	check_no_gap(CPU_AUTO);
}

static void sleeper(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

/* A keeper that went is an error, its role is absent, the others are read. */
static void test_keeper_gone(void **state)
{
	struct keeper k, other;
	struct measure *m = begin(CPU_AUTO, &k, ROLE_WORKER, sleeper, NULL);
	struct err err = {0};
	struct sample s;
	int64_t own;

	(void)state;
	keeper_start(&other, sleeper, NULL);
	assert_int_equal(measure_add_role(m, ROLE_PRODUCER, other.pid, &err), 0);
	read_sample(m, 0, &s);
	assert_true(s.roles[ROLE_WORKER].present && s.roles[ROLE_PRODUCER].present);
	own = s.cputop.cpu_ns.v;
	sample_release(&s);
	keeper_end(&k);
	assert_int_equal(measure_sample(m, 0, &s, &err), -ESRCH);
	assert_non_null(strstr(err.text, "worker"));
	assert_false(s.roles[ROLE_WORKER].present);
	assert_true(s.roles[ROLE_PRODUCER].present);
	sample_release(&s);
	measure_remove_role(m, ROLE_WORKER);
	measure_remove_role(m, ROLE_WORKER);
	read_sample(m, 0, &s);
	assert_false(s.roles[ROLE_WORKER].present);
	assert_true(s.cputop.cpu_ns.v >= own);
	sample_release(&s);
	assert_true(measure_add_role(m, ROLE_WORKER, k.pid, &err) < 0);
	read_sample(m, 0, &s);
	assert_false(s.roles[ROLE_WORKER].present);
	sample_release(&s);
	end(m, &other);
}

static void test_asked_in_vain(void **state)
{
	char *dir = make_dir();
	struct measure_options options = {COUNTERS_NONE, CPU_CGROUP, dir, dir};
	const struct counters_info *info;
	struct err err = {0};
	struct measure *m;

	(void)state;
	assert_null(measure_new(&options, &err));
	assert_non_null(strstr(err.text, "cgroup"));
	options.cpu = CPU_AUTO;
	m = measure_new(&options, &err);
	assert_non_null(m);
	info = measure_counters(m);
	assert_int_equal(info->cpu_source, CPU_CLOCKS);
	assert_true(info->cpu_reason[0] != '\0');
	assert_int_equal(info->source, COUNTERS_NONE);
	assert_non_null(strstr(info->instructions.reason, "--counters none"));
	measure_free(m);
	options = (struct measure_options){COUNTERS_PERF, CPU_CLOCKS, "/proc", "/sys"};
	m = measure_new(&options, &err);
	if (m)
		assert_int_equal(measure_counters(m)->source, COUNTERS_PERF);
	else
		assert_non_null(strstr(err.text, "--counters perf: "));
	measure_free(m);
	measure_free(NULL);
	remove_dir(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture),     cmocka_unit_test(test_parts),
		cmocka_unit_test(test_late_name),   cmocka_unit_test(test_monitor),
		cmocka_unit_test(test_edges),       cmocka_unit_test(test_gap),
		cmocka_unit_test(test_unseen_gap),  cmocka_unit_test(test_no_gap),
		cmocka_unit_test(test_keeper_gone), cmocka_unit_test(test_asked_in_vain),
	};

	the_argc = argc;
	the_argv = argv;
	if (argc > 1 && strcmp(argv[0], "postgres") == 0)
		return be_postmaster();
	if (argc > 1 && strcmp(argv[0], "writer") == 0)
		writer(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
