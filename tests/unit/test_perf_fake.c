/*
 * The perf source with counters that are made up: what it makes of PMUs that refuse, that count
 * nonsense, and of several of them. The linker puts these in the place of perf_event.c.
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/err.h"
#include "measure/counters.h"
#include "measure/measure.h"
#include "measure/perf_event.h"
#include "measure/perf_loop.h"
#include "measure/perf_pmu.h"
#include "measure_help.h"
#include "sample_help.h"

#define PMUS 2

/* One PMU: what each reading adds. */
struct fake {
	uint64_t upper; /* of its events' config, or their type: 0 is any */
	int error[PERF_PAIR];
	int error_kernel; /* when the kernel is to be counted as well */
	uint64_t adds[PERF_PAIR];
	uint64_t enabled_ns, running_ns;
	uint64_t value[PERF_PAIR], enabled, running;
};

static struct fake fakes[PMUS];
static unsigned opened, closed;

int __wrap_perf_pair_open(struct perf_pair *p, const struct perf_event_spec spec[PERF_PAIR],
			  const bool wanted[PERF_PAIR], pid_t pid, const struct perf_mode *mode);
void __wrap_perf_pair_read(const struct perf_pair *p, struct perf_raw out[PERF_PAIR]);
void __wrap_perf_pair_close(struct perf_pair *p);

static int fake_of(const struct perf_event_spec *spec)
{
	for (int i = 0; i < PMUS; i++)
		if (fakes[i].upper &&
		    (fakes[i].upper == spec->config >> 32 || fakes[i].upper == spec->type))
			return i;
	return 0;
}

int __wrap_perf_pair_open(struct perf_pair *p, const struct perf_event_spec spec[PERF_PAIR],
			  const bool wanted[PERF_PAIR], pid_t pid, const struct perf_mode *mode)
{
	int i = fake_of(spec), n = 0;

	(void)pid;
	*p = (struct perf_pair){.fd = {-1, -1}};
	for (int e = 0; e < PERF_PAIR; e++) {
		p->error[e] = !wanted[e] ? -ENOENT : fakes[i].error[e];
		if (wanted[e] && fakes[i].error_kernel && !mode->user_only)
			p->error[e] = fakes[i].error_kernel;
		if (p->error[e] == 0)
			p->fd[e] = i;
		n += p->error[e] == 0;
	}
	opened += n > 0;
	return n;
}

void __wrap_perf_pair_read(const struct perf_pair *p, struct perf_raw out[PERF_PAIR])
{
	struct fake *f = &fakes[p->fd[0] >= 0 ? p->fd[0] : p->fd[1]];

	f->enabled += f->enabled_ns;
	f->running += f->running_ns;
	for (int e = 0; e < PERF_PAIR; e++) {
		f->value[e] += f->adds[e];
		out[e] = (struct perf_raw){p->fd[e] >= 0, f->value[e], f->enabled, f->running};
	}
}

void __wrap_perf_pair_close(struct perf_pair *p)
{
	closed += p->fd[0] >= 0 || p->fd[1] >= 0;
	p->fd[0] = p->fd[1] = -1;
}

/* A PMU that counts the loop rightly, and its only one. */
static int setup(void **state)
{
	(void)state;
	memset(fakes, 0, sizeof(fakes));
	opened = closed = 0;
	fakes[0] = (struct fake){
		.adds = {2 * PERF_LOOP_TURNS + 300, PERF_LOOP_TURNS},
		.enabled_ns = 1000000,
		.running_ns = 1000000,
	};
	return 0;
}

struct source {
	char *sys;
	struct counters *c;
	struct counters_info info;
	struct err err;
};

static void source_open(struct source *s)
{
	struct counter_roots roots = {.proc = "/proc"};

	roots.sys = s->sys;
	memset(&s->info, 0, sizeof(s->info));
	err_clear(&s->err);
	s->c = counters_perf.open(&roots, &s->info, &s->err);
}

static void source_close(struct source *s)
{
	if (s->c)
		counters_perf.close(s->c);
	remove_dir(s->sys);
	assert_int_equal(opened, closed);
}

static void test_good(void **state)
{
	struct source s = {.sys = make_dir()};

	(void)state;
	source_open(&s);
	assert_non_null(s.c);
	assert_true(s.info.instructions.available && s.info.cycles.available && s.info.parts);
	assert_false(s.info.user_only);
	source_close(&s);
}

