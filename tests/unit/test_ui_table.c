/* Tables: columns by priority, sorting, folding, filter, search, scrolling. */
#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/strbuf.h"
#include "ui/table.h"

enum { NAME, A, B, EMPTY };

static const struct table_column columns[] = {
	{"NAME", 4, 12, 0, 0, COLUMN_TEXT | COLUMN_SHRINK},
	{"A", 6, 0, 2, 1, COLUMN_RIGHT},
	{"B", 6, 0, 2, 2, COLUMN_RIGHT},
	{"EMPTY", 6, 0, 2, 3, COLUMN_RIGHT},
};

static struct table t;
static struct table_state s;
static struct canvas c;

static void add(uint64_t id, int parent, const char *name, double a, double b)
{
	struct table_row *row = table_add(&t, id, parent);
	struct figure none = {0, VALUE_NONE};

	table_str(row, NAME, name);
	table_figure(&t, row, A, (struct figure){a, VALUE_OK}, 1);
	table_figure(&t, row, B, b < 0 ? none : (struct figure){b, VALUE_OK}, 1);
	table_figure(&t, row, EMPTY, none, 1);
}

static void fill(void)
{
	table_init(&t, columns, 4, true);
	add(1, TABLE_NO_PARENT, "one", 1, 30);
	add(2, TABLE_NO_PARENT, "two", 3, -1);
	add(21, 1, "two-a", 2, 5);
	add(22, 1, "two-b", 1, 6);
	add(3, TABLE_NO_PARENT, "three", 2, 10);
	add(9, TABLE_NO_PARENT, "TOTAL", 6, 40);
	t.rows.items[5].pinned = true;
}

static void set_text(char out[TABLE_TEXT_MAX], const char *text)
{
	snprintf(out, TABLE_TEXT_MAX, "%s", text);
}

static int setup(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	canvas_init(&c, 30, 10, true);
	table_state_init(&s);
	fill();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	table_release(&t);
	canvas_release(&c);
	return 0;
}

static void expect(int width, int height, const char *wanted)
{
	struct strbuf sb;

	table_release(&t);
	fill();
	canvas_resize(&c, width, height);
	table_arrange(&t, &s);
	table_draw(&t, &s, &c, (struct area){0, 0, width, height});
	strbuf_init(&sb);
	canvas_dump(&c, &sb);
	while (sb.len > 1 && sb.buf[sb.len - 2] == '\n')
		sb.buf[--sb.len] = 0;
	assert_string_equal(sb.buf, wanted);
	strbuf_release(&sb);
}

static void test_columns(void **state)
{
	(void)state;
	expect(30, 10,
	       "NAME          A       B\none        1.00   30.00\ntwo        3.00       -\n"
	       "├ two-a    2.00    5.00\n└ two-b    1.00    6.00\nthree      2.00   10.00\n"
	       "TOTAL      6.00   40.00\n");
	/* By priority, the first one never. */
	expect(14, 3, "NAME         A\none       1.00\nTOTAL     6.00\n");
	expect(5, 3, "NAME\none\nTOTAL\n");
	expect(1, 3, "N\no\nT\n");
}

static void test_kept_column(void **state)
{
	(void)state;
	t.keep[EMPTY] = true;
	table_arrange(&t, &s);
	table_draw(&t, &s, &c, (struct area){0, 0, 24, 10});
	assert_int_equal(s.ncolumns, 3); /* it is the first that goes */
	canvas_resize(&c, 60, 10);
	table_draw(&t, &s, &c, (struct area){0, 0, 60, 10});
	assert_int_equal(s.ncolumns, 4);
}

