#include "config.h"

#include "lib/format.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/strbuf.h"

static void fixed(void **state)
{
	static const struct {
		double value;
		int decimals;
		const char *text;
	} cases[] = {
		{156.06, 2, "156.06"},
		{0, 2, "0.00"},
		{-0.001, 2, "0.00"},
		{-0.0, 0, "0"},
		{-0.005, 2, "-0.01"},
		{0.125, 2, "0.13"},
		{-0.125, 2, "-0.13"},
		{2.5, 0, "3"},
		{-2.5, 0, "-3"},
		{0.999, 2, "1.00"},
		{1234567.891, 1, "1234567.9"},
		{999999999, 0, "999999999"},
		{999999999.4, 0, "999999999"},
		{999999999.5, 0, "1.0e9"},
		{999999999.999, 2, "1.0e9"},
		{1e9, 2, "1.0e9"},
		{1.24e9, 2, "1.2e9"},
		{1.25e9, 2, "1.3e9"},
		{9.96e9, 0, "1.0e10"},
		{-1.24e12, 2, "-1.2e12"},
		{1e300, 2, "1.0e300"},
		{0.5, 40, "0.500000"},
		{1.5, -3, "2"},
	};
	char out[FORMAT_CELL_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		format_fixed(out, cases[i].value, cases[i].decimals);
		assert_string_equal(out, cases[i].text);
	}
	format_fixed(out, NAN, 2);
	assert_string_equal(out, "?");
	format_fixed(out, -INFINITY, 2);
	assert_string_equal(out, "?");
}

static void ratios(void **state)
{
	static const struct {
		double ratio;
		const char *ratio_text, *change;
	} cases[] = {
		{0.05, "0.05x", "-95%"},   {1, "1.00x", "+0%"},       {0.9999, "1.00x", "+0%"},
		{1.05, "1.05x", "+5%"},    {12.3, "12.3x", "+1130%"}, {9.994, "9.99x", "+899%"},
		{9.996, "10.0x", "+900%"}, {99.96, "100x", "+9896%"}, {130.2, "130x", "+12920%"},
		{0, "0.00x", "-100%"},     {13.5, "13.5x", "+1250%"},
	};
	char out[FORMAT_CELL_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		format_ratio(out, cases[i].ratio);
		assert_string_equal(out, cases[i].ratio_text);
		format_change(out, cases[i].ratio);
		assert_string_equal(out, cases[i].change);
	}
	format_ratio(out, NAN);
	assert_string_equal(out, "?");
	format_change(out, INFINITY);
	assert_string_equal(out, "?");
}

static void durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0.0 ms"},
		{400 * NS_PER_US, "0.4 ms"},
		{449 * NS_PER_US, "0.4 ms"},
		{450 * NS_PER_US, "0.5 ms"},
		{NS_PER_S - NS_PER_MS, "999.0 ms"},
		{NS_PER_S - 1, "1.0 s"},
		{1200 * NS_PER_MS, "1.2 s"},
		{59940 * NS_PER_MS, "59.9 s"},
		{59960 * NS_PER_MS, "1m00s"},
		{192 * NS_PER_S, "3m12s"},
		{3599 * NS_PER_S + 900 * NS_PER_MS, "1h00m"},
		{3720 * NS_PER_S, "1h02m"},
		{UINT64_MAX, "5124095h34m"},
	};
	char out[FORMAT_CELL_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		format_duration(out, cases[i].ns);
		assert_string_equal(out, cases[i].text);
	}
}

static void sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0 B"},
		{512, "512 B"},
		{1023, "1023 B"},
		{1024, "1.0 KB"},
		{1331, "1.3 KB"},
		{10189, "10 KB"},
		{1023 * 1024, "1023 KB"},
		{1024 * 1024 - 1, "1.0 MB"},
		{45u << 20, "45 MB"},
		{UINT64_MAX, "16 EB"},
	};
	char out[FORMAT_CELL_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		format_bytes(out, cases[i].bytes);
		assert_string_equal(out, cases[i].text);
	}
}

static void parses_doubles(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0", 0},    {"1.5", 1.5}, {"-2", -2},    {"+3", 3},
		    {".5", 0.5}, {"7.", 7},    {"1e3", 1000}, {"2.5E-1", 0.25}};
	static const char *const bad[] = {"",    " ",   "1 ",    " 1",  "x",      "1x",       "1,5",
					  "nan", "inf", "0x10",  "1e",  "1e+",    "1e999",    ".",
					  "-",   "+",   "1.2.3", "--1", "-1e999", "infinity", "e5"};
	double out;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(parse_double(good[i].text, &out));
		assert_true(fabs(out - good[i].value) < 1e-12);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		out = 42;
		assert_false(parse_double(bad[i], &out));
		assert_true(fabs(out - 42) < 1e-12);
	}
}

static void parses_u64(void **state)
{
	static const char *const bad[] = {"",
					  "-1",
					  "+1",
					  "1 ",
					  " 1",
					  "1.0",
					  "x",
					  "0x1",
					  "18446744073709551616",
					  "99999999999999999999999"};
	uint64_t out;

	(void)state;
	assert_true(parse_u64("0", &out) && out == 0);
	assert_true(parse_u64("0042", &out) && out == 42);
	assert_true(parse_u64("18446744073709551615", &out) && out == UINT64_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(parse_u64(bad[i], &out));
}

static void formats_u64(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{7, "7"},
		{10, "10"},
		{1234567890, "1234567890"},
		{UINT64_MAX, "18446744073709551615"},
	};
	char out[FORMAT_U64_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(out, 'x', sizeof(out));
		assert_int_equal(format_u64(out, cases[i].value), strlen(cases[i].text));
		assert_string_equal(out, cases[i].text);
	}
}

