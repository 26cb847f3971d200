/*
 * perf events. Software events stand for the counters of a PMU, as the mechanism is the same:
 * inherit, enable_on_exec, groups, the dead. Scaling is arithmetic on made-up readings.
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "measure/counters.h"
#include "measure/perf_event.h"
#include "measure/perf_loop.h"
#include "measure/perf_scale.h"
#include "measure_help.h"

static const struct perf_event_spec software[PERF_PAIR] = {
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};
static const bool both[PERF_PAIR] = {true, true};

/* May this user open software events on its own processes? Containers may forbid it. */
static bool have_perf(bool *user_only)
{
	struct perf_mode mode = {.family = false, .user_only = false};
	const bool one[PERF_PAIR] = {true, false};
	struct perf_pair p;

	if (perf_pair_open(&p, software, one, 0, &mode) == 0) {
		mode.user_only = true;
		if (perf_pair_open(&p, software, one, 0, &mode) == 0) {
			print_message("perf_event_open: %s\n", strerror(-p.error[0]));
			return false;
		}
	}
	*user_only = mode.user_only;
	perf_pair_close(&p);
	return true;
}

/* What a program does once it was exec'd: touches 100 pages in itself, in a child and in a
 * grandchild that is a daemon, and uses CPU time in each. */
static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p =
		mmap(NULL, 100 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(1);
	madvise(p, 100 * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < 100; i++)
		p[i * page] = 1;
	burn_ms(20);
}

static void exec_family(void *arg)
{
	const char *depth = arg;

	/* Before the exec nothing is counted. */
	touch_pages();
	burn_ms(200);
	execl("/proc/self/exe", "test_perf", "family", depth, (char *)NULL);
	_exit(1);
}

