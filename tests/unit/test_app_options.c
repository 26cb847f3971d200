/* What the option table makes of values, and which source wins. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/options.h"
#include "lib/err.h"
#include "lib/rng.h"
#include "lib/strbuf.h"

static char home[64];

static int setup(void **state)
{
	(void)state;
	snprintf(home, sizeof(home), "/tmp/cputop-test-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("XDG_CONFIG_HOME", home, 1);
	unsetenv("RATE");
	unsetenv("CPUTOP_RATE");
	unsetenv("PG_BIN");
	unsetenv("MARIADB_BIN");
	unsetenv("MYSQL_BIN");
	return 0;
}

static int teardown(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/cputop/cputoprc", home);
	unlink(path);
	snprintf(path, sizeof(path), "%s/cputop", home);
	rmdir(path);
	return rmdir(home);
}

static void write_rc(const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cputop", home);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cputop/cputoprc", home);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int load(struct app_options *o, struct err *err, const char *arg1, const char *arg2)
{
	char *argv[4] = {(char *)(uintptr_t) "cputop", (char *)(uintptr_t)arg1,
			 (char *)(uintptr_t)arg2, NULL};
	int argc = arg2 ? 3 : arg1 ? 2 : 1;

	app_options_init(o);
	memset(err, 0, sizeof(*err));
	return app_options_load(o, argc, argv, err);
}

static void good_rate(const char *arg1, const char *arg2, double expect)
{
	struct app_options o;
	struct err err;

	assert_int_equal(load(&o, &err, arg1, arg2), 0);
	assert_true(o.workload.rate > expect - 1e-9 && o.workload.rate < expect + 1e-9);
	app_options_release(&o);
}

static void test_sources(void **state)
{
	struct app_options o;
	struct err err;

	(void)state;
	good_rate(NULL, NULL, 20);
	write_rc("# mine\nrate = 30\n");
	good_rate(NULL, NULL, 30);
	setenv("RATE", "40", 1);
	good_rate(NULL, NULL, 40);
	setenv("CPUTOP_RATE", "45", 1);
	assert_int_equal(load(&o, &err, NULL, NULL), 0);
	assert_true(o.workload.rate > 44.9 && o.workload.rate < 45.1);
	assert_true(o.from_environment.len >= 1);
	assert_string_equal(o.from_environment.items[o.from_environment.len - 1], "CPUTOP_RATE");
	app_options_release(&o);
	good_rate("--rate", "50.5", 50.5);
	good_rate("--rate=60", NULL, 60);
	unsetenv("RATE");
	unsetenv("CPUTOP_RATE");
}

static void bad(const char *arg1, const char *arg2, const char *expect)
{
	struct app_options o;
	struct err err;

	assert_int_equal(load(&o, &err, arg1, arg2), -22);
	if (!strstr(err.text, expect))
		fail_msg("'%s' is not in '%s'", expect, err.text);
	assert_null(strchr(err.text, '\n'));
	app_options_release(&o);
}

static void roles(const char *value, unsigned expect, const char *text)
{
	const struct option_spec *spec = app_option_table.specs;
	struct app_options o;
	struct strbuf sb;
	struct err err;

	assert_int_equal(load(&o, &err, "--counters", value), 0);
	assert_int_equal(o.icount_roles, expect);
	while (strcmp(spec->name, "counters") != 0)
		spec++;
	strbuf_init(&sb);
	spec->get(&o, &sb);
	assert_string_equal(sb.buf, text);
	strbuf_release(&sb);
	app_options_release(&o);
}

static void test_icount_roles(void **state)
{
	(void)state;
	roles("none", 0, "none");
	roles("icount", 7, "icount");
	roles("icount:database", 4, "icount:database");
	roles("icount:producer,worker", 3, "icount:worker,producer");
	roles("icount:worker,producer,database", 7, "icount");
}

static void test_refused(void **state)
{
	(void)state;
	bad("--rate", "x", "not a number");
	bad("--rate", "-1", "out of range");
	bad("--rate", "nan", "not a number");
	bad("--names", "0", "out of range");
	bad("--names", "1.5", "not a whole number");
	bad("--hot-share", "1.5", "out of range");
	bad("--hot-names", "2000", "--names");
	bad("--dialect", "oracle", "unknown database 'oracle'");
	bad("--counters", "magic", "auto, perf, icount or none");
	bad("--counters", "icount:", "names no role");
	bad("--counters", "icount:worker,dba", "unknown role 'dba'");
	bad("--counters", "icounts", "unknown counter source");
	bad("--cpu-source", "magic", "auto, clocks or cgroup");
	bad("--set", "postgres:x", "ENGINE:NAME=VALUE");
	bad("--set", "oracle:x=1", "unknown database");
	bad("--postgres-port", "70000", "out of range");
	bad("--measure", "0", "out of range");
	bad("--nothing", NULL, "--nothing");
	bad("operand", NULL, "unexpected argument");
	bad("--rate", NULL, "--rate");
	bad("-bn", "3", "--iterations");
	write_rc("rate = 10\nrate = z\n");
	bad(NULL, NULL, "cputoprc:2");
	write_rc("frobnicate = 1\n");
	bad(NULL, NULL, "cputoprc:1");
}

static void test_lists(void **state)
{
	struct app_options o;
	struct err err;

	(void)state;
	assert_int_equal(load(&o, &err, "-v", "a, b,./c d"), 0);
	assert_int_equal(o.variants.len, 4);
	assert_string_equal(o.variants.items[2], "./c");
	app_options_release(&o);
	assert_int_equal(load(&o, &err, "--set", "postgres:shared_buffers=1GB"), 0);
	assert_int_equal(o.settings[DIALECT_POSTGRES].len, 1);
	assert_string_equal(o.settings[DIALECT_POSTGRES].items[0].name, "shared_buffers");
	assert_string_equal(o.settings[DIALECT_POSTGRES].items[0].value, "1GB");
	app_options_release(&o);
	assert_int_equal(load(&o, &err, "--rate", "max"), 0);
	assert_true(o.workload.rate_max);
	app_options_release(&o);
}

/* W writes what a later start reads. */
static void test_rc_round_trip(void **state)
{
	struct app_options o, p;
	struct err err;
	char path[4096];

	(void)state;
	assert_int_equal(load(&o, &err, "--rate", "33.25"), 0);
	o.delay_s = 2.5;
	o.no_mouse = true;
	o.workload.names = 77;
	assert_true(app_rc_path(path, sizeof(path)));
	assert_int_equal(options_write_rc(&app_option_table, &o, path, &err), 0);
	assert_int_equal(load(&p, &err, NULL, NULL), 0);
	assert_true(p.workload.rate > 33.24 && p.workload.rate < 33.26);
	assert_int_equal(p.workload.names, 77);
	assert_true(p.delay_s > 2.49 && p.delay_s < 2.51);
	assert_true(p.no_mouse);
	assert_int_equal(p.workload.measure_ns, 20000000000LL);
	app_options_release(&o);
	app_options_release(&p);
}

/* Whether a folder was given by a variable is known, for messages. */
static void test_bin_variable(void **state)
{
	struct app_options o;
	struct err err;

	(void)state;
	setenv("PG_BIN", "/p", 1);
	setenv("CPUTOP_MYSQL_BIN", "/y", 1);
	assert_int_equal(load(&o, &err, "-b", NULL), 0);
	assert_string_equal(o.server_bin_variable[DIALECT_POSTGRES], "PG_BIN");
	assert_string_equal(o.server_bin_variable[DIALECT_MYSQL], "CPUTOP_MYSQL_BIN");
	assert_null(o.server_bin_variable[DIALECT_MARIADB]);
	app_options_release(&o);
	assert_int_equal(load(&o, &err, "--mysql-bin", "/x"), 0);
	assert_null(o.server_bin_variable[DIALECT_MYSQL]);
	assert_string_equal(o.server_bin[DIALECT_MYSQL], "/x");
	app_options_release(&o);
	unsetenv("PG_BIN");
	unsetenv("CPUTOP_MYSQL_BIN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sources, setup, teardown),
		cmocka_unit_test_setup_teardown(test_icount_roles, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lists, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rc_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bin_variable, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