static void assert_escaped(const char *in, size_t len, bool utf8, const char *out)
{
	struct strbuf sb;

	strbuf_init(&sb);
	escape_text(&sb, in, len, utf8);
	assert_string_equal(sb.buf, out);
	strbuf_release(&sb);
}

static void escapes(void **state)
{
	static const struct {
		const char *in, *utf8, *ascii;
	} cases[] = {
		{"plain \\ text~", "plain \\ text~", "plain \\ text~"},
		{"a\033[2Jb", "a\\x1b[2Jb", "a\\x1b[2Jb"},
		{"tab\tnl\n", "tab\\x09nl\\x0a", "tab\\x09nl\\x0a"},
		{"del\x7f", "del\\x7f", "del\\x7f"},
		{"caf\xc3\xa9", "caf\xc3\xa9", "caf\\xc3\\xa9"},
		{"c1\xc2\x9b", "c1\\xc2\\x9b", "c1\\xc2\\x9b"},
		{"\xe2\x80\xae"
		 "evil",
		 "\\xe2\\x80\\xaeevil", "\\xe2\\x80\\xaeevil"},
		{"\xe2\x80\x8b", "\\xe2\\x80\\x8b", "\\xe2\\x80\\x8b"},
		{"\xef\xbb\xbf", "\\xef\\xbb\\xbf", "\\xef\\xbb\\xbf"},
		{"\xff\xc3", "\\xff\\xc3", "\\xff\\xc3"},
		/* overlong, surrogate, beyond the last code point, cut short */
		{"\xc0\xaf", "\\xc0\\xaf", "\\xc0\\xaf"},
		{"\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\\xe0\\x80\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"},
		{"\xf0\x9f\x98", "\\xf0\\x9f\\x98", "\\xf0\\x9f\\x98"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\\xf0\\x9f\\x98\\x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_escaped(cases[i].in, strlen(cases[i].in), true, cases[i].utf8);
		assert_escaped(cases[i].in, strlen(cases[i].in), false, cases[i].ascii);
	}
	assert_escaped("a\0b", 3, true, "a\\x00b");
	/* the length counts, not the NUL: half a character at the end */
	assert_escaped("\xc3\xa9", 1, true, "\\xc3");
}

static void widths(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("hello"), 5);
	assert_int_equal(text_width("caf\xc3\xa9"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1);                /* combining acute */
	assert_int_equal(text_width("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* two wide ones */
	assert_int_equal(text_width("\xff"), 4);
	assert_int_equal(text_width("a\033b"), 6);
	assert_int_equal(text_width("\xe2\x80\x8b"), 12);
	setlocale(LC_CTYPE, "C");
	assert_int_equal(text_width("hello"), 5);
	assert_int_equal(text_width("\xff"), 4);
}

static void steps_through_utf8(void **state)
{
	int32_t cp;

	(void)state;
	assert_int_equal(utf8_next("", &cp), 0);
	assert_int_equal(utf8_next("A", &cp), 1);
	assert_int_equal(cp, 'A');
	assert_int_equal(utf8_next("\xc3\xa9", &cp), 2);
	assert_int_equal(cp, 0xe9);
	assert_int_equal(utf8_next("\xe2\x82\xac", &cp), 3);
	assert_int_equal(cp, 0x20ac);
	assert_int_equal(utf8_next("\xf0\x9f\x98\x80x", &cp), 4);
	assert_int_equal(cp, 0x1f600);
	assert_int_equal(utf8_next("\x80", &cp), 1);
	assert_int_equal(cp, -1);
	assert_int_equal(utf8_next("\xe2\x82", &cp), 1);
	assert_int_equal(cp, -1);
	assert_int_equal(utf8_next("\xf8\x88\x80\x80", &cp), 1);
	assert_int_equal(cp, -1);
}

static bool __attribute__((format(printf, 3, 4))) put(char *out, size_t size, const char *fmt, ...)
{
	bool whole;
	va_list ap;

	va_start(ap, fmt);
	whole = text_vformat(out, size, fmt, ap);
	va_end(ap);
	return whole;
}

static void copies_whole_characters(void **state)
{
	char out[6];

	(void)state;
	assert_true(text_copy(out, sizeof(out), "12345"));
	assert_string_equal(out, "12345");
	assert_false(text_copy(out, sizeof(out), "123456"));
	assert_string_equal(out, "12345");
	assert_false(text_copy(out, sizeof(out), "1234\xc3\xa9"));
	assert_string_equal(out, "1234");
	assert_true(text_copy(out, sizeof(out), "123\xc3\xa9"));
	assert_string_equal(out, "123\xc3\xa9");
	assert_false(text_copy(out, 1, "x"));
	assert_string_equal(out, "");
	assert_true(text_copy(out, 1, ""));
	assert_true(put(out, sizeof(out), "%d%s", 123, "\xc3\xa9"));
	assert_string_equal(out, "123\xc3\xa9");
	assert_false(put(out, sizeof(out), "%d%s", 1234, "\xc3\xa9"));
	assert_string_equal(out, "1234");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed),
		cmocka_unit_test(ratios),
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes),
		cmocka_unit_test(parses_doubles),
		cmocka_unit_test(parses_u64),
		cmocka_unit_test(formats_u64),
		cmocka_unit_test(escapes),
		cmocka_unit_test(widths),
		cmocka_unit_test(steps_through_utf8),
		cmocka_unit_test(copies_whole_characters),
	};

	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
