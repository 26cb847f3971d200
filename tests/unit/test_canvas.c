/* The canvas: clipping, width, escaping, bars. */
#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/strbuf.h"
#include "ui/canvas.h"

static struct canvas c;

static void expect(const char *wanted)
{
	struct strbuf sb;

	strbuf_init(&sb);
	canvas_dump(&c, &sb);
	assert_string_equal(sb.buf, wanted);
	strbuf_release(&sb);
}

static int setup_utf8(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	canvas_init(&c, 10, 2, true);
	return 0;
}

static int setup_ascii(void **state)
{
	(void)state;
	canvas_init(&c, 10, 2, false);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	canvas_release(&c);
	return 0;
}

static void test_text(void **state)
{
	(void)state;
	assert_int_equal(canvas_text(&c, 2, 0, -1, STYLE_TITLE, "abc"), 3);
	assert_int_equal(c.cells[2].style, STYLE_TITLE);
	assert_int_equal(c.cells[5].style, STYLE_NORMAL);
	assert_int_equal(canvas_printf(&c, 0, 1, STYLE_NORMAL, "%s=%d", "x", 7), 3);
	expect("  abc\nx=7\n");
}

static void test_clipping(void **state)
{
	(void)state;
	assert_int_equal(canvas_text(&c, 8, 0, -1, STYLE_NORMAL, "abc"), 2);
	assert_int_equal(canvas_text(&c, 0, 0, 2, STYLE_NORMAL, "xyz"), 2);
	assert_int_equal(canvas_text(&c, 10, 0, -1, STYLE_NORMAL, "no"), 0);
	assert_int_equal(canvas_text(&c, 0, 2, -1, STYLE_NORMAL, "no"), 0);
	assert_int_equal(canvas_text(&c, 0, -1, -1, STYLE_NORMAL, "no"), 0);
	assert_int_equal(canvas_text(&c, 0, 0, 0, STYLE_NORMAL, "no"), 0);
	canvas_text(&c, -2, 1, -1, STYLE_NORMAL, "123456789012345");
	expect("xy      ab\n3456789012\n");
}

static void test_wide(void **state)
{
	(void)state;
	assert_int_equal(canvas_text(&c, 0, 0, -1, STYLE_NORMAL, "漢字"), 4);
	assert_int_equal(c.cells[1].cp[0], 0);
	expect("漢字\n\n");
	/* Writing over the right half takes the left one away, and the other way round. */
	canvas_text(&c, 1, 0, -1, STYLE_NORMAL, "x");
	expect(" x字\n\n");
	canvas_text(&c, 2, 0, -1, STYLE_NORMAL, "y");
	expect(" xy\n\n");
	assert_int_equal(c.cells[3].cp[0], ' ');
	/* A wide one over two wide ones. */
	canvas_text(&c, 0, 1, -1, STYLE_NORMAL, "漢字");
	canvas_text(&c, 1, 1, -1, STYLE_NORMAL, "語");
	expect(" xy\n 語\n");
}

static void test_wide_at_the_edge(void **state)
{
	(void)state;
	assert_int_equal(canvas_text(&c, 9, 0, -1, STYLE_NORMAL, "漢"), 0);
	assert_int_equal(canvas_text(&c, 0, 1, 3, STYLE_NORMAL, "漢字"), 2);
	expect("\n漢\n");
	assert_int_equal(canvas_fit(&c, 0, 1, 5, STYLE_NORMAL, "漢字語"), 5);
	expect("\n漢字…\n");
}