static void test_marks(void **state)
{
	struct table_row *row = table_add(&t, 50, TABLE_NO_PARENT);

	(void)state;
	table_figure(&t, row, A, (struct figure){1.25, VALUE_SCALED}, 1);
	assert_string_equal(row->cells[A].text, "1.25*");
	table_figure(&t, row, A, (struct figure){2, VALUE_AT_LEAST}, 1);
	assert_string_equal(row->cells[A].text, "≥2.00");
	table_figure(&t, row, A, (struct figure){2, VALUE_UNREADABLE}, 1);
	assert_string_equal(row->cells[A].text, "?");
	assert_false(row->cells[A].known);
	table_figure(&t, row, A, (struct figure){0, VALUE_OK}, 1);
	assert_string_equal(row->cells[A].text, "0.00");
	assert_true(row->cells[A].known);
	table_textf(row, A, 0, "%s", "123456789012345678901234567890123456789é");
	assert_true(strlen(row->cells[A].text) < sizeof(row->cells[A].text));
}

static void test_sort(void **state)
{
	(void)state;
	expect(30, 10,
	       "NAME          A       B\none        1.00   30.00\ntwo        3.00       -\n"
	       "├ two-a    2.00    5.00\n└ two-b    1.00    6.00\nthree      2.00   10.00\n"
	       "TOTAL      6.00   40.00\n");
	table_act(&s, ACTION_SORT_NEXT);
	assert_int_equal(s.sort, NAME);
	table_act(&s, ACTION_SORT_NEXT);
	table_act(&s, ACTION_SORT_NEXT);
	assert_int_equal(s.sort, B);
	/* The largest first; what is not known last; the total stays; children within their root.
	 */
	expect(30, 10,
	       "NAME          A       B\none        1.00   30.00\nthree      2.00   10.00\n"
	       "two        3.00       -\n├ two-b    1.00    6.00\n└ two-a    2.00    5.00\n"
	       "TOTAL      6.00   40.00\n");
	table_act(&s, ACTION_REVERSE);
	expect(30, 10,
	       "NAME          A       B\nthree      2.00   10.00\none        1.00   30.00\n"
	       "two        3.00       -\n├ two-a    2.00    5.00\n└ two-b    1.00    6.00\n"
	       "TOTAL      6.00   40.00\n");
	table_act(&s, ACTION_SORT_NEXT);
	assert_int_equal(s.sort, TABLE_NO_SORT);
	table_act(&s, ACTION_SORT_PREV);
	assert_int_equal(s.sort, B);
}

static void test_fold(void **state)
{
	static const char folded[] = "NAME        A\none      1.00\ntwo      3.00\nthree    2.00\n"
				     "TOTAL    6.00\n";

	(void)state;
	table_arrange(&t, &s);
	table_act(&s, ACTION_TREE);
	expect(13, 10, folded);
	table_act(&s, ACTION_TREE);
	assert_int_equal(s.folded, 0);
	/* Left on a child folds its branch. */
	expect(13, 10,
	       "NAME        A\none      1.00\ntwo      3.00\n├ tw…    2.00\n"
	       "└ tw…    1.00\nthree    2.00\nTOTAL    6.00\n");
}

static void test_fold_branch(void **state)
{
	(void)state;
	table_arrange(&t, &s);
	for (int i = 0; i < 4; i++)
		table_act(&s, ACTION_DOWN);
	table_arrange(&t, &s);
	assert_int_equal(s.id, 22);
	assert_int_equal(s.root_id, 2);
	table_act(&s, ACTION_FOLD);
	assert_int_equal(s.folded, 1 << 2);
	table_act(&s, ACTION_UNFOLD);
	assert_int_equal(s.folded, 0);
}

static void test_filter(void **state)
{
	(void)state;
	set_text(s.filter, "TWO-B");
	expect(15, 10, "NAME          A\ntwo        3.00\n└ two-b    1.00\nTOTAL      6.00\n");
	set_text(s.filter, "two");
	table_arrange(&t, &s);
	assert_int_equal(t.norder, 4);
	set_text(s.filter, "nothing");
	expect(14, 10, "NAME         A\nTOTAL     6.00\n");
}

