/* The PostgreSQL client against a real server. */
#include "config.h"

#include "db/db.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dbtest.h"
#include "lib/clock.h"
#include "lib/err.h"

#define KILL "select pg_terminate_backend(%lld)"

static struct pgserver server;

static int setup(void **state)
{
	*state = fixture_new(&server, "");
	return 0;
}

static void test_values(void **state)
{
	struct fixture *f = *state;
	struct outcome out;

	run_sql(&f->loop, f->db, "select 41 + 1", &out);
	assert_int_equal(out.status, DB_OK);
	assert_int_equal(out.rows, 1);
	assert_int_equal(out.cols, 1);
	assert_string_equal(out.value, "42");
	run_sql(&f->loop, f->db, "select null", &out);
	assert_true(out.null);
	run_sql(&f->loop, f->db, "", &out);
	assert_int_equal(out.status, DB_OK);
	assert_true(db_backend_pid(f->db) > 1);
	assert_int_equal(sql_number(&f->loop, f->db, "select pg_backend_pid()"),
			 db_backend_pid(f->db));
	assert_int_equal(sql_number(&f->loop, f->db,
				    "select count(*) from pg_stat_activity where "
				    "application_name = 'cputop test'"),
			 1);
}

static void test_script(void **state)
{
	struct fixture *f = *state;
	struct outcome out;

	/* VACUUM cannot run inside a transaction, which a script sent whole would be */
	ok(f, "create table s (t text); insert into s values (';'), ('a''b;'), ($$x;$$);\n"
	      "-- a comment; with a semicolon\n vacuum s; checkpoint;");
	assert_int_equal(sql_number(&f->loop, f->db, "select count(*) from s"), 3);
	run_sql(&f->loop, f->db, "insert into s values ('1'); update s set t = 'y'; ", &out);
	assert_int_equal(out.affected, 4);
	/* the first that fails ends it; its position counts from the start, in characters */
	run_sql(&f->loop, f->db, "select '\xc3\xa4'; select nix; insert into s values ('2')", &out);
	assert_int_equal(out.status, DB_ERROR);
	assert_string_equal(out.sqlstate, "42703");
	assert_int_equal(out.position, 20);
	assert_int_equal(sql_number(&f->loop, f->db, "select count(*) from s"), 4);
}

static void test_prepared(void **state)
{
	struct fixture *f = *state;
	const char *params[] = {"7", NULL};
	struct outcome out = {0};

	db_prepare(f->db, "p", "select $1::int * 6, $2::text", outcome_cb, &out);
	assert_true(db_busy(f->db));
	assert_int_equal(out.calls, 0); /* from the loop only */
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.status, DB_OK);
	for (int i = 0; i < 10; i++) {
		memset(&out, 0, sizeof(out));
		db_exec(f->db, "p", 2, params, outcome_cb, &out);
		run_until(&f->loop, &out.calls);
		assert_string_equal(out.value, "42");
		assert_int_equal(out.cols, 2);
	}
	assert_false(db_busy(f->db));
	memset(&out, 0, sizeof(out));
	db_query_params(f->db, "select $2::text, $1::int", 2, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_true(out.null);
}

static void test_errors(void **state)
{
	struct fixture *f = *state;
	struct outcome out;

	run_sql(&f->loop, f->db, "do $$begin raise 'two\nlines' using errcode = '40P01'; end$$",
		&out);
	assert_int_equal(out.status, DB_RETRY);
	assert_null(strchr(out.error, '\n'));
	run_sql(&f->loop, f->db, "do $$begin raise 'x' using errcode = '40001'; end$$", &out);
	assert_int_equal(out.status, DB_RETRY);
	run_sql(&f->loop, f->db,
		"create table u (i int primary key); insert into u values (1), (1)", &out);
	assert_int_equal(out.status, DB_ERROR);
	assert_non_null(strstr(out.error, "already exists"));
	/* COPY would wait for data for ever */
	run_sql(&f->loop, f->db, "copy u from stdin", &out);
	assert_int_equal(out.status, DB_BROKEN);
	assert_non_null(strstr(out.error, "COPY"));
}

static void test_big(void **state)
{
	struct fixture *f = *state;
	size_t size = 20 << 20;
	char *big = malloc(size + 1);
	const char *params[] = {big};
	struct outcome out = {0};

	/* more than the socket takes at once, both ways */
	memset(big, 'x', size);
	big[size] = '\0';
	db_query_params(f->db, "select length($1::text)", 1, params, outcome_cb, &out);
	free(big);
	run_until(&f->loop, &out.calls);
	assert_string_equal(out.value, "20971520");
	run_sql(&f->loop, f->db, "select repeat('y', 20000000) from generate_series(1, 3)", &out);
	assert_int_equal(out.rows, 3);
	assert_int_equal(strlen(out.value), sizeof(out.value) - 1);
}

static void test_parallel(void **state)
{
	check_parallel(*state, "select pg_sleep(0.3)");
}

static void count_cb(struct db *db, void *arg)
{
	(void)db;
	++*(unsigned *)arg;
}

