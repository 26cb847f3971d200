#include "config.h"

#include "lib/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"

struct target {
	char calls[400]; /* "rate=5 batch= ..." in order */
	double rate;
	bool batch;
	char name[64];
};

static void note(struct target *t, const char *name, const char *value)
{
	size_t len = strlen(t->calls);

	snprintf(t->calls + len, sizeof(t->calls) - len, "%s=%s ", name, value ? value : "");
}

static int set_rate(void *target, const char *value, struct err *err)
{
	struct target *t = target;

	note(t, "rate", value);
	if (!parse_double(value, &t->rate))
		return err_set(err, -EINVAL, "not a number: '%s'", value);
	return 0;
}

static void get_rate(const void *target, struct strbuf *out)
{
	const struct target *t = target;

	if (t->rate > 0)
		strbuf_addf(out, "%g", t->rate);
}

static int set_repeat(void *target, const char *value, struct err *err)
{
	(void)err;
	note(target, "repeat", value);
	return 0;
}

static int set_batch(void *target, const char *value, struct err *err)
{
	struct target *t = target;

	(void)err;
	note(t, "batch", value);
	t->batch = true;
	return 0;
}

static void get_batch(const void *target, struct strbuf *out)
{
	if (((const struct target *)target)->batch)
		strbuf_addstr(out, "yes");
}

static int set_name(void *target, const char *value, struct err *err)
{
	struct target *t = target;

	(void)err;
	note(t, "name", value);
	text_copy(t->name, sizeof(t->name), value);
	return 0;
}

static void get_name(const void *target, struct strbuf *out)
{
	strbuf_addstr(out, ((const struct target *)target)->name);
}

static const struct option_spec specs[] = {
	{"rate", 'r', "R", "RATE", "20", "jobs per second", true, set_rate, get_rate},
	{"repeat", 0, "N", NULL, NULL, "runs of each", false, set_repeat, NULL},
	{"batch", 'b', NULL, "BATCH", NULL, "print the table", true, set_batch, get_batch},
	{"name", 'n', "NAME", "CPUTOP_NAME", NULL,
	 "a name that has quite a long explanation, so long that it must be wrapped somewhere",
	 true, set_name, get_name},
	{"name-of-something-long", 0, "SOMETHING", NULL, NULL, "wide", false, set_name, NULL},
};
static const struct option_table table = {"cputop", "cputop [options]", specs,
					  sizeof(specs) / sizeof(specs[0])};

#define ARGS_MAX 10

/* Parses a line of words; the result is what was set and then the operands. */
static int parse(const char *line, struct target *t, struct err *err)
{
	char copy[200], *argv[ARGS_MAX + 1], *save = NULL;
	int argc = 0, operands = -1, rc;

	memset(t, 0, sizeof(*t));
	err_clear(err);
	text_copy(copy, sizeof(copy), line);
	argv[argc++] = copy;
	strtok_r(copy, " ", &save);
	while (argc < ARGS_MAX && (argv[argc] = strtok_r(NULL, " ", &save)))
		argc++;
	argv[argc] = NULL;
	rc = options_parse(&table, t, argc, argv, &operands, err);
	assert_in_range(operands, 0, argc - 1);
	for (int i = 1; i <= operands; i++)
		note(t, "", argv[i]);
	return rc;
}

static void accepts_gnu_style(void **state)
{
	static const struct {
		const char *line, *calls;
	} cases[] = {
		{"p", ""},
		{"p -r 5", "rate=5 "},
		{"p -r5", "rate=5 "},
		{"p --rate 5", "rate=5 "},
		{"p --rate=5", "rate=5 "},
		{"p --rate=", "!"},
		{"p --ra=5", "rate=5 "},
		{"p --b", "batch= "},
		{"p -br5", "batch= rate=5 "},
		{"p -br 5", "batch= rate=5 "},
		{"p -bb", "batch= batch= "},
		{"p one -b two --rate 5 three", "batch= rate=5 =one =two =three "},
		{"p -b -- --rate -x", "batch= =--rate =-x "},
		{"p - -b", "batch= =- "},
		{"p --", ""},
		{"p -n -b", "name=-b "},
		{"p --name=x=y", "name=x=y "},
		{"p --name x", "name=x "}, /* whole name: not ambiguous */
		{"p --name-of x", "name=x "},
		{"p -r 5 -r 6", "rate=5 rate=6 "},
	};
	struct target t;
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = parse(cases[i].line, &t, &err);

		if (cases[i].calls[0] == '!') {
			assert_int_equal(rc, -EINVAL);
			continue;
		}
		assert_int_equal(rc, 0);
		assert_string_equal(t.calls, cases[i].calls);
		assert_string_equal(err.text, "");
	}
}

