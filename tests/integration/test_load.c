/* cputop-load, worker and producer, with a real PostgreSQL. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "loadproc.h"
#include "model/workload.h"
#include "pgserver.h"

static struct pgserver server;
static struct rig rig;

static int teardown(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

static double per_job(void)
{
	return (double)(page_get(&rig.page->worker_statements) +
			page_get(&rig.page->producer_statements)) /
	       (double)page_get(&rig.page->completed);
}

/* ---- the two built-in variants ---- */

static void test_wakeups(void **state)
{
	struct jobs_counts c;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "1000");
	rig_loads(&rig, 1, "100", ARGS("--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 300);
	rig_drain(&rig);
	rig_assert_once(&rig);
	jobs_page_read(rig.page, &c);
	assert_int_equal(c.polls, 0);
	assert_true(c.notifications >= 250);
	assert_int_equal(c.latency.count, c.completed);
	assert_int_equal(c.lateness.count, c.enqueued);
	assert_true(c.lateness.sum_ns < c.latency.sum_ns);
	/* none of them waited for a poll */
	assert_true(histogram_quantile(&c.latency, 1) < 20 * NS_PER_S);
	rig_quit(&rig);
}

static void test_statements(void **state)
{
	(void)state;
	rig_open(&rig, &server, "skiplocked", "1000");
	/* so few that two hardly ever meet, on a busy machine either */
	rig_loads(&rig, 1, "8", ARGS("--names=1000"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 40);
	/* one connection does nearly all the work: the one that was given back last */
	assert_true(sql_number(&rig.loop, rig.db,
			       "select count(*) from pg_stat_activity where application_name = "
			       "'cputop worker' and state_change > now() - interval '2 s'") <= 2);
	rig_drain(&rig);
	rig_assert_once(&rig);
	assert_true(per_job() > 2.8 && per_job() < 3.2);
	assert_int_equal(page_get(&rig.page->producer_statements), page_get(&rig.page->enqueued));
	assert_int_equal(page_get(&rig.page->worker_statements),
			 page_get(&rig.page->worker_commits));
	assert_true(page_get(&rig.page->claims) >= page_get(&rig.page->completed) * 9 / 10);
	rig_quit(&rig);
}

static void test_names(void **state)
{
	struct workload w;
	struct rng rng;
	char sql[200], name[WORKLOAD_NAME_MAX];

	(void)state;
	rig_open(&rig, &server, "skiplocked", "30");
	rig_loads(&rig, 1, "500",
		  ARGS("--names=30", "--hot-names=3", "--hot-share=0.5", "--seed=9"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 100);
	rig_drain(&rig);
	rig_assert_once(&rig);
	workload_defaults(&w);
	w.names = 30;
	w.hot_names = 3;
	w.hot_share = 0.5;
	rng_init(&rng, 9);
	for (int i = 1; i <= 100; i++) {
		workload_name(workload_next_name(&w, &rng), name);
		snprintf(sql, sizeof(sql),
			 "select count(*) from job where seq = %d and name = '%s'", i, name);
		assert_int_equal(sql_number(&rig.loop, rig.db, sql), 1);
	}
	rig_quit(&rig);
}

static void test_pername(void **state)
{
	(void)state;
	rig_open(&rig, &server, "pername", "100");
	rig_loads(&rig, 1, "5", ARGS("--names=100", "--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 15);
	rig_drain(&rig);
	rig_assert_once(&rig);
	/* 100 claims, an insert, a completion; wake-ups may fall together on a busy machine */
	assert_true(per_job() > 50 && per_job() < 103);
	assert_true(page_get(&rig.page->claims_empty) >= page_get(&rig.page->claims) * 9 / 10);
	rig_quit(&rig);
}

/* A worker that works off a backlog claims when half of its slots are free: neither so late that
 * connections wait for the claim, nor for each job. */
static void test_claims_of_a_backlog(void **state)
{
	struct loadproc *worker = &rig.loads[0], *producer = &rig.loads[1];
	uint64_t claims, jobs = 600;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "10");
	rig_loads(&rig, 1, "max",
		  ARGS("--names=10", "--backlog=600", "--concurrency=8", "--pool=4"));
	assert_int_equal(kill(worker->pid, SIGSTOP), 0);
	rig_start(&rig);
	rig_wait(&rig, &rig.page->enqueued, jobs);
	loadproc_send(producer, "stop");
	loadproc_expect(producer, "stopped", NULL, 0);
	assert_int_equal(kill(worker->pid, SIGCONT), 0);
	rig_wait(&rig, &rig.page->completed, jobs);
	loadproc_send(worker, "stop");
	loadproc_expect(worker, "stopped", NULL, 0);
	rig_assert_once(&rig);
	claims = page_get(&rig.page->claims) - page_get(&rig.page->claims_empty);
	assert_true(claims * 46 > jobs * 10);
	assert_true(claims * 34 < jobs * 10);
	rig_quit(&rig);
}

/* ---- pace ---- */

static void test_max(void **state)
{
	struct jobs_counts c;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "10");
	rig_loads(&rig, 1, "max", ARGS("--backlog=50", "--names=10"));
	rig_start(&rig);
	while (page_get(&rig.page->completed) < 2000) {
		jobs_page_read(rig.page, &c);
		assert_true(jobs_counts_waiting(&c) <= 50 + 8);
		rig_wait(&rig, &rig.page->completed, c.completed + 1);
	}
	rig_drain(&rig);
	rig_assert_once(&rig);
	jobs_page_read(rig.page, &c);
	assert_int_equal(c.late_jobs, 0);
	assert_int_equal(c.lateness.count, 0);
	rig_quit(&rig);
}

static void test_fast(void **state)
{
	uint64_t begin;
	struct jobs_counts c;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "1000");
	rig_loads(&rig, 1, "1000", ARGS("--names=1000"));
	begin = clock_now_ns();
	rig_start(&rig);
	rig_wait(&rig, &rig.page->enqueued, 3000);
	/* an open loop: not faster than asked, and not much slower */
	assert_true(clock_now_ns() - begin > 2900 * NS_PER_MS);
	assert_true(clock_now_ns() - begin < 4500 * NS_PER_MS);
	jobs_page_read(rig.page, &c);
	assert_true(jobs_counts_waiting(&c) < 300);
	rig_drain(&rig);
	rig_assert_once(&rig);
	rig_quit(&rig);
}

static void test_rate_changes(void **state)
{
	struct loadproc *producer;
	uint64_t n;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "10");
	rig_loads(&rig, 1, "0", ARGS("--names=10"));
	producer = &rig.loads[1];
	rig_start(&rig);
	atomic_store(&rig.page->rate_mjobs, 100 * 1000);
	assert_int_equal(page_get(&rig.page->enqueued), 0);
	loadproc_send(producer, "rate");
	rig_wait(&rig, &rig.page->completed, 20);
	atomic_store(&rig.page->rate_mjobs, 0);
	loadproc_send(producer, "rate");
	loadproc_send(producer, "unknown words");
	atomic_store(&rig.page->rate_mjobs, JOBS_PAGE_RATE_MAX);
	n = page_get(&rig.page->completed);
	loadproc_send(producer, "rate");
	rig_wait(&rig, &rig.page->completed, n + 500);
	rig_drain(&rig);
	rig_assert_once(&rig);
	rig_quit(&rig);
}

/* Changed when the producer is ready and not yet started: nobody tells it. */
static void test_rate_before_start(void **state)
{
	(void)state;
	rig_open(&rig, &server, "skiplocked", "10");
	rig_loads(&rig, 1, "0", ARGS("--names=10"));
	atomic_store(&rig.page->rate_mjobs, JOBS_PAGE_RATE_MAX);
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 2000);
	rig_drain(&rig);
	rig_assert_once(&rig);
	rig_quit(&rig);
}

