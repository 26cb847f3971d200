/* Splitting scripts into statements. */
#include "config.h"

#include "db/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/strbuf.h"

typedef size_t (*next_fn)(const char *sql, size_t *pos, size_t *start);

/* The statements of a script, each in brackets. */
static void assert_split_by(next_fn next, const char *sql, const char *expected)
{
	struct strbuf sb;
	size_t pos = 0, start, len;

	strbuf_init(&sb);
	while ((len = next(sql, &pos, &start)) > 0) {
		assert_true(start + len <= strlen(sql) && pos <= strlen(sql));
		strbuf_addch(&sb, '[');
		strbuf_add(&sb, sql + start, len);
		strbuf_addch(&sb, ']');
	}
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static void assert_split(const char *sql, const char *expected)
{
	assert_split_by(db_script_next, sql, expected);
}

static void assert_split_my(const char *sql, const char *expected)
{
	assert_split_by(db_script_next_my, sql, expected);
}

static void test_plain(void **state)
{
	(void)state;
	assert_split("", "");
	assert_split(" ;; \n;", "");
	assert_split("select 1", "[select 1]");
	assert_split("a;b ; c;\n", "[a][b ][c]");
}

static void test_quotes(void **state)
{
	(void)state;
	assert_split("select ';', 'it''s;'; x", "[select ';', 'it''s;'][x]");
	assert_split("select \"a;\"\"b\"; x", "[select \"a;\"\"b\"][x]");
	/* a backslash escapes only in E'' */
	assert_split("select '\\'; x", "[select '\\'][x]");
	assert_split("select e'\\';'; x", "[select e'\\';'][x]");
	assert_split("select type'\\'; x", "[select type'\\'][x]");
	assert_split("select 'open; x", "[select 'open; x]");
}

static void test_dollars(void **state)
{
	(void)state;
	assert_split("do $$a; b$$; x", "[do $$a; b$$][x]");
	assert_split("do $f$ $$;$$ $f; $f$; x", "[do $f$ $$;$$ $f; $f$][x]");
	assert_split("select $1; select $2", "[select $1][select $2]");
	assert_split("select a$b; x$$;y", "[select a$b][x$$][y]");
	assert_split("do $$open; x", "[do $$open; x]");
}

static void test_comments(void **state)
{
	(void)state;
	assert_split("-- one; two\nselect 1 -- three; four\n; x", "[select 1 -- three; four\n][x]");
	assert_split("/* a; /* b; */ c; */ select /* ; */ 1; x", "[select /* ; */ 1][x]");
	assert_split("select 3 - 1 / 2; -- end", "[select 3 - 1 / 2]");
	assert_split("/* open; x", "");
}

static void test_characters(void **state)
{
	(void)state;
	assert_int_equal(db_characters("abc", 2), 2);
	assert_int_equal(db_characters("\xc3\xa4\xe2\x82\xac", 5), 2);
}

static void test_my(void **state)
{
	(void)state;
	assert_split_my("a;b ; c;\n", "[a][b ][c]");
	assert_split_my("select '\\';', \"\\\";\", `a;\\`; x",
			"[select '\\';', \"\\\";\", `a;\\`][x]");
	assert_split_my("# a; b\n-- c; d\nx; --\n", "[x]");
	/* two dashes without a blank are a sum */
	assert_split_my("select 1--1; x", "[select 1--1][x]");
	/* block comments do not nest, and some are none */
	assert_split_my("/* /* ; */ a; b", "[a][b]");
	assert_split_my("/*!50000 a; */ b", "[/*!50000 a; */ b]");
	assert_split_my("select $$; x", "[select $$][x]");
}

/* The numbers of the parameters, and what is left at the end. */
static void assert_parameters(const char *sql, const char *expected)
{
	struct strbuf sb;
	size_t at = 0, end = 0;
	unsigned n;

	strbuf_init(&sb);
	while ((n = db_script_parameter_my(sql, &at, &end)) > 0) {
		assert_int_equal(end, at + 2);
		assert_int_equal(sql[at], '$');
		strbuf_addf(&sb, "%u ", n);
		at = end;
	}
	assert_int_equal(at, strlen(sql));
	assert_int_equal(end, strlen(sql));
	assert_string_equal(sb.buf, expected);
	strbuf_release(&sb);
}

static void test_parameters(void **state)
{
	(void)state;
	assert_parameters("", "");
	assert_parameters("select $1 + $2, $1", "1 2 1 ");
	assert_parameters("select '$1', \"$2\", `$3`, a$4, $5 -- $6", "5 ");
	assert_parameters("/* $1 */ # $2\n$9", "9 ");
	assert_parameters("$0 $10 $ $x ($3)", "3 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),      cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_dollars),    cmocka_unit_test(test_comments),
		cmocka_unit_test(test_characters), cmocka_unit_test(test_my),
		cmocka_unit_test(test_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