/* A virtual machine that shows 395 instructions for anything. */
static void test_nonsense(void **state)
{
	static const uint64_t nonsense[] = {0, 395, PERF_LOOP_TURNS / 100, UINT64_MAX / 4};

	(void)state;
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		struct source s = {.sys = make_dir()};

		setup(NULL);
		fakes[0].adds[PERF_INSTRUCTIONS] = nonsense[i];
		source_open(&s);
		assert_non_null(s.c);
		assert_false(s.info.instructions.available);
		assert_non_null(strstr(s.info.instructions.reason, "known length"));
		assert_true(s.info.cycles.available);
		source_close(&s);
		setup(NULL);
		s.sys = make_dir();
		fakes[0].adds[PERF_INSTRUCTIONS] = fakes[0].adds[PERF_CYCLES] = nonsense[i];
		source_open(&s);
		assert_null(s.c);
		assert_false(s.info.instructions.available || s.info.cycles.available);
		assert_false(s.info.parts);
		assert_non_null(strstr(s.err.text, "known length"));
		source_close(&s);
	}
}

/* The wrong one is not read either. */
static void test_nonsense_is_not_used(void **state)
{
	struct source s = {.sys = make_dir()};
	struct counter_reading r;
	struct counter_set *set;

	(void)state;
	fakes[0].adds[PERF_INSTRUCTIONS] = 395;
	source_open(&s);
	set = counters_perf.set_open(s.c, 1, true, &s.err);
	assert_non_null(set);
	counters_perf.set_read(set, true, &r);
	assert_int_equal(r.instructions.state, VALUE_NONE);
	assert_int_equal(r.cycles.state, VALUE_OK);
	counters_perf.set_close(set);
	source_close(&s);
}

static void test_one_missing(void **state)
{
	struct source s = {.sys = make_dir()};

	(void)state;
	fakes[0].error[PERF_INSTRUCTIONS] = -ENOENT;
	source_open(&s);
	assert_non_null(s.c);
	assert_false(s.info.instructions.available);
	assert_true(s.info.instructions.reason[0] != '\0');
	assert_true(s.info.cycles.available);
	assert_string_equal(s.info.cycles.reason, "");
	source_close(&s);
}

static void test_user_only(void **state)
{
	struct source s = {.sys = make_dir()};

	(void)state;
	fakes[0].error_kernel = -EACCES;
	source_open(&s);
	assert_non_null(s.c);
	assert_true(s.info.user_only);
	assert_true(s.info.instructions.available && s.info.cycles.available);
	assert_string_equal(s.info.instructions.reason, "");
	source_close(&s);
}

static void test_all_taken(void **state)
{
	struct source s = {.sys = make_dir()};

	(void)state;
	fakes[0].running_ns = 0;
	source_open(&s);
	assert_null(s.c);
	assert_non_null(strstr(s.err.text, "taken by others"));
	source_close(&s);
}

/* 70 % of the time on one cluster and 30 % on the other, where the clock is lower: each by its own
 * counter, and no one's share is made into a whole. */
static void run_on_two(struct source *s, uint64_t first, uint64_t second)
{
	struct counter_reading a, b;
	struct counter_set *set;

	fakes[0] = (struct fake){first, .adds = {14000000, 7000000}, .enabled_ns = 1000};
	fakes[1] = (struct fake){second, .adds = {6000000, 1500000}, .enabled_ns = 1000};
	fakes[0].running_ns = 700;
	fakes[1].running_ns = 300;
	source_open(s);
	assert_non_null(s->c);
	assert_true(s->info.instructions.available && s->info.cycles.available);
	set = counters_perf.set_open(s->c, 1, true, &s->err);
	assert_non_null(set);
	counters_perf.set_read(set, true, &a);
	counters_perf.set_read(set, true, &b);
	assert_int_equal(b.instructions.state, VALUE_OK);
	assert_int_equal(b.instructions.v - a.instructions.v, 20000000);
	assert_int_equal(b.cycles.v - a.cycles.v, 8500000);
	assert_false(b.multiplexed);
	assert_true(b.coverage > 0.999);
	/* Both shares are cut by others: by the sum of the times, once. */
	fakes[0].running_ns = 679;
	fakes[1].running_ns = 291;
	counters_perf.set_read(set, true, &a);
	assert_int_equal(a.instructions.state, VALUE_SCALED);
	assert_int_equal(a.instructions.v - b.instructions.v, INT64_C(20000000) * 1000 / 970);
	assert_true(a.multiplexed);
	counters_perf.set_close(set);
	source_close(s);
}

static void test_hybrid(void **state)
{
	struct source s = {.sys = make_dir()};

	(void)state;
	put_file(s.sys, "devices/cpu_core/type", "4\n");
	put_file(s.sys, "devices/cpu_core/cpus", "0-7\n");
	put_file(s.sys, "devices/cpu_atom/type", "10\n");
	put_file(s.sys, "devices/cpu_atom/cpus", "8-15\n");
	run_on_two(&s, 4, 10);
}

static void test_two_clusters(void **state)
{
	struct source s = {.sys = make_dir()};

	(void)state;
	put_file(s.sys, "bus/event_source/devices/armv8_cortex_a53/type", "8\n");
	put_file(s.sys, "bus/event_source/devices/armv8_cortex_a53/cpus", "0-3\n");
	put_file(s.sys, "bus/event_source/devices/armv8_cortex_a72/type", "9\n");
	put_file(s.sys, "bus/event_source/devices/armv8_cortex_a72/cpus", "4-5\n");
	run_on_two(&s, 8, 9);
}

