#include "config.h"

#include "dbtest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"

#define PARALLEL 8

struct fixture *fixture_new(const struct pgserver *s, const char *schema)
{
	struct fixture *f = calloc(1, sizeof(*f));

	uv_loop_init(&f->loop);
	pgserver_dsn(s, schema, &f->dsn);
	f->db = open_db(&f->loop, &f->dsn);
	return f;
}

int fixture_end(void **state)
{
	struct fixture *f = *state;

	close_all(&f->loop, f->db);
	free(f);
	return 0;
}

void ok(struct fixture *f, const char *sql)
{
	struct outcome out;

	run_sql(&f->loop, f->db, sql, &out);
	assert_string_equal(out.error, "");
	assert_int_equal(out.status, DB_OK);
	assert_int_equal(out.calls, 1);
}

void check_parallel(struct fixture *f, const char *sleep_sql)
{
	struct outcome out[PARALLEL] = {{0}};
	struct db *db[PARALLEL];
	uint64_t begin;

	for (int i = 0; i < PARALLEL; i++)
		db[i] = open_db(&f->loop, &f->dsn);
	begin = clock_now_ns();
	for (int i = 0; i < PARALLEL; i++)
		db_query(db[i], sleep_sql, outcome_cb, &out[i]);
	for (int i = 0; i < PARALLEL; i++)
		run_until(&f->loop, &out[i].calls);
	assert_true(clock_now_ns() - begin < PARALLEL * 300 * NS_PER_MS / 2);
	for (int i = 0; i < PARALLEL; i++) {
		assert_int_equal(out[i].status, DB_OK);
		db_close(db[i], NULL, NULL);
	}
}

void lost_cb(struct db *db, const char *reason, void *arg)
{
	struct lost *lost = arg;

	assert_true(db_broken(db));
	lost->calls++;
	snprintf(lost->reason, sizeof(lost->reason), "%s", reason);
}

void terminate(struct fixture *f, const char *kill_sql, struct db *victim)
{
	const char *number = strstr(kill_sql, "%lld");
	char sql[120];

	snprintf(sql, sizeof(sql), "%.*s%lld%s", (int)(number - kill_sql), kill_sql,
		 (long long)db_backend_pid(victim), number + strlen("%lld"));
	ok(f, sql);
}

void check_broken_idle(struct fixture *f, const char *kill_sql, const char *reason,
		       const char *or_reason)
{
	struct db *victim = open_db(&f->loop, &f->dsn);
	struct lost lost = {0, ""};
	struct outcome out;

	db_on_broken(victim, lost_cb, &lost);
	terminate(f, kill_sql, victim);
	run_until(&f->loop, &lost.calls);
	assert_int_equal(lost.calls, 1);
	assert_true(strstr(lost.reason, reason) || strstr(lost.reason, or_reason));
	/* operations still end, from the loop */
	run_sql(&f->loop, victim, "select 1", &out);
	assert_int_equal(out.status, DB_BROKEN);
	assert_int_equal(out.calls, 1);
	assert_int_equal(lost.calls, 1);
	db_close(victim, NULL, NULL);
}

void closed_cb(void *arg)
{
	++*(unsigned *)arg;
}

void check_close_busy(struct fixture *f, const char *sleep_sql)
{
	struct db *db = open_db(&f->loop, &f->dsn);
	struct outcome out = {0}, connecting = {0};
	struct err err = {0, ""};
	unsigned closed = 0;

	db_query(db, sleep_sql, outcome_cb, &out);
	db_close(db, closed_cb, &closed);
	assert_int_equal(out.calls, 0);
	run_until(&f->loop, &closed);
	assert_int_equal(out.calls, 1);
	assert_int_equal(out.status, DB_BROKEN);
	/* and while it connects */
	closed = 0;
	db = db_open(&f->loop, &f->dsn, "x", outcome_cb, &connecting, &err);
	assert_non_null(db);
	db_close(db, closed_cb, &closed);
	run_until(&f->loop, &closed);
	assert_int_equal(connecting.calls, 1);
	assert_int_equal(connecting.status, DB_BROKEN);
}

void check_refused(struct fixture *f, const char *what)
{
	struct outcome out = {0};
	struct err err = {0, ""};
	struct db *db = db_open(&f->loop, &f->dsn, "x", outcome_cb, &out, &err);

	assert_non_null(db);
	assert_int_equal(out.calls, 0);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.calls, 1);
	assert_int_equal(out.status, DB_BROKEN);
	assert_non_null(strstr(out.error, what));
	assert_null(strchr(out.error, '\n'));
	db_close(db, NULL, NULL);
}
