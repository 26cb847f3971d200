/* Medians, changes, intervals and verdicts. */
#include "config.h"

#include "result/compare.h"

#include <math.h>
#include <stdbool.h>

#include "lib/rng.h"
#include "result_fixture.h"

#define MAX 64

static size_t compare(const struct window *w, size_t n, struct result *out)
{
	const struct window *list[MAX];
	assert_true(n <= MAX);
	for (size_t i = 0; i < n; i++)
		list[i] = &w[i];
	return results_from_windows(list, n, "pername", out, 8);
}

/* n windows of each of two variants, interleaved; own[i] and base[i] scale their cost. */
static void compare_scaled(const double *own, const double *base, unsigned n, struct result out[8])
{
	static struct window w[MAX]; /* too much for a stack */
	for (unsigned i = 0; i < n; i++) {
		w[2 * i] = window_of("pername", 400, base[i]);
		w[2 * i + 1] = window_of("skiplocked", 400, own[i]);
	}
	assert_int_equal(compare(w, 2 * (size_t)n, out), 2);
}

static void test_order_and_base(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("skiplocked", 400, 1), window_of("pername", 399, 2),
			     window_of("batch", 100, 1), window_of("skiplocked", 410, 1)};
	assert_int_equal(compare(w, 4, r), 3);
	assert_string_equal(r[0].variant, "skiplocked");
	assert_string_equal(r[1].variant, "pername");
	assert_string_equal(r[2].variant, "batch");
	assert_int_equal(r[0].windows, 2);
	assert_int_equal(r[0].jobs, 810);
	assert_true(r[1].is_base);
	assert_false(r[1].has_change);
	assert_true(r[0].has_change);
	assert_string_equal(r[0].base, "pername");
	assert_true(fabs(r[0].change[COUNTER_CPU_NS].ratio.v - 0.5) < 1e-6);
	assert_int_equal(r[0].change[COUNTER_CPU_NS].verdict, VERDICT_NONE);
	assert_true(r[0].change[COUNTER_CPU_NS].ci95_high <= 0);
}

static void test_at_most_max(void **state)
{
	(void)state;
	struct window a = window_of("a", 10, 1), b = window_of("b", 10, 1);
	const struct window *list[] = {&a, &b};
	struct result r[1];
	assert_int_equal(results_from_windows(list, 2, NULL, r, 1), 1);
	assert_string_equal(r[0].variant, "a");
	assert_false(r[0].is_base);
}

static void test_median_and_extremes(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("pername", 100, 4), window_of("pername", 100, 1),
			     window_of("pername", 100, 2), window_of("pername", 100, 8)};
	compare(w, 3, r);
	const struct spread *s = &r[0].per_job[ROLE_WORKER][COUNTER_INSTRUCTIONS];
	assert_int_equal(s->n, 3);
	assert_true(fabs(s->median.v - 2 * 1.18e6) < 1);
	assert_true(fabs(s->min.v - 1.18e6) < 1);
	assert_true(fabs(s->max.v - 4 * 1.18e6) < 1);
	compare(w, 4, r);
	assert_true(fabs(s->median.v - 3 * 1.18e6) < 1);
	assert_true(fabs(r[0].work_per_job[WORK_STATEMENTS].median.v - 3) < 1e-9);
	assert_true(fabs(r[0].work_per_job[WORK_LOG_BYTES].median.v - 1330) < 1e-9);
}

static void test_only_valid_windows_count(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("pername", 100, 1), window_of("pername", 100, 100),
			     window_of("pername", 100, 100)};
	w[1].valid = false;
	w[1].unbalanced = true;
	w[1].jobs.duplicates = 2;
	w[2].done = false;
	w[2].left = true;
	compare(w, 3, r);
	assert_int_equal(r[0].windows, 1);
	assert_int_equal(r[0].invalid, 2);
	assert_int_equal(r[0].left, 1);
	assert_int_equal(r[0].jobs, 100);
	assert_false(r[0].unbalanced);
	assert_int_equal(r[0].duplicates, 2);
	assert_true(fabs(r[0].per_job[ROLE_WORKER][COUNTER_CYCLES].median.v - 2.34e6) < 1);
}