static void explains_what_is_wrong(void **state)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{"p --rate x", "--rate: not a number: 'x'; see cputop --help"},
		{"p -rx", "--rate: not a number: 'x'; see cputop --help"},
		{"p --foo", "unknown option --foo; see cputop --help"},
		{"p --foo=3", "unknown option --foo; see cputop --help"},
		{"p --rates=3", "unknown option --rates; see cputop --help"},
		{"p -x", "unknown option -x; see cputop --help"},
		{"p -bx", "unknown option -x; see cputop --help"},
		{"p --r 3", "option --r may mean several: --rate, --repeat; see cputop --help"},
		{"p --=3", "option -- may mean several: --rate, --repeat, --batch, --name, "
			   "--name-of-something-long; see cputop --help"},
		{"p --rate", "--rate needs a value (R); see cputop --help"},
		{"p -r", "--rate needs a value (R); see cputop --help"},
		{"p -br", "--rate needs a value (R); see cputop --help"},
		{"p --batch=yes", "--batch takes no value; see cputop --help"},
	};
	struct target t;
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].line, &t, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].text);
		assert_int_equal(err.code, -EINVAL);
	}
	/* nothing behind the error is looked at */
	parse("p --foo -b", &t, &err);
	assert_string_equal(t.calls, "");
}

static void record(void *arg, const char *variable)
{
	struct strbuf *seen = arg;

	strbuf_addf(seen, "%s ", variable);
}

static int clean_env(void **state)
{
	(void)state;
	unsetenv("RATE");
	unsetenv("CPUTOP_RATE");
	unsetenv("BATCH");
	unsetenv("CPUTOP_BATCH");
	unsetenv("CPUTOP_NAME");
	unsetenv("CPUTOP_CPUTOP_NAME");
	return 0;
}

static void assert_env(const char *calls, const char *variables)
{
	struct target t = {0};
	struct err err = {0};
	struct strbuf seen;

	strbuf_init(&seen);
	assert_int_equal(options_from_env(&table, &t, record, &seen, &err), 0);
	assert_string_equal(t.calls, calls);
	assert_string_equal(seen.buf, variables);
	strbuf_release(&seen);
	assert_int_equal(options_from_env(&table, &t, NULL, NULL, &err), 0);
}