static void test_notify(void **state)
{
	struct fixture *f = *state;
	struct db *other = open_db(&f->loop, &f->dsn);
	unsigned n = 0, m = 0;
	struct outcome out;

	db_on_notify(f->db, count_cb, &n);
	ok(f, "listen here");
	run_sql(&f->loop, other, "notify here", &out);
	run_until(&f->loop, &n);
	assert_int_equal(n, 1);
	/* also those that come with the answer of a statement */
	db_on_notify(f->db, count_cb, &m);
	ok(f, "notify here; notify here, 'x'; select 1");
	run_until(&f->loop, &m);
	assert_int_equal(m, 2);
	db_close(other, NULL, NULL);
}

static void test_schema(void **state)
{
	struct fixture *f = *state;
	struct db *other;
	struct outcome out;

	ok(f, "create schema one");
	pgserver_dsn(&server, "one", &f->dsn);
	other = open_db(&f->loop, &f->dsn);
	run_sql(&f->loop, other, "create table inside (i int); show search_path", &out);
	assert_string_equal(out.value, "one");
	ok(f, "select from one.inside");
	db_close(other, NULL, NULL);
}

/* What the user has set for psql is not for us. */
static void test_environment(void **state)
{
	static const char *const set[][2] = {
		{"PGHOST", "192.0.2.1,192.0.2.2"},
		{"PGHOSTADDR", "192.0.2.1,192.0.2.2"},
		{"PGPORT", "1,2"},
		{"PGUSER", "nobody"},
		{"PGPASSWORD", "wrong"},
		{"PGPASSFILE", "/nonexistent"},
		{"PGDATABASE", "nowhere"},
		{"PGAPPNAME", "other"},
		{"PGSERVICE", "nowhere"},
		{"PGSERVICEFILE", "/nonexistent"},
		{"PGSYSCONFDIR", "/nonexistent"},
		{"PGOPTIONS", "-c search_path=nowhere"},
		{"PGSSLMODE", "verify-full"},
		{"PGREQUIRESSL", "1"},
		{"PGSSLNEGOTIATION", "direct"},
		{"PGSSLMINPROTOCOLVERSION", "nonsense"},
		{"PGGSSENCMODE", "require"},
		{"PGCHANNELBINDING", "require"},
		{"PGREQUIREAUTH", "scram-sha-256"},
		{"PGREQUIREPEER", "nobody"},
		{"PGTARGETSESSIONATTRS", "standby"},
		{"PGLOADBALANCEHOSTS", "nonsense"},
		{"PGCONNECT_TIMEOUT", "nonsense"},
		{"PGCLIENTENCODING", "nonsense"},
		{"PGDATESTYLE", "SQL, DMY"},
		{"PGTZ", "Asia/Tokyo"},
		{"PGGEQO", "off"},
	};
	/* whatever comes from the client */
	const char *show = "select string_agg(name || '=' || setting, ' ' order by name) "
			   "from pg_settings where source = 'client'";
	struct fixture *f = *state;
	struct db *other;
	struct outcome out;

	setenv("PG_BIN", "/ours", 1);
	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
		setenv(set[i][0], set[i][1], 1);
		other = open_db(&f->loop, &f->dsn);
		run_sql(&f->loop, other, show, &out);
		assert_string_equal(out.value, "application_name=cputop test client_encoding=UTF8");
		db_close(other, NULL, NULL);
		assert_null(getenv(set[i][0]));
	}
	assert_string_equal(getenv("PG_BIN"), "/ours");
	unsetenv("PG_BIN");
}

static void test_broken_idle(void **state)
{
	check_broken_idle(*state, KILL, "administrator command", "administrator command");
}

static void test_broken_busy(void **state)
{
	struct fixture *f = *state;
	struct db *victim = open_db(&f->loop, &f->dsn);
	struct lost lost = {0, ""};
	struct outcome out = {0};

	db_on_broken(victim, lost_cb, &lost);
	db_query(victim, "select pg_sleep(60)", outcome_cb, &out);
	terminate(f, KILL, victim);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.status, DB_BROKEN);
	assert_non_null(strstr(out.error, "administrator command"));
	assert_int_equal(lost.calls, 0);
	db_close(victim, NULL, NULL);
}

static void test_close_busy(void **state)
{
	check_close_busy(*state, "select pg_sleep(60)");
}

static void test_refused(void **state)
{
	struct fixture *f = *state;

	snprintf(f->dsn.database, sizeof(f->dsn.database), "nowhere");
	check_refused(f, "\"nowhere\" does not exist");
	f->dsn.port = 1;
	check_refused(f, "refused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_end)
		TEST(test_values),      TEST(test_script),      TEST(test_prepared),
		TEST(test_errors),      TEST(test_big),         TEST(test_parallel),
		TEST(test_notify),      TEST(test_schema),      TEST(test_environment),
		TEST(test_broken_idle), TEST(test_broken_busy), TEST(test_close_busy),
		TEST(test_refused),
	};
	int failed = 1;

	if (!pgserver_find(&server))
		return pgserver_skip();
	if (pgserver_start(&server) == 0)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	pgserver_stop(&server);
	return failed;
}