static void test_lost_counts_once_a_run(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("pername", 100, 1), window_of("pername", 100, 1),
			     window_of("pername", 100, 1)};
	w[0].lost = w[1].lost = value_of(3);
	w[2].lost = value_of(4);
	w[2].run = 1;
	compare(w, 3, r);
	assert_int_equal(r[0].lost, 7);
}

static void test_missing_figures(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("pername", 100, 1), window_of("skiplocked", 100, 1),
			     window_of("skiplocked", 100, 3)};
	for (unsigned role = 0; role < ROLE_COUNT; role++)
		without_counters(&w[1].usage.roles[role]);
	w[2].usage.roles[ROLE_WORKER].cycles.state = VALUE_SCALED;
	w[0].server.wal_bytes.state = VALUE_UNREADABLE;
	w[0].server.why[SERVER_WAL_BYTES] = "a reason";
	compare(w, 3, r);
	assert_int_equal(r[1].per_job[ROLE_TOTAL][COUNTER_INSTRUCTIONS].n, 1);
	assert_int_equal(r[1].per_job[ROLE_TOTAL][COUNTER_CPU_NS].n, 2);
	assert_true(r[1].scaled);
	assert_false(r[0].scaled);
	assert_int_equal(r[0].work_per_job[WORK_LOG_BYTES].n, 0);
	assert_int_equal(r[0].work_per_job[WORK_LOG_BYTES].median.state, VALUE_UNREADABLE);
	assert_string_equal(r[0].work_why[WORK_LOG_BYTES], "a reason");
	assert_null(r[1].work_why[WORK_LOG_BYTES]);
	assert_true(fabs(r[1].work_per_job[WORK_ROWS].median.v - 5) < 1e-9);
	assert_true(fabs(r[1].work_per_second[WORK_BUFFERS].median.v - 145) < 1e-9);
	w[2].jobs.completed = 0;
	compare(w, 3, r);
	assert_int_equal(r[1].per_job[ROLE_TOTAL][COUNTER_INSTRUCTIONS].n, 0);
	assert_int_equal(r[1].change[COUNTER_INSTRUCTIONS].ratio.state, VALUE_NONE);
}

static void test_no_base_no_change(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("pername", 100, 1), window_of("skiplocked", 100, 1)};
	w[0].valid = false;
	compare(w, 2, r);
	assert_true(r[0].is_base);
	assert_false(r[1].has_change);
}

static void test_four_windows_each_for_a_verdict(void **state)
{
	(void)state;
	static const double one[] = {1, 1.001, 0.999, 1.002};
	static const double half[] = {0.5, 0.501, 0.499, 0.502};
	struct result r[8];
	struct window w[7];
	compare_scaled(half, one, 3, r);
	assert_int_equal(r[1].change[COUNTER_CPU_NS].verdict, VERDICT_NONE);
	compare_scaled(half, one, 4, r);
	assert_int_equal(r[1].change[COUNTER_CPU_NS].verdict, VERDICT_CHEAPER);
	/* 4 of one and 3 of the other */
	for (unsigned i = 0; i < 4; i++)
		w[i] = window_of("pername", 400, one[i]);
	for (unsigned i = 0; i < 3; i++)
		w[4 + i] = window_of("skiplocked", 400, half[i]);
	compare(w, 7, r);
	assert_int_equal(r[1].change[COUNTER_CPU_NS].verdict, VERDICT_NONE);
	for (unsigned i = 0; i < 3; i++)
		w[i] = window_of("pername", 400, one[i]);
	for (unsigned i = 0; i < 4; i++)
		w[3 + i] = window_of("skiplocked", 400, half[i]);
	compare(w, 7, r);
	assert_int_equal(r[1].change[COUNTER_CPU_NS].verdict, VERDICT_NONE);
	assert_true(fabs(r[1].change[COUNTER_CPU_NS].ratio.v - 0.5) < 0.01);
}

