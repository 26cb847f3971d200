#include "config.h"

#include "workload/alarm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"

struct fixture {
	uv_loop_t loop;
	struct alarm alarm;
	unsigned calls, again;
	uint64_t last_ns, at_ns;
};

static void alarm_cb(void *arg)
{
	struct fixture *f = arg;

	f->last_ns = clock_now_ns();
	/* never before its instant */
	assert_true(f->last_ns >= f->at_ns);
	f->calls++;
	if (f->calls < f->again) {
		f->at_ns += NS_PER_MS / 4;
		alarm_set(&f->alarm, f->at_ns);
	} else {
		uv_stop(&f->loop);
	}
}

static void begin(struct fixture *f)
{
	struct err err = {0, ""};

	uv_loop_init(&f->loop);
	assert_int_equal(alarm_init(&f->alarm, &f->loop, alarm_cb, f, &err), 0);
}

static void end(struct fixture *f)
{
	alarm_close(&f->alarm);
	alarm_close(&f->alarm);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
}

/* Instants a quarter of a millisecond apart, each set from the callback of the last. */
static void test_series(void **state)
{
	struct fixture f = {.again = 40};
	uint64_t first;

	(void)state;
	begin(&f);
	first = f.at_ns = clock_now_ns() + NS_PER_MS;
	alarm_set(&f.alarm, f.at_ns);
	uv_run(&f.loop, UV_RUN_DEFAULT);
	assert_int_equal(f.calls, 40);
	assert_int_equal(f.at_ns, first + 39 * NS_PER_MS / 4);
	/* the expiry is gone: the loop would turn for ever otherwise */
	for (int i = 0; i < 10; i++)
		uv_run(&f.loop, UV_RUN_NOWAIT);
	assert_int_equal(f.calls, 40);
	end(&f);
}

static void test_past(void **state)
{
	struct fixture f = {.again = 1};

	(void)state;
	begin(&f);
	alarm_set(&f.alarm, 0);
	uv_run(&f.loop, UV_RUN_DEFAULT);
	assert_int_equal(f.calls, 1);
	end(&f);
}

static void test_stop(void **state)
{
	struct fixture f = {.again = 1};
	uint64_t now = clock_now_ns();

	(void)state;
	begin(&f);
	alarm_set(&f.alarm, now);
	alarm_stop(&f.alarm);
	uv_run(&f.loop, UV_RUN_NOWAIT);
	assert_int_equal(f.calls, 0);
	/* a later one takes the place of an earlier one */
	alarm_set(&f.alarm, now + 3600 * NS_PER_S);
	f.at_ns = now + 2 * NS_PER_MS;
	alarm_set(&f.alarm, f.at_ns);
	uv_run(&f.loop, UV_RUN_DEFAULT);
	assert_int_equal(f.calls, 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
