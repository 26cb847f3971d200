/* Counts of generic and custom plans. */
#include "config.h"

#include "model/plans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_growth(void **state)
{
	struct plan_counts before = {.n = 0}, after = {.n = 0};

	(void)state;
	plan_counts_add(&before, "complete", 10, 5);
	plan_counts_add(&before, "gone", 1, 1);
	plan_counts_add(&before, "again", 100, 5);
	plan_counts_add(&after, "claim_8", 0, 3);
	plan_counts_add(&after, "complete", 20, 3);
	plan_counts_add(&after, "complete", 10, 4);
	plan_counts_add(&after, "again", 2, 5);
	plan_counts_sub(&after, &before);
	assert_int_equal(after.n, 3);
	assert_int_equal(after.v[0].custom, 3);
	assert_string_equal(after.v[1].name, "complete");
	assert_int_equal(after.v[1].generic, 20);
	assert_int_equal(after.v[1].custom, 2);
	/* prepared anew in between */
	assert_int_equal(after.v[2].generic, 2);
	assert_int_equal(after.v[2].custom, 5);
	plan_counts_clear(&before);
	plan_counts_clear(&after);
	assert_int_equal(after.n, 0);
}

static const struct plan_count *anew(uint64_t generic, uint64_t custom, unsigned connections)
{
	static struct plan_count v[2];
	static struct plan_counts p = {v, 2, true};

	v[0] = (struct plan_count){"claim_8", generic, custom};
	v[1] = (struct plan_count){"complete", 1000, 5};
	return plan_counts_anew(&p, connections);
}

static void test_anew(void **state)
{
	struct plan_counts none = {.n = 0};

	(void)state;
	assert_null(plan_counts_anew(&none, 4));
	assert_string_equal(anew(0, 400, 4)->name, "claim_8");
	/* so many it takes to find out */
	assert_null(anew(0, 20, 4));
	assert_non_null(anew(0, 21, 4));
	assert_null(anew(0, 21, 5));
	/* most of the time the one plan was taken */
	assert_null(anew(500, 400, 4));
	assert_non_null(anew(300, 400, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