static void reads_the_environment(void **state)
{
	struct target t = {0};
	struct err err = {0};

	clean_env(state);
	assert_env("", "");
	setenv("RATE", "7", 1);
	assert_env("rate=7 ", "RATE ");
	setenv("CPUTOP_RATE", "8", 1);
	assert_env("rate=8 ", "CPUTOP_RATE ");
	setenv("CPUTOP_RATE", "", 1);
	assert_env("rate=7 ", "RATE ");
	setenv("RATE", "", 1);
	assert_env("", "");
	setenv("BATCH", "no", 1);
	assert_env("", "BATCH ");
	setenv("BATCH", "yes", 1);
	setenv("CPUTOP_CPUTOP_NAME", "never", 1);
	setenv("CPUTOP_NAME", "x", 1);
	assert_env("batch= name=x ", "BATCH CPUTOP_NAME ");
	setenv("BATCH", "1", 1);
	assert_int_equal(options_from_env(&table, &t, NULL, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "variable BATCH: not yes or no: '1'; see cputop --help");
	unsetenv("BATCH");
	setenv("CPUTOP_RATE", "x", 1);
	assert_int_equal(options_from_env(&table, &t, NULL, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "variable CPUTOP_RATE: not a number: 'x'; see cputop --help");
	clean_env(state);
}

static void reads_rc_text(void **state)
{
	static const struct {
		const char *text, *calls, *err;
	} cases[] = {
		{"", "", NULL},
		{"\n\n# rate = 3\n  # x\n", "", NULL},
		{"rate = 3", "rate=3 ", NULL},
		{"rate=3\r\nbatch = yes\n", "rate=3 batch= ", NULL},
		{" \trate =  3 \t\n", "rate=3 ", NULL},
		{"batch = no\n", "", NULL},
		{"name = a = b # c\n", "name=a = b # c ", NULL},
		{"rate = 3\nrate = 4\n", "rate=3 rate=4 ", NULL},
		{"rate\n", "", "f:1: not 'name = value': 'rate'; see cputoprc(5)"},
		{"\nrate = x\n", NULL, "f:2: rate: not a number: 'x'; see cputoprc(5)"},
		{"rate =\n", "", "f:1: 'rate' has no value; see cputoprc(5)"},
		{"ra = 3\n", "", "f:1: unknown setting 'ra'; see cputoprc(5)"},
		{"= 3\n", "", "f:1: unknown setting ''; see cputoprc(5)"},
		{"repeat = 3\n", "",
		 "f:1: 'repeat' cannot be set here, only as an option; see cputoprc(5)"},
		{"batch = maybe\n", "", "f:1: batch: not yes or no: 'maybe'; see cputoprc(5)"},
		{"name = a\n\033\n", "name=a ",
		 "f:2: not 'name = value': '\\x1b'; see cputoprc(5)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = {0};
		struct err err = {0};
		int rc = options_rc_text(&table, &t, "f", cases[i].text, strlen(cases[i].text),
					 &err);

		assert_int_equal(rc, cases[i].err ? -EINVAL : 0);
		assert_string_equal(err.text, cases[i].err ? cases[i].err : "");
		if (cases[i].calls)
			assert_string_equal(t.calls, cases[i].calls);
	}
}

static void refuses_nul_bytes(void **state)
{
	struct target t = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(options_rc_text(&table, &t, "f", "rate = 3\nname = \0x\n", 19, &err),
			 -EINVAL);
	assert_string_equal(err.text, "f:2: a NUL byte; see cputoprc(5)");
	assert_string_equal(t.calls, "rate=3 ");
}

static void writes_what_it_reads(void **state)
{
	char dir[] = "/tmp/cputop-test-XXXXXX", path[64], deep[64];
	struct target t = {.rate = 12.5, .batch = true, .name = "x y"}, back = {0};
	struct err err = {0};
	struct strbuf text;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a/b/rc", dir);
	assert_int_equal(options_from_rc(&table, &back, path, &err), 0); /* none yet */
	assert_int_equal(options_write_rc(&table, &t, path, &err), 0);
	strbuf_init(&text);
	assert_int_equal(strbuf_read_file(&text, path, 1000), 0);
	assert_string_equal(text.buf, "# Written by cputop; see cputoprc(5).\n"
				      "rate = 12.5\nbatch = yes\nname = x y\n");
	assert_int_equal(options_from_rc(&table, &back, path, &err), 0);
	assert_string_equal(back.calls, "rate=12.5 batch= name=x y ");

	/* a value of two lines is refused and the old file stays */
	text_copy(t.name, sizeof(t.name), "two\nlines");
	assert_int_equal(options_write_rc(&table, &t, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--name"));
	t.name[0] = '\0';
	t.batch = false;
	assert_int_equal(options_write_rc(&table, &t, path, &err), 0);
	strbuf_reset(&text);
	assert_int_equal(strbuf_read_file(&text, path, 1000), 0);
	assert_string_equal(text.buf, "# Written by cputop; see cputoprc(5).\nrate = 12.5\n");

	/* a folder that is a file: the reason is named */
	snprintf(deep, sizeof(deep), "%s/a/b/rc/rc", dir);
	assert_int_equal(options_write_rc(&table, &t, deep, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, deep));
	snprintf(deep, sizeof(deep), "%s/a/b", dir);
	assert_int_equal(options_from_rc(&table, &back, deep, &err), -EISDIR);
	/* to rename over a folder fails, and nothing is left beside it */
	assert_true(options_write_rc(&table, &t, deep, &err) < 0);
	strbuf_release(&text);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(deep), 0);
	snprintf(deep, sizeof(deep), "%s/a", dir);
	assert_int_equal(rmdir(deep), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void prints_help(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	options_help(&table, out);
	fclose(out);
	assert_string_equal(
		text,
		"Usage: cputop [options]\n"
		"\n"
		"Options (default):\n"
		"  -r, --rate R                jobs per second (20)\n"
		"      --repeat N              runs of each\n"
		"  -b, --batch                 print the table\n"
		"  -n, --name NAME             a name that has quite a long explanation, so long\n"
		"                              that it must be wrapped somewhere\n"
		"      --name-of-something-long SOMETHING\n"
		"                              wide\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_gnu_style),     cmocka_unit_test(explains_what_is_wrong),
		cmocka_unit_test(reads_the_environment), cmocka_unit_test(reads_rc_text),
		cmocka_unit_test(refuses_nul_bytes),     cmocka_unit_test(writes_what_it_reads),
		cmocka_unit_test(prints_help),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