/* A change of 3 % is one of instructions (floor 1 %), and none of CPU time (floor 5 %). */
static void test_floors(void **state)
{
	(void)state;
	static const double one[] = {1, 1.001, 0.999, 1.0005, 0.9995};
	double dearer[5], cheaper[5], same[5], wide[5];
	struct result r[8];
	for (unsigned i = 0; i < 5; i++) {
		dearer[i] = one[i] * 1.03;
		cheaper[i] = one[i] * 0.97;
		same[i] = one[4 - i] * 1.002;
		wide[i] = 0.8 + 0.1 * i;
	}
	compare_scaled(dearer, one, 5, r);
	assert_int_equal(r[1].change[COUNTER_INSTRUCTIONS].verdict, VERDICT_DEARER);
	assert_int_equal(r[1].change[COUNTER_CPU_NS].verdict, VERDICT_SAME);
	assert_int_equal(r[1].change[COUNTER_CYCLES].verdict, VERDICT_SAME);
	compare_scaled(cheaper, one, 5, r);
	assert_int_equal(r[1].change[COUNTER_INSTRUCTIONS].verdict, VERDICT_CHEAPER);
	assert_int_equal(r[1].change[COUNTER_CPU_NS].verdict, VERDICT_SAME);
	compare_scaled(same, one, 5, r);
	assert_int_equal(r[1].change[COUNTER_INSTRUCTIONS].verdict, VERDICT_SAME);
	compare_scaled(wide, one, 5, r);
	assert_int_equal(r[1].change[COUNTER_INSTRUCTIONS].verdict, VERDICT_UNDECIDED);
	assert_true(r[1].change[COUNTER_INSTRUCTIONS].ci95_low < 0.95);
	assert_true(r[1].change[COUNTER_INSTRUCTIONS].ci95_high > 1.05);
}

static void test_interval_is_repeatable(void **state)
{
	(void)state;
	static const double base[] = {1, 1.04, 0.97, 1.02, 0.99};
	static const double own[] = {0.9, 0.93, 0.88, 0.95, 0.91};
	struct result a[8], b[8];
	compare_scaled(own, base, 5, a);
	compare_scaled(own, base, 5, b);
	const struct change *x = &a[1].change[COUNTER_CPU_NS], *y = &b[1].change[COUNTER_CPU_NS];
	assert_memory_equal(&x->ci95_low, &y->ci95_low, sizeof(double));
	assert_memory_equal(&x->ci95_high, &y->ci95_high, sizeof(double));
	assert_true(x->ci95_low < x->ratio.v && x->ratio.v < x->ci95_high);
}

/* Of 9 windows the median of a resample is the lowest or the highest in 0.1 % of all, at most the
 * second in 3 %: these bound the middle 95 %. */
