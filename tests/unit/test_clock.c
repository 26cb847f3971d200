#include "config.h"

#include "lib/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static uint64_t fake(void *arg)
{
	return (*(uint64_t *)arg)++;
}

static void can_be_replaced(void **state)
{
	uint64_t now = 5, real;

	(void)state;
	clock_set_source(fake, &now);
	assert_int_equal(clock_now_ns(), 5);
	assert_int_equal(clock_now_ns(), 6);
	clock_set_source(NULL, NULL);
	real = clock_now_ns();
	assert_true(real > NS_PER_S);
	assert_true(clock_now_ns() >= real);
}

static void tells_wall_time(void **state)
{
	uint64_t s = (uint64_t)time(NULL);

	(void)state;
	assert_true(clock_wall_ns() / NS_PER_S >= s);
	assert_true(clock_wall_ns() / NS_PER_S <= s + 60);
}

static void writes_rfc3339(void **state)
{
	char out[32];

	(void)state;
	clock_rfc3339(0, out);
	assert_string_equal(out, "1970-01-01T00:00:00.000Z");
	clock_rfc3339(1796071400 * NS_PER_S + 123999999, out);
	assert_string_equal(out, "2026-11-30T20:43:20.123Z");
	clock_rfc3339(951782400 * NS_PER_S, out);
	assert_string_equal(out, "2000-02-29T00:00:00.000Z");
	/* the time zone does not matter */
	setenv("TZ", "Asia/Tokyo", 1);
	tzset();
	clock_rfc3339(0, out);
	assert_string_equal(out, "1970-01-01T00:00:00.000Z");
	unsetenv("TZ");
	clock_rfc3339(UINT64_MAX, out);
	assert_string_equal(out, "2554-07-21T23:34:33.709Z");
}

static void measures_itself(void **state)
{
	(void)state;
	assert_true(clock_read_cost_ns(1000) < NS_PER_MS);
	assert_true(clock_read_cost_ns(1000) > 0);
	assert_true(clock_read_cost_ns(0) < NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(can_be_replaced),
		cmocka_unit_test(tells_wall_time),
		cmocka_unit_test(writes_rfc3339),
		cmocka_unit_test(measures_itself),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
