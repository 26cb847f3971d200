#include "config.h"

#include "workload/pacing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"

static void test_grid(void **state)
{
	struct pacing p;

	(void)state;
	pacing_start(&p, 1000, 20 * 1000, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(pacing_due_ns(&p), 1000 + i * 50 * NS_PER_MS);
		pacing_advance(&p, 1);
	}
}

/* 3 jobs a second do not divide a second: after an hour the clock must still be right. */
static void test_no_drift(void **state)
{
	struct pacing p;

	(void)state;
	pacing_start(&p, 7, 3000, 1);
	assert_int_equal(pacing_due_ns(&p), 7 + NS_PER_S / 3);
	for (unsigned i = 1; i < 3 * 3600; i++)
		pacing_advance(&p, 1);
	assert_int_equal(pacing_due_ns(&p), 7 + 3600 * NS_PER_S);
}

static void test_never(void **state)
{
	struct pacing p;

	(void)state;
	pacing_start(&p, 5, 0, 0);
	assert_true(pacing_due_ns(&p) == PACING_NEVER);
	/* a job in 1000 s, and so many of them that it is beyond the clock */
	pacing_start(&p, 5, 1, 1);
	assert_int_equal(pacing_due_ns(&p), 5 + 1000 * NS_PER_S);
	pacing_start(&p, 5, 1, UINT64_MAX / 2);
	assert_true(pacing_due_ns(&p) == PACING_NEVER);
}

static void test_fast(void **state)
{
	struct pacing p;

	(void)state;
	pacing_start(&p, 0, 1000000ULL * 1000, 0);
	for (unsigned i = 0; i < 100000000; i += 10000000)
		p.next += 10000000;
	assert_int_equal(pacing_due_ns(&p), 100 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_no_drift),
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