static void test_interval_leaves_out_the_extremes(void **state)
{
	(void)state;
	static const double one[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	static const double own[9] = {0.6, 0.1, 0.9, 0.3, 0.5, 0.2, 0.8, 0.7, 0.4};
	struct result r[8];
	compare_scaled(own, one, 9, r);
	assert_true(fabs(r[1].change[COUNTER_CPU_NS].ratio.v - 0.5) < 1e-6);
	assert_true(fabs(r[1].change[COUNTER_CPU_NS].ci95_low - 0.2) < 1e-6);
	assert_true(fabs(r[1].change[COUNTER_CPU_NS].ci95_high - 0.8) < 1e-6);
}

static double noise(struct rng *rng, double sd)
{
	double sum = -6;
	for (unsigned i = 0; i < 12; i++)
		sum += rng_unit(rng);
	return 1 + sd * sum;
}

/* The same variant twice, 3 % noise: the interval must hold 1 nearly always, and a verdict of a
 * change be rare. */
static void test_coverage(void **state)
{
	(void)state;
	struct rng rng;
	unsigned covered = 0, wrong = 0, rounds = 60;
	rng_init(&rng, 7);
	for (unsigned k = 0; k < rounds; k++) {
		double own[5], base[5];
		struct result r[8];
		for (unsigned i = 0; i < 5; i++) {
			own[i] = noise(&rng, 0.03);
			base[i] = noise(&rng, 0.03);
		}
		compare_scaled(own, base, 5, r);
		const struct change *c = &r[1].change[COUNTER_CPU_NS];
		covered += c->ci95_low <= 1 && c->ci95_high >= 1;
		wrong += c->verdict == VERDICT_CHEAPER || c->verdict == VERDICT_DEARER;
	}
	assert_true(covered >= rounds * 85 / 100);
	assert_true(wrong <= 1);
}

static void test_events_on_one_side_are_marked(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("pername", 400, 2), window_of("skiplocked", 400, 1)};
	w[0].server.checkpoints = w[1].server.checkpoints = value_of(0);
	w[0].server.autovacuums = w[1].server.autovacuums = value_of(0);
	assert_int_equal(compare(w, 2, r), 2);
	assert_false(r[1].events_differ);
	w[1].server.checkpoints = value_of(1);
	assert_int_equal(compare(w, 2, r), 2);
	assert_true(r[1].events_differ);
	assert_false(r[0].events_differ);
	w[0].server.checkpoints = value_of(3);
	assert_int_equal(compare(w, 2, r), 2);
	assert_false(r[1].events_differ);
	w[0].server.autovacuums = value_of(1);
	assert_int_equal(compare(w, 2, r), 2);
	assert_true(r[1].events_differ);
}

/* An idle queue has no jobs to divide by: its cost and its work are per second. */
static void test_idle(void **state)
{
	(void)state;
	struct result r[8];
	struct window w[] = {window_of("pername", 400, 2), window_of("skiplocked", 400, 1)};
	w[0].jobs.completed = w[1].jobs.completed = 0;
	assert_int_equal(compare(w, 2, r), 2);
	assert_false(r[1].idle); /* jobs came, and none was done: that is no idle queue */
	w[0].jobs.enqueued = w[1].jobs.enqueued = 0;
	double seconds = (double)w[0].length_ns / 1e9;
	w[1].jobs.worker_statements = 40;
	w[1].jobs.producer_statements = 0;
	assert_int_equal(compare(w, 2, r), 2);
	assert_true(r[1].idle);
	assert_false(figure_known(r[1].per_job[ROLE_TOTAL][COUNTER_CPU_NS].median));
	struct value cpu = w[1].usage.roles[ROLE_DATABASE].cpu_ns;
	assert_true(fabs(r[1].per_second[ROLE_DATABASE][COUNTER_CPU_NS].median.v -
			 (double)cpu.v / seconds) < 1);
	assert_true(fabs(r[1].work_per_second[WORK_STATEMENTS].median.v - 40 / seconds) < 1e-9);
	assert_true(r[1].has_change);
	assert_true(fabs(r[1].change[COUNTER_CPU_NS].ratio.v - 0.5) < 1e-6);
}

static void test_verdict_names(void **state)
{
	(void)state;
	assert_string_equal(verdict_name(VERDICT_NONE), "-");
	assert_string_equal(verdict_name(VERDICT_CHEAPER), "cheaper");
	assert_string_equal(verdict_name(VERDICT_DEARER), "dearer");
	assert_string_equal(verdict_name(VERDICT_SAME), "same");
	assert_string_equal(verdict_name(VERDICT_UNDECIDED), "undecided");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_base),
		cmocka_unit_test(test_at_most_max),
		cmocka_unit_test(test_median_and_extremes),
		cmocka_unit_test(test_only_valid_windows_count),
		cmocka_unit_test(test_lost_counts_once_a_run),
		cmocka_unit_test(test_missing_figures),
		cmocka_unit_test(test_no_base_no_change),
		cmocka_unit_test(test_four_windows_each_for_a_verdict),
		cmocka_unit_test(test_floors),
		cmocka_unit_test(test_interval_is_repeatable),
		cmocka_unit_test(test_interval_leaves_out_the_extremes),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_events_on_one_side_are_marked),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_verdict_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
