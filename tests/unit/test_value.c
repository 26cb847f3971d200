#include "config.h"

#include "model/value.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/counters.h"
#include "model/dialect.h"
#include "model/messages.h"
#include "model/model.h"

#define STATES 5

/* What a sum of two states is: the header's rule, spelt out. */
static const enum value_state expected[STATES][STATES] = {
	[VALUE_NONE] = {VALUE_NONE, VALUE_UNREADABLE, VALUE_NONE, VALUE_NONE, VALUE_NONE},
	[VALUE_UNREADABLE] = {VALUE_UNREADABLE, VALUE_UNREADABLE, VALUE_UNREADABLE,
			      VALUE_UNREADABLE, VALUE_UNREADABLE},
	[VALUE_OK] = {VALUE_NONE, VALUE_UNREADABLE, VALUE_OK, VALUE_SCALED, VALUE_AT_LEAST},
	[VALUE_SCALED] = {VALUE_NONE, VALUE_UNREADABLE, VALUE_SCALED, VALUE_SCALED, VALUE_AT_LEAST},
	[VALUE_AT_LEAST] = {VALUE_NONE, VALUE_UNREADABLE, VALUE_AT_LEAST, VALUE_AT_LEAST,
			    VALUE_AT_LEAST},
};

static void states_combine(void **state)
{
	(void)state;
	for (unsigned i = 0; i < STATES; i++) {
		for (unsigned j = 0; j < STATES; j++) {
			struct value a = {7, (enum value_state)i}, b = {10, (enum value_state)j};
			struct value sum = value_add(a, b), difference = value_sub(a, b);

			assert_int_equal(sum.state, expected[i][j]);
			assert_int_equal(difference.state, expected[i][j]);
			assert_int_equal(sum.v, value_known(sum) ? 17 : 0);
			assert_int_equal(difference.v, value_known(difference) ? -3 : 0);
		}
	}
}

static void divides(void **state)
{
	struct figure f = value_per(value_of(-7), 2);

	(void)state;
	assert_int_equal(f.state, VALUE_OK);
	assert_true(fabs(f.v + 3.5) < 1e-12);
	assert_int_equal(value_per((struct value){7, VALUE_SCALED}, 2).state, VALUE_SCALED);
	assert_int_equal(value_per((struct value){7, VALUE_UNREADABLE}, 2).state, VALUE_UNREADABLE);
	assert_int_equal(value_per((struct value){7, VALUE_NONE}, 0).state, VALUE_NONE);
	assert_int_equal(value_per(value_of(7), 0).state, VALUE_NONE);
	assert_int_equal(value_per(value_of(7), -1).state, VALUE_NONE);
	assert_int_equal(value_per(value_of(7), NAN).state, VALUE_NONE);
	assert_false(figure_known(value_per(value_of(7), 0)));
}

static void names(void **state)
{
	enum dialect d;

	(void)state;
	assert_string_equal(dialect_name(DIALECT_POSTGRES), "postgres");
	assert_true(dialect_parse("postgres", &d));
	assert_int_equal(d, DIALECT_POSTGRES);
	assert_true(dialect_parse("mysql", &d));
	assert_string_equal(dialect_name(d), "mysql");
	assert_true(dialect_parse("mariadb", &d));
	assert_string_equal(dialect_name(d), "mariadb");
	assert_false(dialect_parse("Postgres", &d));
	assert_false(dialect_parse("", &d));
	assert_string_equal(dialect_name((enum dialect)DIALECT_COUNT), "?");
	assert_string_equal(counter_source_name(COUNTERS_NONE), "none");
	assert_string_equal(counter_source_name(COUNTERS_PERF), "perf");
	assert_string_equal(cpu_source_name(CPU_CGROUP), "cgroup");
	for (unsigned p = 0; p < PHASE_COUNT; p++)
		assert_true(strlen(phase_name((enum phase)p)) > 1);
	assert_string_equal(phase_name(PHASE_COUNT), "?");
	for (unsigned p = 0; p < PART_COUNT; p++)
		assert_true(strlen(part_name((enum part)p)) > 1);
	assert_string_equal(part_name(PART_NONE), "process");
	assert_string_equal(role_name(ROLE_DATABASE), "database");
}

static void messages_are_a_ring(void **state)
{
	static struct messages m;

	(void)state;
	assert_null(messages_at(&m, 0));
	for (unsigned i = 0; i < MESSAGES_MAX + 10; i++) {
		messages_add(&m, i % 2 ? MESSAGE_ERROR : MESSAGE_INFO, "message %u", i);
		assert_int_equal(m.len, i < MESSAGES_MAX ? i + 1 : MESSAGES_MAX);
		assert_int_equal(m.total, i + 1);
	}
	assert_string_equal(messages_at(&m, 0)->text, "message 10");
	assert_int_equal(messages_at(&m, 1)->level, MESSAGE_ERROR);
	assert_string_equal(messages_at(&m, MESSAGES_MAX - 1)->text, "message 521");
	assert_null(messages_at(&m, MESSAGES_MAX));
	assert_true(messages_at(&m, 0)->wall_ns > 0);
}

static void messages_are_escaped(void **state)
{
	static struct messages m;
	char big[1000];

	(void)state;
	messages_add(&m, MESSAGE_INFO, "server says: %s", "\033]0;x\a\n");
	assert_string_equal(messages_at(&m, 0)->text, "server says: \\x1b]0;x\\x07\\x0a");
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	memcpy(big + 254, "\xc3\xa9", 2);
	messages_add(&m, MESSAGE_INFO, "%s", big);
	assert_int_equal(strlen(messages_at(&m, 1)->text), 254);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_combine),
		cmocka_unit_test(divides),
		cmocka_unit_test(names),
		cmocka_unit_test(messages_are_a_ring),
		cmocka_unit_test(messages_are_escaped),
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