static void test_search(void **state)
{
	(void)state;
	set_text(s.search, "t");
	table_act(&s, ACTION_SEARCH_NEXT);
	table_arrange(&t, &s);
	assert_true(s.found && s.active);
	assert_int_equal(s.id, 2);
	table_act(&s, ACTION_SEARCH_NEXT);
	table_arrange(&t, &s);
	assert_int_equal(s.id, 21);
	set_text(s.search, "one");
	table_act(&s, ACTION_SEARCH_NEXT);
	table_arrange(&t, &s);
	assert_int_equal(s.id, 1);
	set_text(s.search, "zzz");
	table_act(&s, ACTION_SEARCH_NEXT);
	table_arrange(&t, &s);
	assert_false(s.found);
	assert_int_equal(s.id, 1);
}

static void test_squeeze(void **state)
{
	(void)state;
	/* Children go first, and are counted; roots and total stay. */
	expect(14, 6,
	       "NAME         A\none       1.00\ntwo       3.00\n└ 2 more\nthree     2.00\n"
	       "TOTAL     6.00\n");
	expect(14, 5,
	       "NAME         A\none       1.00\ntwo       3.00\nthree     2.00\n"
	       "TOTAL     6.00\n");
	/* Then it scrolls, above a total that stays. */
	expect(14, 4, "NAME         A\none       1.00\ntwo       3.00\nTOTAL     6.00\n");
	for (int i = 0; i < 3; i++)
		table_act(&s, ACTION_DOWN);
	expect(14, 4, "NAME         A\ntwo       3.00\n├ two…    2.00\nTOTAL     6.00\n");
	for (int i = 0; i < 2; i++)
		table_act(&s, ACTION_DOWN);
	expect(14, 4, "NAME         A\n└ two…    1.00\nthree     2.00\nTOTAL     6.00\n");
	table_act(&s, ACTION_HOME);
	expect(14, 4, "NAME         A\none       1.00\ntwo       3.00\nTOTAL     6.00\n");
	table_act(&s, ACTION_END);
	table_arrange(&t, &s);
	assert_int_equal(s.id, 9);
}

static void test_follow(void **state)
{
	(void)state;
	table_arrange(&t, &s);
	table_draw(&t, &s, &c, (struct area){0, 0, 30, 10});
	table_act(&s, ACTION_DOWN);
	table_arrange(&t, &s);
	assert_int_equal(s.id, 1);
	s.sort = A;
	table_arrange(&t, &s);
	assert_int_equal(s.id, 2); /* the cursor kept its place */
	table_act(&s, ACTION_FOLLOW);
	s.sort = TABLE_NO_SORT;
	table_arrange(&t, &s);
	assert_int_equal(s.id, 2);
	assert_int_equal(s.cursor, 1);
}

static void test_click(void **state)
{
	(void)state;
	table_arrange(&t, &s);
	table_draw(&t, &s, &c, (struct area){0, 2, 30, 8});
	assert_false(table_click(&s, 2));
	assert_true(table_click(&s, 4));
	assert_int_equal(s.cursor, 1);
	assert_false(table_click(&s, 20));
}

static void test_empty(void **state)
{
	(void)state;
	table_release(&t);
	table_init(&t, columns, 4, true);
	for (int a = ACTION_NONE; a < ACTION_COUNT; a++) {
		table_act(&s, (enum action)a);
		table_arrange(&t, &s);
		table_draw(&t, &s, &c, (struct area){0, 0, 30, 10});
		assert_false(s.active);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept_column, setup, teardown),
		cmocka_unit_test_setup_teardown(test_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sort, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fold, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fold_branch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filter, setup, teardown),
		cmocka_unit_test_setup_teardown(test_search, setup, teardown),
		cmocka_unit_test_setup_teardown(test_squeeze, setup, teardown),
		cmocka_unit_test_setup_teardown(test_follow, setup, teardown),
		cmocka_unit_test_setup_teardown(test_click, setup, teardown),
		cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
