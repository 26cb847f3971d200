/* The order of a plan: interleaved, backwards in each second repeat. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/plan.h"

static const enum dialect dialects[] = {DIALECT_POSTGRES};

static void test_abba(void **state)
{
	static const unsigned expect[] = {0, 1, 1, 0, 0, 1};
	struct plan p;

	(void)state;
	plan_build(&p, dialects, 1, 2, 3);
	assert_int_equal(p.len, 6);
	for (size_t i = 0; i < p.len; i++) {
		assert_int_equal(p.items[i].variant, expect[i]);
		assert_int_equal(p.items[i].repeat, i / 2);
		assert_int_equal(p.items[i].order, i % 2);
		assert_int_equal(p.items[i].dialect, DIALECT_POSTGRES);
	}
	plan_release(&p);
	assert_int_equal(p.len, 0);
}

static void test_each_variant_once_a_repeat(void **state)
{
	struct plan p;
	unsigned seen[5][7] = {{0}};

	(void)state;
	plan_build(&p, dialects, 1, 7, 5);
	assert_int_equal(p.len, 35);
	for (size_t i = 0; i < p.len; i++)
		seen[p.items[i].repeat][p.items[i].variant]++;
	for (int r = 0; r < 5; r++) {
		for (int v = 0; v < 7; v++)
			assert_int_equal(seen[r][v], 1);
	}
	plan_release(&p);
}

static void test_empty(void **state)
{
	struct plan p;

	(void)state;
	plan_build(&p, dialects, 0, 2, 1);
	assert_int_equal(p.len, 0);
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_abba),
		cmocka_unit_test(test_each_variant_once_a_repeat),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
