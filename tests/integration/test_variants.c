/* Every built-in variant with a real server; TEST_DIALECT says which. */
#include "config.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/rng.h"
#include "lib/strbuf.h"
#include "loadproc.h"
#include "model/workload.h"
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

/* How many jobs are enough for each; a variant that is built in has a line. */
static const struct {
	const char *name;
	unsigned jobs;
} variants[] = {
	{"skiplocked", 4000}, {"pername", 1000}, {"unprepared", 2000}, {"noindex", 2000},
	{"batch", 4000},      {"delete", 4000},  {"park", 4000},
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

/* Two workers, keys that most jobs have to wait for: each job once, no two of a key at a time. */
static void test_keys(void **state)
{
	struct variant all[16];
	struct err err = {0, ""};
	size_t n = variant_builtin(all, 16, &err);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		if (!all[i].keys)
			continue;
		print_message("# %s\n", all[i].name);
		rig_burst(&rig, &server, all[i].name, ARGS("--mutex-keys=3", "--hold=0.002"), 500);
		rig_close(&rig);
		rig_burst(&rig, &server, all[i].name,
			  ARGS("--mutex-keys=100", "--hold=0.005", "--workers=2",
			       "--enqueue-batch=5", "--pool=2"),
			  1500);
		rig_close(&rig);
	}
}

/* Jobs whose key is held stay where they are; those of one free key run one after the other. */
static void test_waiting(void **state)
{
	static const char *const names[] = {"skiplocked", "park", "delete"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		rig_open(&rig, &server, names[i], "10");
		rig_keys(&rig, "500", "40");
		rig_loads(&rig, 2, "50",
			  ARGS("--names=10", "--mutex-keys=10", "--hold=0.002",
			       "--poll-interval=0.1"));
		rig_start(&rig);
		rig_wait(&rig, &rig.page->queue_completed, 40);
		assert_true(page_get(&rig.page->queue_empty_ns) > 0);
		rig_wait(&rig, &rig.page->completed, 100);
		rig_drain(&rig);
		rig_assert_once(&rig);
		assert_int_equal(sql_number(&rig.loop, rig.db,
					    "select count(*) from job where mkey = 'blocked' and "
					    "state in (0, 3)"),
				 500);
		rig_quit(&rig);
		rig_close(&rig);
	}
}

/* The key is the payload's first word; names are the same as without keys. */
static void test_key_payload(void **state)
{
	(void)state;
	rig_open(&rig, &server, "skiplocked", "30");
	rig_keys(&rig, NULL, NULL);
	rig_loads(&rig, 1, "300",
		  ARGS("--names=30", "--mutex-keys=10", "--hold=0", "--payload=20"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 100);
	rig_drain(&rig);
	rig_assert_once(&rig);
	assert_int_equal(sql_number(&rig.loop, rig.db,
				    "select count(*) from job where seq is not null and "
				    "(payload not like concat(mkey, ' %') or "
				    "length(payload) <> length(mkey) + 21)"),
			 0);
	assert_int_equal(sql_number(&rig.loop, rig.db,
				    "select count(distinct mkey) from job where seq is not null"),
			 10);
	rig_quit(&rig);
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
	per_job = (double)(page_get(&rig.page->worker_statements) +
			   page_get(&rig.page->producer_statements)) /
		  (double)page_get(&rig.page->completed);
	/* on a busy machine wake-ups fall together: there may be far fewer */
	assert_true(per_job > 1 && per_job < least + 0.3);
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

/* The ways to enqueue, with as many statements and commits as they take for a group of jobs. */
static const struct {
	const char *args[6];
	unsigned jobs, statements, commits;
	unsigned payload;
} ways[] = {
	{{"--enqueue=pool"}, 1, 1, 1, 0},
	{{"--enqueue=pool", "--payload=5000"}, 1, 1, 1, 5000},
	{{"--enqueue=pool", "--enqueue-batch=10", "--payload=3"}, 10, 1, 1, 3},
	{{"--enqueue=tx"}, 1, 4, 1, 0},
	{{"--enqueue=tx", "--enqueue-batch=7", "--payload=100"}, 7, 4, 1, 100},
};

static void enqueue_way(size_t i)
{
	uint64_t groups;

	print_message("# %s %s\n", ways[i].args[0], ways[i].args[1] ? ways[i].args[1] : "");
	rig_open(&rig, &server, "skiplocked", "100");
	rig_loads(&rig, 1, "200", ways[i].args);
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 100);
	rig_drain(&rig);
	rig_assert_once(&rig);
	assert_int_equal(page_get(&rig.page->enqueued) % ways[i].jobs, 0);
	groups = page_get(&rig.page->enqueued) / ways[i].jobs;
	assert_int_equal(page_get(&rig.page->producer_statements), groups * ways[i].statements);
	assert_int_equal(page_get(&rig.page->producer_commits), groups * ways[i].commits);
	assert_int_equal(sql_number(&rig.loop, rig.db, "select count(*) from app"),
			 ways[i].statements > 1 ? groups : 0);
	assert_int_equal(sql_number(&rig.loop, rig.db,
				    "select coalesce(min(length(payload)), 0) from job "
				    "where seq is not null"),
			 ways[i].payload);
	assert_int_equal(sql_number(&rig.loop, rig.db,
				    "select count(distinct due_ns) from job where seq is not null"),
			 groups);
	rig_quit(&rig);
}

static void test_enqueue(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		enqueue_way(i);
		rig_close(&rig);
	}
	/* at the rate max a group is sent only when all of it may wait */
	rig_burst(&rig, &server, "skiplocked", ARGS("--enqueue=tx", "--enqueue-batch=30"), 3000);
}

