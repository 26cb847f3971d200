/* cputop-load with variants made for the test: slow ones, and wrong ones, which it must notice. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "loadproc.h"
#include "pgserver.h"

static struct pgserver server;
static struct rig rig;
static char own[64]; /* folder of the variant that a test makes */

static int teardown(void **state)
{
	char path[128];

	(void)state;
	rig_close(&rig);
	snprintf(path, sizeof(path), "%s/variant.ini", own);
	unlink(path);
	snprintf(path, sizeof(path), "%s/postgres.sql", own);
	unlink(path);
	return rmdir(own);
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", own, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Replaces the first a in text by b. */
static char *replace(const char *text, const char *a, const char *b)
{
	const char *at = strstr(text, a);
	size_t size = strlen(text) + strlen(b) + 1;
	char *out = malloc(size);

	assert_non_null(at);
	snprintf(out, size, "%.*s%s%s", (int)(at - text), text, b, at + strlen(a));
	return out;
}

/* A copy of skiplocked with its SQL changed: pairs of what is there and what takes its place. */
static const char *own_variant(const char *const *changes)
{
	char path[4200], *text;
	struct strbuf file;
	struct variant v;
	struct err err = {0, ""};

	strbuf_init(&file);
	assert_int_equal(variant_load(&v, "skiplocked", &err), 0);
	snprintf(path, sizeof(path), "%s/postgres.sql", v.dir);
	assert_int_equal(strbuf_read_file(&file, path, 1 << 16), 0);
	text = strbuf_detach(&file);
	for (; changes[0]; changes += 2) {
		char *changed = replace(text, changes[0], changes[1]);

		free(text);
		text = changed;
	}
	snprintf(own, sizeof(own), "/tmp/cputop-own-XXXXXX");
	assert_non_null(mkdtemp(own));
	write_file("variant.ini", "[variant]\ntitle = x\nclaim = shared\n");
	write_file("postgres.sql", text);
	free(text);
	return own;
}

/* The statement that completes a job, to tell it from others like it. */
#define COMPLETE "-- :complete  $1 id\n"

/* "stopped" comes when the jobs that were claimed are completed. */
static void test_slow(void **state)
{
	struct loadproc *worker = &rig.loads[0];
	long check[3];

	(void)state;
	rig_open(&rig, &server,
		 own_variant(ARGS(COMPLETE "update job set state = 2, finished_at = now() where",
				  COMPLETE "update job set state = 2, finished_at = now() from "
					   "pg_sleep(0.3) where")),
		 "10");
	rig_loads(&rig, 1, "50", ARGS("--names=1000"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->running, 3);
	loadproc_send(worker, "stop");
	loadproc_expect(worker, "stopped", NULL, 0);
	assert_int_equal(page_get(&rig.page->running), 0);
	assert_true(page_get(&rig.page->completed) >= 3);
	rig_check(&rig, check);
	assert_int_equal(check[1], 0);
	assert_int_equal(check[2], page_get(&rig.page->completed));
	rig_quit(&rig);
}

/* A claim that leaves the job as it is: the next claim finds it again. Only the bitmap tells, since
 * each completion changes one row. */
static void test_twice(void **state)
{
	(void)state;
	rig_open(&rig, &server,
		 own_variant(ARGS("set state = 1, started_at = now() from c",
				  "set started_at = now() from c",
				  COMPLETE
				  "update job set state = 2, finished_at = now() where id = $1 "
				  "and state = 1",
				  COMPLETE "update job set finished_at = now() where id = $1")),
		 "10");
	rig_loads(&rig, 1, "max", ARGS("--backlog=20"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->duplicates, 10);
	rig_quit(&rig);
}

/* Two workers that claim without locking. */
static void test_unlocked(void **state)
{
	(void)state;
	rig_open(&rig, &server, own_variant(ARGS(" for update skip locked", "")), "10");
	rig_loads(&rig, 2, "max", ARGS("--backlog=20"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->duplicates, 1);
	rig_quit(&rig);
}

/* A completion that changes nothing is no completion. */
static void test_not_completed(void **state)
{
	(void)state;
	rig_open(&rig, &server,
		 own_variant(ARGS(COMPLETE
				  "update job set state = 2, finished_at = now() where id = $1 "
				  "and state = 1",
				  COMPLETE "update job set state = 2 where id = $1 and state = 7")),
		 "10");
	rig_loads(&rig, 1, "100", ARGS("--names=1000"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->duplicates, 10);
	assert_int_equal(page_get(&rig.page->completed), 0);
	rig_quit(&rig);
}

static void test_wrong_sql(void **state)
{
	struct loadproc *worker = &rig.loads[0];
	char line[600], expected[200];

	(void)state;
	rig_open(&rig, &server,
		 own_variant(ARGS("update job set state = 1, started_at = now() from c where",
				  "update job\nset state = 1,\n wrong = 1 from c where")),
		 "10");
	rig.n = 1;
	loadproc_start(worker, "worker", rig.page_fd, own, ARGS("--pool=2"));
	loadproc_dsn(worker, &rig.dsn);
	loadproc_expect(worker, "error", line, sizeof(line));
	assert_int_equal(loadproc_wait(worker), 1);
	snprintf(expected, sizeof(expected),
		 "error %s/postgres.sql:%u: statement claim failed: "
		 "column \"wrong\"",
		 own, rig.sql.line[SQL_CLAIM] + 6);
	assert_int_equal(strncmp(line, expected, strlen(expected)), 0);
}

/* Serialisation failures are tried again; other errors fail the job, with a note. */
static void test_retry(void **state)
{
	uint64_t sent;
	long check[3];

	(void)state;
	rig_open(&rig, &server,
		 own_variant(ARGS(COMPLETE
				  "update job set state = 2, finished_at = now() where id = $1",
				  COMPLETE "update job set state = 2 + flaky() where id = $1")),
		 "10");
	sql_number(&rig.loop, rig.db,
		   "create function flaky() returns int language plpgsql as $$begin "
		   "if random() < 0.4 then raise 'again' using errcode = '40001'; end if; "
		   "return 0; end$$");
	rig_loads(&rig, 1, "200", ARGS("--names=1000"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 100);
	rig_drain(&rig);
	rig_check(&rig, check);
	assert_int_equal(check[0] + check[1], 0);
	assert_int_equal(check[2], page_get(&rig.page->completed));
	assert_int_equal(page_get(&rig.page->failed) + page_get(&rig.page->duplicates), 0);
	assert_true(page_get(&rig.page->retried) > 10);
	/* each try is a statement; some claims were prepared on the way */
	sent = page_get(&rig.page->completed) + page_get(&rig.page->claims) +
	       page_get(&rig.page->retried);
	assert_true(page_get(&rig.page->worker_statements) >= sent);
	assert_true(page_get(&rig.page->worker_statements) <= sent + 4 * 7);
	rig_quit(&rig);
}

/* Transactions that fail at their end are done again as a whole. */
static void test_commit_fails(void **state)
{
	struct outcome out;

	(void)state;
	rig_open(&rig, &server, own_variant((const char *[]){NULL}), "10");
	run_sql(&rig.loop, rig.db,
		"create function flaky_end() returns trigger language plpgsql as $$begin "
		"if random() < 0.4 then raise 'again' using errcode = '40001'; end if; "
		"return null; end$$; "
		"create constraint trigger flaky_end after insert on app "
		"deferrable initially deferred for each row execute function flaky_end()",
		&out);
	assert_string_equal(out.error, "");
	rig_loads(&rig, 1, "200", ARGS("--names=1000", "--enqueue=tx"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 100);
	rig_drain(&rig);
	rig_assert_once(&rig);
	assert_true(page_get(&rig.page->enqueue_retried) > 10);
	rig_quit(&rig);
}

static void test_failing(void **state)
{
	struct loadproc *worker = &rig.loads[0];

	(void)state;
	rig_open(&rig, &server,
		 own_variant(ARGS(
			 COMPLETE "update job set state = 2, finished_at = now() where id = $1",
			 COMPLETE "update job set state = 2 + 1 / (seq % 2)::int where id = $1")),
		 "10");
	rig_loads(&rig, 1, "200", ARGS("--names=1000"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->failed, 30);
	loadproc_send(worker, "stop");
	loadproc_expect(worker, "stopped", NULL, 0);
	assert_true(worker->notes >= 20 && worker->notes <= 22);
	rig_quit(&rig);
}

/* Keys of another type and length than ours. */
static const char *keyed_variant(const char *key)
{
	return own_variant(ARGS("id bigint generated always as identity primary key", key));
}

static void test_uuid(void **state)
{
	long check[3];

	(void)state;
	rig_open(&rig, &server, keyed_variant("id uuid default gen_random_uuid() primary key"),
		 "10");
	rig_loads(&rig, 1, "200", ARGS("--names=10"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 50);
	rig_drain(&rig);
	rig_check(&rig, check);
	assert_int_equal(check[0] + check[1], 0);
	assert_int_equal(check[2], page_get(&rig.page->completed));
	assert_int_equal(page_get(&rig.page->failed) + page_get(&rig.page->duplicates), 0);
	rig_quit(&rig);
}

static void keys_of(unsigned length, char *key, size_t size)
{
	snprintf(key, size,
		 "id text default substr(repeat(md5(random()::text), 3), 1, %u) primary key",
		 length);
}

static void test_long_id(void **state)
{
	struct loadproc *worker = &rig.loads[0];
	char line[600], key[128];

	(void)state;
	keys_of(64, key, sizeof(key));
	rig_open(&rig, &server, keyed_variant(key), "10");
	rig_loads(&rig, 1, "200", ARGS("--names=10"));
	rig_start(&rig);
	loadproc_expect(worker, "error", line, sizeof(line));
	assert_string_equal(line,
			    "error an id of 64 characters is too long; cputop takes up to 63");
	assert_int_equal(loadproc_wait(worker), 1);
	assert_int_equal(page_get(&rig.page->completed), 0);
}

/* What is not the number of a job is not taken for one. */
static void test_text_as_seq(void **state)
{
	struct loadproc *worker = &rig.loads[0];
	char line[600];

	(void)state;
	rig_open(&rig, &server, own_variant(ARGS("job.name, job.seq", "job.name, 'x' || job.seq")),
		 "10");
	rig_loads(&rig, 1, "200", ARGS("--names=10"));
	rig_start(&rig);
	loadproc_expect(worker, "error", line, sizeof(line));
	assert_non_null(strstr(line, "error the claim returned 'x"));
	assert_int_equal(loadproc_wait(worker), 1);
	assert_int_equal(page_get(&rig.page->completed), 0);
}

static void test_longest_id(void **state)
{
	char key[128];

	(void)state;
	keys_of(63, key, sizeof(key));
	rig_open(&rig, &server, keyed_variant(key), "10");
	rig_loads(&rig, 1, "200", ARGS("--names=10"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 50);
	rig_drain(&rig);
	assert_int_equal(page_get(&rig.page->failed) + page_get(&rig.page->duplicates), 0);
	rig_quit(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
		TEST(test_slow),          TEST(test_twice),      TEST(test_unlocked),
		TEST(test_not_completed), TEST(test_wrong_sql),  TEST(test_retry),
		TEST(test_commit_fails),  TEST(test_failing),    TEST(test_uuid),
		TEST(test_long_id),       TEST(test_longest_id), TEST(test_text_as_seq),
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
