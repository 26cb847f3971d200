/* From titles and backend types to parts. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/parts.h"

struct title_case {
	const char *title;
	enum part part;
	bool told;
};

static const struct title_case titles[] = {
	{"postgres: checkpointer", PART_CHECKPOINTER, true},
	{"postgres: checkpointer ", PART_CHECKPOINTER, true},
	{"postgres: background writer", PART_BGWRITER, true},
	{"postgres: walwriter", PART_WALWRITER, true},
	{"postgres: autovacuum launcher", PART_AV_LAUNCHER, true},
	{"postgres: autovacuum worker app", PART_AV_WORKER, true},
	{"postgres: autovacuum worker", PART_AV_WORKER, true},
	{"postgres: logical replication launcher", PART_LR_LAUNCHER, true},
	{"postgres: parallel worker for PID 4711", PART_PARALLEL, true},
	{"postgres: logger", PART_OTHER, true},
	{"postgres: archiver last was 000000010000000000000003", PART_OTHER, true},
	{"postgres: startup recovering 000000010000000000000003", PART_OTHER, true},
	{"postgres: io worker 2", PART_OTHER, true},
	{"postgres: walsummarizer", PART_OTHER, true},
	{"postgres: walsender repl 127.0.0.1(4000) streaming 0/3000060", PART_OTHER, true},
	{"postgres: logical replication apply worker for subscription 16389", PART_OTHER, true},
	/* ten and older */
	{"postgres: checkpointer process  ", PART_CHECKPOINTER, true},
	{"postgres: writer process", PART_BGWRITER, true},
	{"postgres: wal writer process", PART_WALWRITER, true},
	{"postgres: stats collector process", PART_OTHER, true},
	{"postgres: bgworker: logical replication launcher", PART_LR_LAUNCHER, true},
	/* with a cluster's name, which may look like anything */
	{"postgres: shop: checkpointer", PART_CHECKPOINTER, true},
	{"postgres: shop:eu: walwriter", PART_WALWRITER, true},
	{"postgres: 15/main: autovacuum worker app", PART_AV_WORKER, true},
	{"postgres: a: b: parallel worker for PID 12", PART_PARALLEL, true},
	/* clients */
	{"postgres: app cputop 127.0.0.1(40022) idle", PART_BACKEND, true},
	{"postgres: app cputop ::1(40022) SELECT", PART_BACKEND, true},
	{"postgres: app cputop [local] idle in transaction", PART_BACKEND, true},
	{"postgres: app cputop [local]", PART_BACKEND, true},
	{"postgres: checkpointer cputop [local] idle", PART_BACKEND, true},
	{"postgres: walwriter walwriter 10.0.0.1(1) idle", PART_BACKEND, true},
	{"postgres: shop: r:1 [local] idle my db (x) idle [local] ", PART_BACKEND, true},
	{"postgres: \xe7\x80 db host(99) idle", PART_BACKEND, true},
	/* nothing that tells */
	{"postgres: pg_cron launcher", PART_OTHER, false},
	{"postgres: my db (x) idle", PART_OTHER, false},
	{"postgres: x (12) y", PART_OTHER, false},
	{"postgres: mycheckpointer", PART_OTHER, false},
	{"postgres: ", PART_OTHER, false},
	{"", PART_OTHER, false},
	{"/usr/lib/postgresql/15/bin/postgres -D /data", PART_OTHER, false},
	{"checkpointer", PART_OTHER, false},
};

static void test_titles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
		enum part part = PART_COUNT;
		bool told = part_from_title(titles[i].title, &part);

		if (told != titles[i].told || part != titles[i].part)
			print_error("'%s': %d %s\n", titles[i].title, told, part_name(part));
		assert_int_equal(told, titles[i].told);
		assert_int_equal(part, titles[i].part);
	}
}

static void test_postmaster(void **state)
{
	(void)state;
	assert_true(title_is_postmaster("/usr/lib/postgresql/15/bin/postgres -D /data"));
	assert_true(title_is_postmaster("postgres"));
	assert_true(title_is_postmaster("bin/postmaster -i"));
	assert_false(title_is_postmaster("postgres: checkpointer"));
	assert_false(title_is_postmaster("/usr/sbin/mariadbd --no-defaults"));
	assert_false(title_is_postmaster("cat /bin/postgres"));
	assert_false(title_is_postmaster("mypostgres"));
	assert_false(title_is_postmaster(""));
}

static void test_types(void **state)
{
	enum part part;

	(void)state;
	assert_true(part_from_backend_type("client backend", &part));
	assert_int_equal(part, PART_BACKEND);
	assert_true(part_from_backend_type("parallel worker", &part));
	assert_int_equal(part, PART_PARALLEL);
	assert_true(part_from_backend_type("autovacuum worker", &part));
	assert_int_equal(part, PART_AV_WORKER);
	assert_true(part_from_backend_type("logical replication launcher", &part));
	assert_int_equal(part, PART_LR_LAUNCHER);
	assert_true(part_from_backend_type("walsender", &part));
	assert_int_equal(part, PART_OTHER);
	assert_false(part_from_backend_type("pg_cron launcher", &part));
	assert_int_equal(part, PART_OTHER);
	assert_false(part_from_backend_type("", &part));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_titles),
		cmocka_unit_test(test_postmaster),
		cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
