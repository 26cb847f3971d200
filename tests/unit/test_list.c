#include "config.h"

#include "workload/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/strbuf.h"

static void lists(void **state)
{
	static const char *const items[] = {"1", "20", "007", "a\"b\\c", "", "0"};
	struct strbuf s;

	(void)state;
	strbuf_init(&s);
	for (int i = 0; i < 2; i++) { /* beginning empties it */
		list_begin(&s, DIALECT_POSTGRES);
		for (unsigned k = 0; k < 6; k++)
			list_add(&s, items[k]);
		list_end(&s, DIALECT_POSTGRES);
		assert_string_equal(s.buf, "{1,20,\"007\",\"a\\\"b\\\\c\",\"\",0}");
	}
	list_begin(&s, DIALECT_MYSQL);
	list_add(&s, "1");
	list_add(&s, "x");
	list_end(&s, DIALECT_MYSQL);
	assert_string_equal(s.buf, "[1,\"x\"]");
	list_begin(&s, DIALECT_MARIADB);
	list_end(&s, DIALECT_MARIADB);
	assert_string_equal(s.buf, "[]");
	strbuf_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lists)};

	return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