static void test_combining(void **state)
{
	(void)state;
	assert_int_equal(canvas_text(&c, 0, 0, -1, STYLE_NORMAL, "e\xcc\x81x"), 2);
	assert_int_equal(c.cells[0].cp[0], 'e');
	assert_int_equal(c.cells[0].cp[1], 0x301);
	assert_int_equal(c.cells[1].cp[0], 'x');
	/* More than two are left out; one without a base must not sit on a foreign cell. */
	canvas_text(&c, 0, 1, -1, STYLE_NORMAL,
		    "a\xcc\x81\xcc\x82\xcc\x83"
		    "b");
	assert_int_equal(c.cells[10].cp[2], 0x302);
	canvas_text(&c, 5, 0, -1, STYLE_NORMAL, "\xcc\x81y");
	assert_int_equal(c.cells[5].cp[0], '?');
	assert_int_equal(c.cells[4].cp[1], 0);
	assert_int_equal(canvas_measure(&c, "e\xcc\x81x"), 2);
	/* What was there before does not linger. */
	canvas_text(&c, 0, 0, -1, STYLE_NORMAL, "z");
	assert_int_equal(c.cells[0].cp[1], 0);
}

static void test_escapes(void **state)
{
	(void)state;
	canvas_text(&c, 0, 0, -1, STYLE_NORMAL, "a\033b\n");
	canvas_text(&c, 0, 1, -1, STYLE_NORMAL, "\xe2\x80\xae");
	expect("a\\x1bb\\x0a\n\\xe2\\x80\\x\n");
	canvas_clear(&c);
	canvas_text(&c, 0, 0, -1, STYLE_NORMAL, "\xff|\xc2\x9b");
	expect("\\xff|\\xc2\\\n\n");
	assert_int_equal(canvas_measure(&c, "\xff|"), 5);
}

static void test_right(void **state)
{
	(void)state;
	canvas_right(&c, 0, 0, 10, STYLE_NORMAL, "4.00");
	canvas_right(&c, 0, 1, 4, STYLE_NORMAL, "123456");
	expect("      4.00\n123…\n");
}

static void test_bar(void **state)
{
	(void)state;
	canvas_bar(&c, 0, 0, 10, 0.55);
	canvas_bar(&c, 0, 1, 4, 2);
	expect("█████▌░░░░\n████\n");
	canvas_bar(&c, 0, 1, 4, -1);
	canvas_bar(&c, 8, 0, 4, 1);
	canvas_bar(&c, 0, 0, 0, 1);
	expect("█████▌░░██\n░░░░\n");
}

static void test_spark(void **state)
{
	static const double values[] = {9, 9, 0, 2, -1, 4};

	(void)state;
	canvas_spark(&c, 0, 0, 4, values, 6);
	canvas_spark(&c, 0, 1, 8, values, 6);
	expect("▁▄ █\n  ██▁▂ ▄\n");
}

static void test_ascii(void **state)
{
	(void)state;
	canvas_text(&c, 0, 0, -1, STYLE_NORMAL, "é~");
	canvas_bar(&c, 0, 1, 10, 0.55);
	expect("\\xc3\\xa9~\n######....\n");
	canvas_fit(&c, 0, 0, 4, STYLE_NORMAL, "abcdef");
	expect("abc~\\xa9~\n######....\n");
}

static void test_sizes(void **state)
{
	static const double values[] = {1, 2};

	(void)state;
	for (int w = -1; w < 4; w++) {
		for (int h = -1; h < 4; h++) {
			canvas_resize(&c, w, h);
			assert_true(c.width == (w > 0 ? w : 0) && c.height == (h > 0 ? h : 0));
			canvas_text(&c, 0, 0, -1, STYLE_NORMAL, "漢字 text");
			canvas_fit(&c, 1, 1, 9, STYLE_NORMAL, "漢字 text");
			canvas_right(&c, 0, 0, 5, STYLE_NORMAL, "x");
			canvas_bar(&c, 0, 0, 9, 0.5);
			canvas_spark(&c, 0, 2, 9, values, 2);
			canvas_style(&c, -1, 0, 9, STYLE_BAD);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_text, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_clipping, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_wide, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_wide_at_the_edge, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_combining, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_escapes, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_right, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_bar, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_spark, setup_utf8, teardown),
		cmocka_unit_test_setup_teardown(test_ascii, setup_ascii, teardown),
		cmocka_unit_test_setup_teardown(test_sizes, setup_utf8, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