static void test_idle(void **state)
{
	long backends;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "1000");
	rig_loads(&rig, 1, "0", ARGS("--poll-interval=0.1"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->polls, 10);
	loadproc_send(&rig.loads[0], "stop");
	loadproc_expect(&rig.loads[0], "stopped", NULL, 0);
	assert_int_equal(page_get(&rig.page->worker_statements), page_get(&rig.page->polls));
	assert_int_equal(page_get(&rig.page->claims_empty), page_get(&rig.page->polls));
	assert_int_equal(page_get(&rig.page->producer_statements), 0);
	/* nobody disconnects before the end: two pools; the worker listens on one of its own */
	backends = sql_number(&rig.loop, rig.db,
			      "select count(*) from pg_stat_activity where application_name ~ "
			      "'^cputop (worker|producer)'");
	assert_int_equal(backends, 4 + 4);
	rig_quit(&rig);
}

/* ---- what cputop asks of its connections ---- */

#define PLANS                                 \
	"select pg_stat_force_next_flush(); " \
	"select name, generic_plans, custom_plans from pg_prepared_statements"

/* Asks and gives the executions of a statement, over all connections. */
static uint64_t executions(struct loadproc *l, unsigned number, const char *statement)
{
	unsigned long long a, b, sum = 0;
	char line[200], name[64];
	unsigned n;

	snprintf(line, sizeof(line), "ask %u " PLANS, number);
	loadproc_send(l, line);
	do {
		loadproc_expect(l, "answer", line, sizeof(line));
		if (sscanf(line, "answer %u %63s %llu %llu", &n, name, &a, &b) == 4) {
			assert_int_equal(n, number);
			if (strcmp(name, statement) == 0)
				sum = a + b;
		}
	} while (strncmp(line, "answered ", 9) != 0);
	assert_int_equal(strtoul(line + 9, NULL, 10), number);
	return sum;
}