static int be_family(const char *depth)
{
	touch_pages();
	if (*depth == '0')
		return 0;
	pid_t child = fork();
	if (child == 0) {
		if (fork() == 0) {
			setsid();
			touch_pages();
			_exit(0);
		}
		touch_pages();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}

static void count_family(const char *depth, struct perf_raw out[PERF_PAIR])
{
	struct perf_mode mode = {.family = true};
	struct keeper k;
	struct perf_pair p;
	char arg[2] = {depth[0], '\0'};

	assert_true(have_perf(&mode.user_only));
	keeper_start(&k, exec_family, arg);
	assert_int_equal(perf_pair_open(&p, software, both, k.pid, &mode), 2);
	perf_pair_read(&p, out);
	assert_true(out[0].valid && out[1].valid);
	assert_int_equal(out[0].value, 0);
	assert_int_equal(out[0].enabled_ns, 0);
	keeper_release(&k);
	keeper_wait(&k);
	perf_pair_read(&p, out);
	assert_true(out[0].valid && out[1].valid);
	/* Still there when the one it was opened on is gone. */
	keeper_end(&k);
	perf_pair_read(&p, out);
	assert_true(out[0].valid && out[1].valid);
	perf_pair_close(&p);
	perf_pair_close(&p);
}

static void test_family(void **state)
{
	struct perf_raw one[PERF_PAIR], three[PERF_PAIR];
	bool user_only;

	(void)state;
	if (!have_perf(&user_only))
		return;
	count_family("0", one);
	count_family("1", three);
	/* The 220 ms before the exec are not in it; starting a sanitized program may take long. */
	assert_true(one[0].value >= 18 * NS_PER_MS && one[0].value < 200 * NS_PER_MS);
	assert_true(three[0].value >= 55 * NS_PER_MS);
	assert_true(one[1].value >= 100);
	assert_true(three[1].value >= one[1].value + 200);
	assert_int_equal(three[0].enabled_ns, three[0].running_ns);
	assert_true(three[0].enabled_ns >= three[0].value / 2);
}

/* One process alone: neither its children nor what was before. */
static void test_single(void **state)
{
	struct perf_mode mode = {.family = false};
	struct perf_raw raw[PERF_PAIR];
	struct perf_pair p;

	(void)state;
	if (!have_perf(&mode.user_only))
		return;
	burn_ms(30);
	assert_int_equal(perf_pair_open(&p, software, both, 0, &mode), 2);
	assert_true(p.grouped);
	burn_ms(10);
	waitpid(fork_burner(60), NULL, 0);
	perf_pair_read(&p, raw);
	assert_true(raw[0].value >= 9 * NS_PER_MS && raw[0].value < 30 * NS_PER_MS);
	perf_pair_close(&p);
}

/* One of the two that cannot be had does not take the other along. */
static void test_half(void **state)
{
	struct perf_event_spec specs[PERF_PAIR] = {software[0], {PERF_TYPE_SOFTWARE, 0xfffff}};
	struct perf_mode mode = {.family = false};
	static const bool second[PERF_PAIR] = {false, true};
	struct perf_raw raw[PERF_PAIR];
	struct perf_pair p;

	(void)state;
	if (!have_perf(&mode.user_only))
		return;
	assert_int_equal(perf_pair_open(&p, specs, both, 0, &mode), 1);
	assert_int_equal(p.error[0], 0);
	assert_true(p.error[1] < 0);
	burn_ms(2);
	perf_pair_read(&p, raw);
	assert_true(raw[0].valid && raw[0].value > 0);
	assert_false(raw[1].valid);
	perf_pair_close(&p);
	assert_int_equal(perf_pair_open(&p, software, second, 0, &mode), 1);
	assert_int_equal(p.fd[0], -1);
	touch_pages();
	perf_pair_read(&p, raw);
	assert_false(raw[0].valid);
	assert_true(raw[1].value >= 100 && raw[1].value < NS_PER_MS);
	assert_true(raw[1].enabled_ns >= 15 * NS_PER_MS);
	assert_true(raw[1].running_ns >= 15 * NS_PER_MS);
	perf_pair_close(&p);
	/* A process that is not there. */
	assert_int_equal(perf_pair_open(&p, software, both, 0x3ffffff, &mode), 0);
	assert_int_equal(p.error[0], -ESRCH);
	perf_pair_close(&p);
}

static struct value add(struct perf_accum *a, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct perf_raw raw = {true, value, enabled, running};

	return perf_accum_add(a, &raw, false);
}

static void assert_value(struct value v, int64_t expected, enum value_state st)
{
	assert_int_equal(v.state, st);
	if (value_known(v))
		assert_int_equal(v.v, expected);
}

static void test_exact(void **state)
{
	struct perf_accum a = {.value = 0};

	(void)state;
	assert_value(add(&a, 0, 0, 0), 0, VALUE_OK);
	assert_value(add(&a, 100, 10, 10), 100, VALUE_OK);
	assert_false(a.multiplexed);
	assert_value(add(&a, 250, 20, 20), 250, VALUE_OK);
	assert_value(add(&a, 250, 20, 20), 250, VALUE_OK);
	assert_true(perf_accum_coverage(&a) > 0.9999);
}

/* Only the difference is scaled, by its own times; the value never falls. */
static void test_scaled(void **state)
{
	struct perf_accum a = {.value = 0};
	struct perf_raw gone = {.valid = false};

	(void)state;
	assert_value(add(&a, 1000, 1000, 1000), 1000, VALUE_OK);
	/* 960 of 1000: 96 counted are 100 */
	assert_value(add(&a, 1096, 2000, 1960), 1100, VALUE_SCALED);
	assert_true(a.multiplexed);
	/* exact again, but what is in it stays marked */
	assert_value(add(&a, 1196, 3000, 2960), 1200, VALUE_SCALED);
	assert_false(a.multiplexed);
	/* half of the time: below 95 % of the whole, so not to be used */
	assert_value(add(&a, 1246, 4000, 3460), 0, VALUE_UNREADABLE);
	assert_true(perf_accum_coverage(&a) < 0.95);
	assert_int_equal(a.value, 1300);
	/* a new stretch */
	perf_accum_edge(&a);
	assert_value(add(&a, 1346, 5000, 4460), 1400, VALUE_OK);
	/* a reading that fails says so and loses nothing */
	assert_value(perf_accum_add(&a, &gone, false), 0, VALUE_UNREADABLE);
	assert_value(add(&a, 1446, 6000, 5460), 1500, VALUE_OK);
}

static void test_never_ran(void **state)
{
	struct perf_accum a = {.value = 0};

	(void)state;
	assert_value(add(&a, 0, 500, 0), 0, VALUE_UNREADABLE);
	assert_true(a.multiplexed);
	assert_true(perf_accum_coverage(&a) < 0.01);
}

/* Between two readings it did not run at all: that time is not lost. */
static void test_pauses(void **state)
{
	struct perf_accum a = {.value = 0};

	(void)state;
	assert_value(add(&a, 9000, 9000, 9000), 9000, VALUE_OK);
	/* as much as the stretch so far says */
	assert_value(add(&a, 9000, 9100, 9000), 9100, VALUE_SCALED);
	assert_value(add(&a, 9000, 9200, 9000), 9200, VALUE_SCALED);
	assert_value(add(&a, 9800, 10000, 9800), 10000, VALUE_SCALED);
	assert_false(a.multiplexed);
	/* at the beginning of one nothing is known yet: what comes next tells */
	perf_accum_edge(&a);
	add(&a, 9800, 10010, 9800);
	assert_int_equal(a.value, 10000);
	assert_true(a.multiplexed);
	assert_value(add(&a, 11780, 11000, 10790), 12000, VALUE_SCALED);
	assert_false(a.multiplexed);
	assert_value(add(&a, 11780, 11000, 10790), 12000, VALUE_SCALED);
	/* no edge hands what it owes to the next stretch */
	perf_accum_edge(&a);
	add(&a, 11780, 12000, 10790);
	perf_accum_edge(&a);
	assert_value(add(&a, 12780, 13000, 11790), 13000, VALUE_OK);
}

static void test_falling(void **state)
{
	struct perf_accum a = {.value = 0};

	(void)state;
	add(&a, 1000, 100, 100);
	assert_value(add(&a, 10, 200, 200), 0, VALUE_UNREADABLE);
	assert_int_equal(a.value, 1000);
	perf_accum_edge(&a);
	assert_value(add(&a, 30, 300, 300), 1020, VALUE_OK);
}

static void test_big(void **state)
{
	struct perf_accum a = {.value = 0};
	uint64_t big = UINT64_C(1) << 52;

	(void)state;
	/* value x enabled is far above 64 bits */
	assert_value(add(&a, big, 1000000000000, 960000000000), (int64_t)(big / 96 * 100 + 66),
		     VALUE_SCALED);
	/* garbage stays garbage, not a negative number */
	assert_value(add(&a, UINT64_MAX, 2000000000000, 1960000000000), 0, VALUE_UNREADABLE);
}

static void test_hybrid_sum(void **state)
{
	/* 70 % on one cluster, 30 % on the other: the raw sum is exact */
	struct perf_raw raw[2] = {{true, 700, 1000, 698}, {true, 300, 1000, 300}};
	struct perf_raw sum = perf_raw_sum(raw, 2);
	struct perf_accum a = {.value = 0};

	(void)state;
	assert_true(sum.valid);
	assert_int_equal(sum.value, 1000);
	assert_int_equal(sum.enabled_ns, 1000);
	assert_int_equal(sum.running_ns, 998);
	assert_value(perf_accum_add(&a, &sum, true), 1000, VALUE_OK);
	raw[1].valid = false;
	assert_false(perf_raw_sum(raw, 2).valid);
	assert_false(perf_raw_sum(raw, 0).valid);
}

static void test_loop(void **state)
{
	uint32_t n = PERF_LOOP_TURNS;

	(void)state;
	perf_loop_run(1000);
#if defined(__x86_64__) || defined(__aarch64__)
	assert_true(perf_loop_instructions_ok(n, 2u * n + 300));
	assert_false(perf_loop_instructions_ok(n, 2u * n * 11 / 10));
	assert_false(perf_loop_instructions_ok(n, 2u * n * 9 / 10));
#endif
	assert_false(perf_loop_instructions_ok(n, 395));
	assert_false(perf_loop_instructions_ok(n, 0));
	assert_true(perf_loop_cycles_ok(n, n));
	assert_false(perf_loop_cycles_ok(n, 0));
	assert_false(perf_loop_cycles_ok(n, UINT64_MAX / 2));
}

/* Whatever this machine has: either it counts, and then plausibly, or it says why not. */
static void test_here(void **state)
{
	const struct counter_roots roots = {"/proc", "/sys", NULL};
	struct counters_info info;
	struct counter_reading r;
	struct counter_set *s;
	struct counters *c;
	struct err err = {0};

	(void)state;
	memset(&info, 0, sizeof(info));
	c = counters_perf.open(&roots, &info, &err);
	if (!c) {
		assert_false(info.instructions.available || info.cycles.available);
		assert_true(info.instructions.reason[0] && info.cycles.reason[0]);
		assert_true(err.text[0] != '\0');
		return;
	}
	s = counters_perf.set_open(c, getpid(), false, &err);
	assert_non_null(s);
	perf_loop_run(PERF_LOOP_TURNS);
	counters_perf.set_read(s, false, &r);
	assert_int_equal(info.instructions.available, r.instructions.state != VALUE_NONE);
	assert_int_equal(info.cycles.available, r.cycles.state != VALUE_NONE);
	if (r.instructions.state == VALUE_OK)
		assert_true(r.instructions.v > PERF_LOOP_TURNS);
	counters_perf.set_close(s);
	counters_perf.close(c);
}

static void test_none(void **state)
{
	struct counters_info info;
	struct counter_reading r;
	struct counters *c;

	(void)state;
	memset(&info, 0xff, sizeof(info));
	c = counters_none.open(NULL, &info, NULL);
	assert_non_null(c);
	assert_false(info.instructions.available || info.cycles.available || info.parts);
	assert_null(counters_none.set_open(c, getpid(), true, NULL));
	counters_none.set_read(NULL, true, &r);
	assert_int_equal(r.instructions.state, VALUE_NONE);
	counters_none.set_close(NULL);
	counters_none.close(c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_family),  cmocka_unit_test(test_single),
		cmocka_unit_test(test_half),    cmocka_unit_test(test_exact),
		cmocka_unit_test(test_scaled),  cmocka_unit_test(test_never_ran),
		cmocka_unit_test(test_falling), cmocka_unit_test(test_big),
		cmocka_unit_test(test_pauses),  cmocka_unit_test(test_hybrid_sum),
		cmocka_unit_test(test_loop),    cmocka_unit_test(test_here),
		cmocka_unit_test(test_none),
	};

	if (argc == 3 && strcmp(argv[1], "family") == 0)
		return be_family(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
