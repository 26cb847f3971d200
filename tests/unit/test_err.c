#include "config.h"

#include "lib/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void sets_code_and_text(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_set(&err, -EINVAL, "%s: %d; do %s", "x", 7, "y"), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_string_equal(err.text, "x: 7; do y");
	err_prefix(&err, "file %d", 3);
	assert_int_equal(err.code, -EINVAL);
	assert_string_equal(err.text, "file 3: x: 7; do y");
	err_clear(&err);
	assert_int_equal(err.code, 0);
	assert_string_equal(err.text, "");
}

static void takes_null(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -ENOENT, "x"), -ENOENT);
	err_prefix(NULL, "x");
	err_clear(NULL);
}

static void escapes_what_it_holds(void **state)
{
	struct err err = {0};

	(void)state;
	err_set(&err, -EIO, "%s", "two\nlines \033[31m");
	assert_string_equal(err.text, "two\\x0alines \\x1b[31m");
	err_prefix(&err, "%s", "\r");
	assert_string_equal(err.text, "\\x0d: two\\x0alines \\x1b[31m");
}

static void cuts_long_texts(void **state)
{
	char big[2000];
	struct err err = {0};

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&err, -EIO, "%s", big);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	err_prefix(&err, "head");
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 1);
	assert_memory_equal(err.text, "head: xxx", 9);
	/* not half a character: the second byte of the last one would not fit */
	memcpy(big + ERR_TEXT_MAX - 2, "\xc3\xa9", 2);
	err_set(&err, -EIO, "%s", big);
	assert_int_equal(strlen(err.text), ERR_TEXT_MAX - 2);
}

/* Its own text as an argument, as a caller that adds to a message does. */
static void takes_its_own_text(void **state)
{
	struct err err = {0};

	(void)state;
	err_set(&err, -EIO, "why");
	err_set(&err, -EIO, "%s; what to do", err.text);
	assert_string_equal(err.text, "why; what to do");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_code_and_text),    cmocka_unit_test(takes_null),
		cmocka_unit_test(escapes_what_it_holds), cmocka_unit_test(cuts_long_texts),
		cmocka_unit_test(takes_its_own_text),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