/* The order of names does not depend on how they are sent. */
static void test_names_in_groups(void **state)
{
	struct workload w;
	struct rng rng;
	char sql[200], name[WORKLOAD_NAME_MAX];

	(void)state;
	rig_open(&rig, &server, "skiplocked", "30");
	rig_loads(&rig, 1, "500",
		  ARGS("--names=30", "--hot-names=3", "--seed=9", "--enqueue-batch=20"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 60);
	rig_drain(&rig);
	workload_defaults(&w);
	w.names = 30;
	w.hot_names = 3;
	rng_init(&rng, 9);
	for (int i = 1; i <= 60; i++) {
		workload_name(workload_next_name(&w, &rng), name);
		snprintf(sql, sizeof(sql),
			 "select count(*) from job where seq = %d and name = '%s'", i, name);
		assert_int_equal(sql_number(&rig.loop, rig.db, sql), 1);
	}
	rig_quit(&rig);
}

/* Jobs that were completed before are not counted, and not run. */
static void test_completed(void **state)
{
	const char *params[] = {"500", "1000", "100"};
	struct outcome out = {0};

	(void)state;
	rig_open(&rig, &server, "skiplocked", "100");
	for (int i = 0; i < 2; i++) {
		params[0] = i ? "1500" : "500";
		out.calls = 0;
		db_query_params(rig.db, rig.sql.text[SQL_COMPLETED], 3, params, outcome_cb, &out);
		run_until(&rig.loop, &out.calls);
		assert_string_equal(out.error, "");
		assert_int_equal(out.affected, 1000);
	}
	assert_int_equal(sql_number(&rig.loop, rig.db,
				    "select count(*) from (select name from job where state = 2 "
				    "group by name having count(*) = 20) t"),
			 100);
	assert_int_equal(
		sql_number(&rig.loop, rig.db,
			   "select count(distinct name) from job where state = 2 and name in "
			   "('job-0', 'job-7', 'job-99')"),
		3);
	rig_loads(&rig, 1, "200", ARGS("--names=100"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 50);
	rig_drain(&rig);
	rig_assert_once(&rig);
	rig_quit(&rig);
}

static unsigned children_of(pid_t parent, pid_t out[8])
{
	char path[64];
	unsigned n = 0;
	int pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	f = fopen(path, "re");
	assert_non_null(f);
	while (n < 8 && fscanf(f, "%d", &pid) == 1)
		out[n++] = pid;
	fclose(f);
	return n;
}

/* Several processes on one control socket: all are woken, and each job is run by one of them. */
static void test_workers(void **state)
{
	pid_t pids[8];

	(void)state;
	rig_burst(&rig, &server, "skiplocked", ARGS("--workers=3", "--pool=2"), 3000);
	rig_close(&rig);
	rig_open(&rig, &server, "skiplocked", "100");
	rig_loads(&rig, 1, "50", ARGS("--names=100", "--workers=3", "--poll-interval=60"));
	assert_int_equal(children_of(rig.loads[0].pid, pids), 2);
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 50);
	rig_drain(&rig);
	rig_assert_once(&rig);
	/* one claims the job, the others find nothing */
	assert_true(page_get(&rig.page->notifications) > 2 * page_get(&rig.page->enqueued));
	assert_true(page_get(&rig.page->claims_empty) > page_get(&rig.page->enqueued) / 2);
	rig_quit(&rig);
	for (unsigned i = 0; i < 2; i++) {
		for (int tries = 0; kill(pids[i], 0) == 0 && tries < 500; tries++)
			poll(NULL, 0, 10);
		assert_int_equal(kill(pids[i], 0), -1);
	}
}

static void test_worker_lost(void **state)
{
	struct loadproc *first = &rig.loads[0];
	pid_t pids[8];
	char line[600];

	(void)state;
	rig_open(&rig, &server, "skiplocked", "10");
	rig_loads(&rig, 1, "50", ARGS("--workers=2", "--names=10"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 5);
	assert_int_equal(children_of(first->pid, pids), 1);
	kill(pids[0], SIGKILL);
	loadproc_expect(first, "error", line, sizeof(line));
	assert_non_null(strstr(line, "one of the workers ended by itself"));
	assert_int_equal(loadproc_wait(first), 1);
}

static void insert_stalled(const char *state, const char *key)
{
	struct outcome out;
	char sql[300];

	snprintf(sql, sizeof(sql),
		 "insert into job (name, state, payload, mkey, started_at) "
		 "values ('job-0', %s, %s, %s, %s)",
		 state, key, key,
		 TEST_DIALECT == DIALECT_POSTGRES ? "now() - interval '2 hours'"
						  : "now(6) - interval 2 hour");
	run_sql(&rig.loop, rig.db, sql, &out);
	assert_string_equal(out.error, "");
}

/* A job whose worker has gone is run after all; in park, so is one whose key nobody holds. */
static void tasks_of(const char *variant, bool parked)
{
	struct jobs_counts c;

	rig_open(&rig, &server, variant, "10");
	rig_keys(&rig, NULL, NULL);
	insert_stalled("1", "'key-1'");
	if (parked)
		insert_stalled("3", "'queue'");
	rig_loads(&rig, 1, "20",
		  ARGS("--names=10", "--mutex-keys=5", "--history=1", "--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->prunes, 1);
	jobs_page_read(rig.page, &c);
	assert_true(sql_number(&rig.loop, rig.db,
			       "select count(*) from job where state = 2 and seq is not null") <
		    (long)c.completed / 2);
	assert_int_equal(
		sql_number(&rig.loop, rig.db,
			   "select count(*) from job where state in (1, 3) and seq is null"),
		parked ? 2 : 1);
	rig_wait(&rig, &rig.page->rescues, 1);
	rig_wait(&rig, &rig.page->completed, page_get(&rig.page->completed) + 10);
	rig_drain(&rig);
	/* all that is left without a number is the job a year ahead of each name */
	assert_int_equal(sql_number(&rig.loop, rig.db,
				    "select count(*) from job where state <> 2 and seq is null"),
			 10);
	assert_int_equal(page_get(&rig.page->completed),
			 page_get(&rig.page->enqueued) + (parked ? 2 : 1));
	assert_int_equal(page_get(&rig.page->duplicates) + page_get(&rig.page->mutex_overlaps), 0);
	rig_quit(&rig);
	rig_close(&rig);
}

static void test_tasks(void **state)
{
	(void)state;
	tasks_of("skiplocked", false);
	tasks_of("park", true);
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
		TEST(test_once),        TEST(test_batch),       TEST(test_batch_waits),
		TEST(test_unprepared),  TEST(test_tasks),       TEST(test_keys),
		TEST(test_waiting),     TEST(test_key_payload), TEST(test_workers),
		TEST(test_worker_lost), TEST(test_enqueue),     TEST(test_names_in_groups),
		TEST(test_completed),
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
