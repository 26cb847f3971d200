/* Every built-in variant with a real server; TEST_DIALECT says which. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "loadproc.h"
#include "myserver.h"

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define LOG_MAX   (64 << 20)

static struct pgserver server;
static struct rig rig;

static int teardown(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

static uint64_t get(const _Atomic uint64_t *counter)
{
	return atomic_load(counter);
}

/* How many jobs are enough for each; a variant that is built in has a line. */
static const struct {
	const char *name;
	unsigned jobs;
} variants[] = {
	{"skiplocked", 4000}, {"pername", 1000}, {"unprepared", 2000},
	{"noindex", 2000},    {"batch", 4000},   {"delete", 4000},
};
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static void test_once(void **state)
{
	struct variant all[16];
	struct err err = {0, ""};

	(void)state;
	assert_int_equal(variant_builtin(all, 16, &err), VARIANTS);
	for (size_t i = 0; i < VARIANTS; i++) {
		print_message("# %s\n", variants[i].name);
		rig_burst(&rig, &server, variants[i].name, ARGS("--seed=1"), variants[i].jobs);
		rig_close(&rig);
	}
}

/* At a pace: an enqueue, a claim (two statements where it cannot return rows), and an eighth of a
 * completion. */
static void test_batch(void **state)
{
	double per_job, least = TEST_DIALECT == DIALECT_POSTGRES ? 2 : 3;

	(void)state;
	rig_open(&rig, &server, "batch", "100");
	rig_loads(&rig, 1, "100", ARGS("--names=100", "--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 200);
	rig_drain(&rig);
	rig_assert_once(&rig);
	per_job =
		(double)(get(&rig.page->worker_statements) + get(&rig.page->producer_statements)) /
		(double)get(&rig.page->completed);
	/* wake-ups may fall together on a busy machine */
	assert_true(per_job > least - 0.8 && per_job < least + 0.3);
	rig_quit(&rig);
}

/* The last few do not wait for others. */
static void test_batch_waits(void **state)
{
	struct jobs_counts c;

	(void)state;
	rig_open(&rig, &server, "batch", "10");
	rig_loads(&rig, 1, "2", ARGS("--names=10", "--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 3);
	jobs_page_read(rig.page, &c);
	assert_true(histogram_quantile(&c.latency, 0.5) > 200000000);
	rig_drain(&rig);
	rig_assert_once(&rig);
	rig_quit(&rig);
}

/* Statements as the server has got them. */
static long executed_by_name(void)
{
	struct strbuf log;
	char path[200];
	long n = 0;

	if (TEST_DIALECT == DIALECT_MYSQL)
		return sql_number(
			&rig.loop, rig.db,
			"select count_star from "
			"performance_schema.events_statements_summary_global_by_event_name "
			"where event_name = 'statement/com/Execute'");
	if (TEST_DIALECT == DIALECT_MARIADB)
		return sql_number(&rig.loop, rig.db,
				  "select variable_value from information_schema.global_status "
				  "where variable_name = 'Com_stmt_execute'");
	strbuf_init(&log);
	snprintf(path, sizeof(path), "%s/log", server.dir);
	assert_int_equal(strbuf_read_file(&log, path, LOG_MAX), 0);
	for (const char *at = log.buf; (at = strstr(at, "execute claim_")) != NULL; at++)
		n++;
	strbuf_release(&log);
	return n;
}

static long prepared_claims(const char *variant)
{
	struct outcome out;
	long before, n;

	rig_open(&rig, &server, variant, "10");
	if (TEST_DIALECT == DIALECT_POSTGRES) {
		run_sql(&rig.loop, rig.db, "alter role all set log_statement = 'all'", &out);
		assert_string_equal(out.error, "");
	}
	before = executed_by_name();
	rig_loads(&rig, 1, "50", ARGS("--names=10", "--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 20);
	rig_drain(&rig);
	rig_assert_once(&rig);
	n = executed_by_name() - before;
	rig_quit(&rig);
	rig_close(&rig);
	return n;
}

static void test_unprepared(void **state)
{
	(void)state;
	assert_true(prepared_claims("skiplocked") >= 10);
	assert_int_equal(prepared_claims("unprepared"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
		TEST(test_once),
		TEST(test_batch),
		TEST(test_batch_waits),
		TEST(test_unprepared),
	};
	bool pg = TEST_DIALECT == DIALECT_POSTGRES;
	int failed = 1;

	if (pg ? !pgserver_find(&server) : !myserver_find(&server, TEST_DIALECT))
		return pg ? pgserver_skip() : 0;
	loadproc_variants();
	if ((pg ? pgserver_start(&server) : myserver_start(&server)) == 0)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	pgserver_stop(&server);
	return failed;
}
