#include "config.h"

#include "lib/histogram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rng.h"

/* The rule of the header: bucket i holds (upper(i-1), upper(i)]. */
static void edges_and_buckets_agree(void **state)
{
	uint64_t below = 0;

	(void)state;
	assert_int_equal(histogram_bucket(0), 0);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t upper = histogram_upper(i);

		assert_true(upper > below);
		assert_int_equal(histogram_bucket(upper), i);
		assert_int_equal(histogram_bucket(below + 1), i);
		/* no wider than 1/16 of its values */
		assert_true(i < HISTOGRAM_SUB || (upper - below) * HISTOGRAM_SUB <= below);
		below = upper;
	}
	assert_int_equal(below, 1ULL << 43);
	assert_int_equal(histogram_bucket(below + 1), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void empty_is_zero(void **state)
{
	static struct histogram h;

	(void)state;
	assert_int_equal(histogram_quantile(&h, 0.5), 0);
	assert_true(fabs(histogram_mean_ns(&h)) < 1e-9);
	assert_true(fabs(histogram_sd_ns(&h)) < 1e-9);
	histogram_add(&h, 1000);
	assert_true(fabs(histogram_sd_ns(&h)) < 1e-9);
	assert_true(fabs(histogram_mean_ns(&h) - 1000) < 1e-9);
}

static void quantiles(void **state)
{
	static struct histogram h;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&h, i * 1000);
	assert_in_range(histogram_quantile(&h, 0.5), 500000, 500000 * 17 / 16);
	assert_in_range(histogram_quantile(&h, 0.95), 950000, 1000000);
	assert_in_range(histogram_quantile(&h, 0), 1000, 1000 * 17 / 16);
	assert_int_equal(histogram_quantile(&h, 1), 1000000);
	assert_int_equal(histogram_quantile(&h, 7), 1000000);
	histogram_clear(&h);
	/* exact while the buckets are one wide */
	for (uint64_t i = 1; i <= 10; i++)
		histogram_add(&h, i);
	assert_int_equal(histogram_quantile(&h, 0.5), 5);
	assert_int_equal(histogram_quantile(&h, 0.51), 6);
	assert_int_equal(histogram_quantile(&h, 0.9), 9);
	histogram_add(&h, UINT64_MAX / 4);
	assert_int_equal(histogram_quantile(&h, 1), UINT64_MAX / 4);
}

static void mean_and_deviation(void **state)
{
	static struct histogram h;

	(void)state;
	histogram_clear(&h);
	for (int i = 0; i < 8; i++)
		histogram_add(&h, (uint64_t[]){2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000}[i]);
	assert_true(fabs(histogram_mean_ns(&h) - 5000) < 1e-6);
	/* of a sample: 32 / 7 us^2 */
	assert_true(fabs(histogram_sd_ns(&h) - 1000 * sqrt(32.0 / 7)) < 1e-3);
	histogram_clear(&h);
	for (int i = 0; i < 1000; i++)
		histogram_add(&h, 1234567);
	assert_true(histogram_sd_ns(&h) < 50);
}

static void fill(struct histogram *h, uint64_t seed)
{
	struct rng r;

	rng_init(&r, seed);
	histogram_clear(h);
	for (int i = 0; i < 500; i++)
		histogram_add(h, rng_below(&r, 1ULL << (8 + i % 30)));
}

static void assert_same(const struct histogram *a, const struct histogram *b)
{
	assert_memory_equal(a->n, b->n, sizeof(a->n));
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->sum_ns, b->sum_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_true(fabs(a->sum2_us - b->sum2_us) <= 1e-9 * a->sum2_us);
}

static void merging_is_adding(void **state)
{
	static struct histogram a, b, c, ab_c, bc, a_bc, ba, ab;

	(void)state;
	fill(&a, 1);
	fill(&b, 2);
	fill(&c, 3);
	ab = a;
	histogram_merge(&ab, &b);
	ba = b;
	histogram_merge(&ba, &a);
	assert_same(&ab, &ba);
	assert_int_equal(ab.count, 1000);
	ab_c = ab;
	histogram_merge(&ab_c, &c);
	bc = b;
	histogram_merge(&bc, &c);
	a_bc = a;
	histogram_merge(&a_bc, &bc);
	assert_same(&ab_c, &a_bc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_and_buckets_agree),
		cmocka_unit_test(empty_is_zero),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(mean_and_deviation),
		cmocka_unit_test(merging_is_adding),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
