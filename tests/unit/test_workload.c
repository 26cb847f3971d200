#include "config.h"

#include "model/workload.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/rng.h"

static void defaults_are_the_reference(void **state)
{
	struct workload w;

	(void)state;
	workload_defaults(&w);
	assert_int_equal(w.names, 1000);
	assert_int_equal(w.hot_names, 10);
	assert_true(fabs(w.hot_share - 0.9) < 1e-12);
	assert_true(fabs(w.rate - 20) < 1e-12);
	assert_false(w.rate_max);
	assert_int_equal(w.concurrency, 8);
	assert_int_equal(w.pool, 4);
	assert_int_equal(w.poll_interval_ns, 5 * NS_PER_S);
	assert_int_equal(w.measure_ns, 20 * NS_PER_S);
	assert_int_equal(w.repeat, 1);
}

static void names(void **state)
{
	char out[WORKLOAD_NAME_MAX];

	(void)state;
	workload_name(0, out);
	assert_string_equal(out, "job-0");
	workload_name(4294967295u, out);
	assert_string_equal(out, "job-4294967295");
}

static void keys_have_numbers(void **state)
{
	static const struct {
		const char *key;
		int number;
	} cases[] = {
		{"key-0", 0},  {"key-9", 9},    {"key-10", -1}, {"key-", -1},  {"key-1x", -1},
		{"queue", 10}, {"blocked", -1}, {"", -1},       {"job-1", -1},
	};
	char out[WORKLOAD_KEY_MAX];
	struct workload w;

	(void)state;
	workload_defaults(&w);
	assert_int_equal(w.mutex_keys, 0);
	assert_int_equal(w.hold_ns, 20 * NS_PER_MS);
	w.mutex_keys = 10;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(workload_key_number(&w, cases[i].key), cases[i].number);
	workload_key(WORKLOAD_KEYS_MAX - 1, out);
	assert_string_equal(out, "key-9999");
}

static void hot_names_get_their_share(void **state)
{
	unsigned seen[1000] = {0}, hot = 0;
	struct workload w;
	struct rng r;

	(void)state;
	workload_defaults(&w);
	rng_init(&r, w.seed);
	for (int i = 0; i < 100000; i++) {
		unsigned name = workload_next_name(&w, &r);

		assert_true(name < w.names);
		seen[name]++;
		hot += name < w.hot_names;
	}
	assert_in_range(hot, 89500, 90500);
	for (unsigned i = 0; i < w.hot_names; i++)
		assert_in_range(seen[i], 8600, 9400);
	for (unsigned i = w.hot_names; i < w.names; i++)
		assert_in_range(seen[i], 0, 40);
	assert_true(seen[999] > 0);
}

static void empty_groups(void **state)
{
	static const struct {
		unsigned names, hot;
		double share;
		unsigned first, last;
	} cases[] = {
		{10, 0, 0.9, 0, 9}, {10, 10, 0.5, 0, 9}, {10, 50, 0.5, 0, 9},
		{1, 0, 0.9, 0, 0},  {10, 3, 0, 3, 9},    {10, 3, 1, 0, 2},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		unsigned low = 1000, high = 0;
		struct workload w;
		struct rng r;

		workload_defaults(&w);
		w.names = cases[c].names;
		w.hot_names = cases[c].hot;
		w.hot_share = cases[c].share;
		rng_init(&r, 1);
		for (int i = 0; i < 2000; i++) {
			unsigned name = workload_next_name(&w, &r);

			low = name < low ? name : low;
			high = name > high ? name : high;
		}
		assert_int_equal(low, cases[c].first);
		assert_int_equal(high, cases[c].last);
	}
}

/* Every variant, and every later version, gets the same jobs for seed 1. */
static void the_sequence_is_fixed(void **state)
{
	static const unsigned expected[] = {2, 3, 2, 9, 8, 80, 873, 9, 1, 7, 7,   0,  0, 8,
					    9, 6, 9, 6, 2, 3,  3,   7, 5, 9, 681, 1,  3, 4,
					    0, 4, 5, 2, 2, 7,  2,   8, 3, 1, 5,   248};
	struct workload w;
	struct rng r;

	(void)state;
	workload_defaults(&w);
	rng_init(&r, w.seed);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(workload_next_name(&w, &r), expected[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_the_reference), cmocka_unit_test(names),
		cmocka_unit_test(hot_names_get_their_share),  cmocka_unit_test(empty_groups),
		cmocka_unit_test(the_sequence_is_fixed),      cmocka_unit_test(keys_have_numbers),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