/* Between the statements of a busy pool, and to the last of them. */
static void test_ask(void **state)
{
	struct loadproc *worker = &rig.loads[0], *producer = &rig.loads[1];
	long before;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "100");
	sql_number(&rig.loop, rig.db, "select 1 from pg_stat_force_next_flush()");
	before = sql_number(&rig.loop, rig.db,
			    "select pg_stat_get_tuples_inserted('job'::regclass)");
	rig_loads(&rig, 1, "max", ARGS("--names=100", "--backlog=50"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 200);
	for (unsigned i = 1; i <= 20; i++) {
		uint64_t least = page_get(&rig.page->completed), sent;

		sent = executions(worker, i, "complete");
		assert_true(sent >= least && sent <= page_get(&rig.page->worker_statements));
	}
	rig_drain(&rig);
	rig_assert_once(&rig);
	assert_int_equal(executions(worker, 90, "complete"), page_get(&rig.page->completed));
	assert_int_equal(executions(producer, 91, "enqueue"), page_get(&rig.page->enqueued));
	/* the server's statistics lack none of them */
	assert_int_equal(sql_number(&rig.loop, rig.db,
				    "select pg_stat_get_tuples_inserted('job'::regclass)") -
				 before,
			 page_get(&rig.page->enqueued));
	rig_quit(&rig);
}

