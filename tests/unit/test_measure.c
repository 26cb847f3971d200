/* measure as a whole, on a fixture and on real trees. */
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

static void test_fixture(void **state)
{
	const char *srcdir = getenv("srcdir");
	char proc[512];
	const struct measure_options options = {
		COUNTERS_NONE, CPU_CLOCKS, proc, "/nonexistent", {0}};
	struct err err = {0};
	struct measure *m;
	struct sample s;
	struct part_row map = {104, 104, PART_AV_WORKER};

	(void)state;
	snprintf(proc, sizeof(proc), "%.400s/tests/unit/fixtures/proc", srcdir ? srcdir : ".");
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
	execl(own_path(), "writer", "x", (char *)NULL);
	_exit(1);
}

static void check_edges(void (*program)(void *))
{
	uint64_t deadline = deadline_in(10000);
	struct keeper k;
	struct measure *m = measure_begin(CPU_AUTO, &k, ROLE_WORKER, program, NULL);
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
	measure_end(m, &k);
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
	struct measure *m = measure_begin(cpu, &k, ROLE_WORKER, unreaped, NULL);
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
	measure_end(m, &k);
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
	struct measure *m = measure_begin(CPU_AUTO, &k, ROLE_WORKER, unreaped_unseen, NULL);
	struct sample s;

	(void)state;
	keeper_wait(&k);
	read_sample(m, MEASURE_EDGE, &s);
	if (measure_counters(m)->cpu_source == CPU_CGROUP) {
		assert_true(s.roles[ROLE_WORKER].total.cpu_ns.v >= (int64_t)(100 * NS_PER_MS));
		assert_true(s.gap);
	}
	sample_release(&s);
	measure_end(m, &k);
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
	struct measure *m = measure_begin(cpu, &k, ROLE_WORKER, many_children, NULL);
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
	measure_end(m, &k);
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
	struct measure *m = measure_begin(CPU_AUTO, &k, ROLE_WORKER, sleeper, NULL);
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
	measure_end(m, &other);
}

static void test_asked_in_vain(void **state)
{
	char *dir = make_dir();
	struct measure_options options = {COUNTERS_NONE, CPU_CGROUP, dir, dir, {0}};
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
	options = (struct measure_options){COUNTERS_PERF, CPU_CLOCKS, "/proc", "/sys", {0}};
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
		cmocka_unit_test(test_fixture),       cmocka_unit_test(test_edges),
		cmocka_unit_test(test_gap),           cmocka_unit_test(test_unseen_gap),
		cmocka_unit_test(test_no_gap),        cmocka_unit_test(test_keeper_gone),
		cmocka_unit_test(test_asked_in_vain),
	};

	if (argc > 1 && strcmp(argv[0], "writer") == 0)
		writer(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