/* One of two PMUs that cannot be opened would leave out what runs there. */
static void test_half_a_hybrid(void **state)
{
	struct source s = {.sys = make_dir()};

	(void)state;
	put_file(s.sys, "devices/cpu_core/type", "4\n");
	put_file(s.sys, "devices/cpu_atom/type", "10\n");
	fakes[0].upper = 4;
	fakes[1] = (struct fake){10, .error = {-ENOENT, -ENOENT}};
	source_open(&s);
	assert_null(s.c);
	assert_false(s.info.instructions.available || s.info.cycles.available);
	source_close(&s);
}

static void put_proc(const char *proc, pid_t pid, pid_t parent, const char *children, char state)
{
	char name[64], text[256];

	snprintf(name, sizeof(name), "%d/stat", (int)pid);
	snprintf(text, sizeof(text),
		 "%d (p) %c %d 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %d 1000 2 1844\n", (int)pid,
		 state, (int)parent, (int)pid);
	put_file(proc, name, text);
	snprintf(name, sizeof(name), "%d/task/%d/children", (int)pid, (int)pid);
	put_file(proc, name, children);
	snprintf(name, sizeof(name), "%d/cmdline", (int)pid);
	put_file(proc, name, "");
}

/* A process that has ended before it is seen has no counts of its own, and takes nobody's away. */
static void test_first_seen_dead(void **state)
{
	char *proc = make_dir(), *sys = make_dir();
	const struct measure_options options = {COUNTERS_PERF, CPU_CLOCKS, proc, sys, {0}};
	struct err err = {0, ""};
	struct measure *m;
	struct sample s;

	(void)state;
	put_proc(proc, 100, 1, "101 102", 'S');
	put_proc(proc, 101, 100, "", 'S');
	put_proc(proc, 102, 100, "", 'X');
	m = measure_new(&options, &err);
	assert_non_null(m);
	assert_int_equal(measure_add_role(m, ROLE_WORKER, 100, &err), 0);
	read_sample(m, MEASURE_EDGE, &s);
	assert_int_equal(s.nrows, 2);
	for (size_t i = 0; i < s.nrows; i++) {
		assert_int_equal(s.rows[i].usage.instructions.state, VALUE_OK);
		assert_int_equal(s.rows[i].usage.cycles.state, VALUE_OK);
	}
	assert_int_equal(s.rows[1].usage.instructions.v, 0);
	sample_release(&s);
	measure_free(m);
	remove_dir(proc);
	remove_dir(sys);
	assert_int_equal(opened, closed);
}

/* Their counters begin with the reading that finds them: the next one may be the edge of a window.
 */
static void test_new_threads(void **state)
{
	char *proc = make_dir(), *sys = make_dir();
	const struct measure_options options = {COUNTERS_PERF, CPU_CLOCKS, proc, sys, {0}};
	struct err err = {0, ""};
	struct measure *m;
	struct sample s;

	(void)state;
	put_proc(proc, 100, 1, "101", 'S');
	put_proc(proc, 101, 100, "", 'S');
	put_file(proc, "101/cmdline", "/usr/sbin/mysqld");
	put_file(proc, "101/task/101/stat",
		 "101 (p) S 100 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 2 0 101 1000 2 1844\n");
	put_file(proc, "101/task/103/stat",
		 "103 (q) S 100 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 2 0 103 1000 2 1844\n");
	m = measure_new(&options, &err);
	assert_non_null(m);
	assert_int_equal(measure_add_role(m, ROLE_DATABASE, 100, &err), 0);
	assert_int_equal(opened - closed, 1);
	read_sample(m, 0, &s);
	assert_int_equal(s.nrows, 3);
	assert_int_equal(s.rows[2].tid, 103);
	assert_true(s.rows[2].usage.instructions.v > 0);
	/* the family's, and those of two threads */
	assert_int_equal(opened - closed, 3);
	sample_release(&s);
	measure_free(m);
	remove_dir(proc);
	remove_dir(sys);
	assert_int_equal(opened, closed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_good, setup),
		cmocka_unit_test_setup(test_nonsense, setup),
		cmocka_unit_test_setup(test_nonsense_is_not_used, setup),
		cmocka_unit_test_setup(test_one_missing, setup),
		cmocka_unit_test_setup(test_user_only, setup),
		cmocka_unit_test_setup(test_all_taken, setup),
		cmocka_unit_test_setup(test_hybrid, setup),
		cmocka_unit_test_setup(test_two_clusters, setup),
		cmocka_unit_test_setup(test_half_a_hybrid, setup),
		cmocka_unit_test_setup(test_first_seen_dead, setup),
		cmocka_unit_test_setup(test_new_threads, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