/* The first worker answers for the others, once. */
static void test_ask_crew(void **state)
{
	struct loadproc *worker = &rig.loads[0];

	(void)state;
	rig_open(&rig, &server, "skiplocked", "100");
	rig_loads(&rig, 1, "max",
		  ARGS("--names=100", "--backlog=200", "--workers=3", "--concurrency=2"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 200);
	executions(worker, 1, "complete");
	rig_drain(&rig);
	assert_int_equal(executions(worker, 2, "complete"), page_get(&rig.page->completed));
	rig_quit(&rig);
}

/* Another question takes the place of the one under way; what is no question is none. */
static void test_ask_again(void **state)
{
	struct loadproc *worker = &rig.loads[0];
	char line[200];

	(void)state;
	rig_open(&rig, &server, "skiplocked", "10");
	rig_loads(&rig, 1, "20", ARGS("--names=10"));
	rig_start(&rig);
	loadproc_send(worker, "ask select 1");
	loadproc_send(worker, "ask 1 select pg_sleep(0.2)");
	loadproc_send(worker, "ask 2 select 'x', '3', '4'");
	loadproc_expect(worker, "answer", line, sizeof(line));
	assert_string_equal(line, "answer 2 x 12 16");
	loadproc_expect(worker, "answer", line, sizeof(line));
	assert_string_equal(line, "answered 2");
	/* a statement that fails is no answer, and nobody's end */
	loadproc_send(worker, "ask 3 select none");
	loadproc_expect(worker, "answer", line, sizeof(line));
	assert_string_equal(line, "answered 3");
	rig_wait(&rig, &rig.page->completed, page_get(&rig.page->completed) + 5);
	rig_drain(&rig);
	rig_assert_once(&rig);
	rig_quit(&rig);
}

/* ---- how it begins and ends ---- */

static void test_protocol(void **state)
{
	struct loadproc *worker = &rig.loads[0], *producer = &rig.loads[1];
	char line[600];

	(void)state;
	rig_open(&rig, &server, "skiplocked", "10");
	/* stop without start; then the end of the socket */
	rig_loads(&rig, 1, "20", ARGS("--pool=1"));
	loadproc_send(worker, "stop");
	loadproc_expect(worker, "stopped", NULL, 0);
	close(worker->control);
	worker->control = -1;
	assert_int_equal(loadproc_wait(worker), 0);
	loadproc_send(producer, "start");
	rig_wait(&rig, &rig.page->enqueued, 1);
	close(producer->control);
	producer->control = -1;
	assert_int_equal(loadproc_wait(producer), 0);
	/* start before the address */
	loadproc_start(worker, "worker", rig.page_fd, rig.variant.dir, ARGS("--pool=1"));
	loadproc_send(worker, "start");
	loadproc_expect(worker, "error", line, sizeof(line));
	assert_int_equal(loadproc_wait(worker), 1);
	/* an address that is none, and one where nobody is */
	loadproc_start(worker, "worker", rig.page_fd, rig.variant.dir, ARGS("--pool=1"));
	loadproc_send(worker, "dsn 127.0.0.1 none");
	loadproc_expect(worker, "error", line, sizeof(line));
	assert_int_equal(loadproc_wait(worker), 1);
	loadproc_start(worker, "producer", rig.page_fd, rig.variant.dir, ARGS("--pool=2"));
	loadproc_send(worker, "dsn 127.0.0.1 1 postgres x postgres ");
	loadproc_expect(worker, "error", line, sizeof(line));
	assert_non_null(strstr(line, "refused"));
	assert_int_equal(loadproc_wait(worker), 1);
}

static void lost(unsigned which, const char *application)
{
	char sql[200], line[600];

	rig_open(&rig, &server, "skiplocked", "10");
	rig_loads(&rig, 1, "50", ARGS("--names=1000"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 5);
	snprintf(sql, sizeof(sql),
		 "select pg_terminate_backend(pid) from pg_stat_activity where application_name = "
		 "'%s'",
		 application);
	sql_number(&rig.loop, rig.db, sql);
	loadproc_expect(&rig.loads[which], "error", line, sizeof(line));
	assert_non_null(strstr(line, "administrator command"));
	assert_int_equal(loadproc_wait(&rig.loads[which]), 1);
}

static void test_lost_worker(void **state)
{
	(void)state;
	lost(0, "cputop worker");
}

static void test_lost_producer(void **state)
{
	(void)state;
	lost(1, "cputop producer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
		TEST(test_wakeups),
		TEST(test_statements),
		TEST(test_names),
		TEST(test_pername),
		TEST(test_claims_of_a_backlog),
		TEST(test_max),
		TEST(test_fast),
		TEST(test_rate_changes),
		TEST(test_rate_before_start),
		TEST(test_idle),
		TEST(test_ask),
		TEST(test_ask_crew),
		TEST(test_ask_again),
		TEST(test_protocol),
		TEST(test_lost_worker),
		TEST(test_lost_producer),
	};
	int failed = 1;

	if (!pgserver_find(&server))
		return pgserver_skip();
	loadproc_variants();
	if (pgserver_start(&server) == 0)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	pgserver_stop(&server);
	return failed;
}
