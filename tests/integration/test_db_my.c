/* The client for MariaDB and MySQL against a real server: TEST_DIALECT says which. */
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
#include "myserver.h"

#define KILL "kill %lld"

static struct pgserver server;

static int setup(void **state)
{
	*state = fixture_new(&server, "cputop_test");
	ok(*state, "drop database if exists cputop_test; create database cputop_test; use "
		   "cputop_test");
	return 0;
}

static void prepare(struct fixture *f, const char *name, const char *sql)
{
	struct outcome out = {0};

	db_prepare(f->db, name, sql, outcome_cb, &out);
	assert_true(db_busy(f->db));
	assert_int_equal(out.calls, 0); /* from the loop only */
	run_until(&f->loop, &out.calls);
	assert_string_equal(out.error, "");
	assert_int_equal(out.status, DB_OK);
	assert_false(db_busy(f->db));
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
	run_sql(&f->loop, f->db, " -- nothing\n", &out);
	assert_int_equal(out.status, DB_OK);
	assert_int_equal(out.rows, 0);
	run_sql(&f->loop, f->db, "select '\xc3\xa4'", &out);
	assert_string_equal(out.value, "\xc3\xa4");
	assert_true(db_backend_pid(f->db) > 1);
	assert_int_equal(sql_number(&f->loop, f->db, "select connection_id()"),
			 db_backend_pid(f->db));
}

static void test_script(void **state)
{
	struct fixture *f = *state;
	struct outcome out;

	ok(f, "create table s (t text); insert into s values (';'), ('a\\';b'), (\"x;\");\n"
	      "# a comment; with a semicolon\n analyze table s; -- and; another\n");
	assert_int_equal(sql_number(&f->loop, f->db, "select count(*) from s"), 3);
	run_sql(&f->loop, f->db, "insert into s values ('1'); update s set t = 'y'; ", &out);
	assert_int_equal(out.affected, 4);
	/* the first that fails ends it */
	run_sql(&f->loop, f->db, "select 1; select nix; insert into s values ('2')", &out);
	assert_int_equal(out.status, DB_ERROR);
	assert_string_equal(out.sqlstate, "42S22");
	assert_int_equal(sql_number(&f->loop, f->db, "select count(*) from s"), 4);
}

static void test_prepared(void **state)
{
	struct fixture *f = *state;
	const char *params[] = {"7", NULL, "not asked for"};
	struct outcome out;

	prepare(f, "p", "select $1 * 6, $2, '$1', $1");
	for (int i = 0; i < 10; i++) {
		memset(&out, 0, sizeof(out));
		db_exec(f->db, "p", 3, params, outcome_cb, &out);
		run_until(&f->loop, &out.calls);
		assert_string_equal(out.error, "");
		assert_int_equal(strtol(out.value, NULL, 10), 42);
		assert_int_equal(out.cols, 4);
	}
	memset(&out, 0, sizeof(out));
	db_query_params(f->db, "select $2, $1", 2, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_true(out.null);
	memset(&out, 0, sizeof(out));
	params[0] = "it's \\ \"so\"";
	db_query_params(f->db, "select $1", 1, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_string_equal(out.value, params[0]);
}

static void test_prepared_changes(void **state)
{
	struct fixture *f = *state;
	const char *params[] = {"12", "some text"};
	struct outcome out = {0};

	ok(f, "create table c (i bigint primary key, t text)");
	prepare(f, "in", "insert into c values ($1, $2)");
	prepare(f, "out", "select t, i, null from c where i = $1");
	prepare(f, "set", "update c set t = $2 where i = $1");
	db_exec(f->db, "in", 2, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.affected, 1);
	memset(&out, 0, sizeof(out));
	db_exec(f->db, "out", 1, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.rows, 1);
	assert_int_equal(out.cols, 3);
	assert_string_equal(out.value, "some text");
	/* what does not change a row has changed none */
	memset(&out, 0, sizeof(out));
	db_exec(f->db, "set", 2, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.affected, 0);
	assert_int_equal(out.rows, 0);
	memset(&out, 0, sizeof(out));
	db_exec(f->db, "in", 2, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.status, DB_ERROR);
	assert_non_null(strstr(out.error, "Duplicate entry"));
	memset(&out, 0, sizeof(out));
	db_exec(f->db, "nix", 0, NULL, outcome_cb, &out);
	assert_int_equal(out.calls, 0);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.status, DB_ERROR);
}

static void test_errors(void **state)
{
	struct fixture *f = *state;
	struct outcome out = {0};

	run_sql(&f->loop, f->db, "select 1 from `two\nlines\x1b`", &out);
	assert_int_equal(out.status, DB_ERROR);
	assert_null(strchr(out.error, '\n'));
	assert_null(strchr(out.error, '\x1b'));
	memset(&out, 0, sizeof(out));
	db_prepare(f->db, "wrong", "selec 1", outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.status, DB_ERROR);
	assert_string_equal(out.sqlstate, "42000");
	ok(f, "select 1");
}

/* One waits for a row of the other's: lock time-out, then a deadlock. */
static void test_retry(void **state)
{
	struct fixture *f = *state;
	struct db *other = open_db(&f->loop, &f->dsn);
	struct outcome out, first = {0}, second = {0};

	ok(f, "create table r (i int primary key); insert into r values (1), (2);"
	      "set innodb_lock_wait_timeout = 1; begin; update r set i = 11 where i = 1");
	run_sql(&f->loop, other, "begin; update r set i = 12 where i = 2", &out);
	assert_string_equal(out.error, "");
	run_sql(&f->loop, f->db, "update r set i = 13 where i = 2", &out);
	assert_int_equal(out.status, DB_RETRY);
	assert_non_null(strstr(out.error, "Lock wait timeout"));
	ok(f, "set innodb_lock_wait_timeout = 20");
	db_query(f->db, "update r set i = 13 where i = 2", outcome_cb, &first);
	db_query(other, "update r set i = 14 where i = 1", outcome_cb, &second);
	run_until(&f->loop, &first.calls);
	run_until(&f->loop, &second.calls);
	assert_true((first.status == DB_RETRY) != (second.status == DB_RETRY));
	assert_string_equal(first.status == DB_RETRY ? first.sqlstate : second.sqlstate, "40001");
	db_close(other, NULL, NULL);
}

static void test_isolation(void **state)
{
	struct fixture *f = *state;
	struct outcome out;
	struct db *other = open_db(&f->loop, &f->dsn);

	/* a claim that is open does not stop an insert */
	ok(f, "create table g (state int, run_at datetime(6), key (state, run_at));"
	      "insert into g values (0, now(6)); set innodb_lock_wait_timeout = 1; begin;"
	      "select * from g where state = 0 and run_at <= now(6) for update skip locked");
	run_sql(&f->loop, other,
		"set innodb_lock_wait_timeout = 1; insert into g values (0, now(6))", &out);
	assert_string_equal(out.error, "");
	db_close(other, NULL, NULL);
}

static void test_procedure(void **state)
{
	struct fixture *f = *state;
	struct outcome out = {0};

	ok(f, "create procedure two() select 7");
	run_sql(&f->loop, f->db, "call two()", &out);
	assert_string_equal(out.value, "7");
	prepare(f, "call", "call two()");
	for (int i = 0; i < 3; i++) {
		memset(&out, 0, sizeof(out));
		db_exec(f->db, "call", 0, NULL, outcome_cb, &out);
		run_until(&f->loop, &out.calls);
		assert_string_equal(out.error, "");
		assert_string_equal(out.value, "7");
	}
}

static void test_big(void **state)
{
	struct fixture *f = *state;
	size_t size = 5 << 20;
	char *big = malloc(size + 1);
	const char *params[] = {big};
	struct outcome out = {0};

	/* more than the socket takes at once, both ways, and both protocols */
	memset(big, 'x', size);
	big[size] = '\0';
	prepare(f, "length", "select length($1), $1");
	db_exec(f->db, "length", 1, params, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_string_equal(out.value, "5242880");
	memset(&out, 0, sizeof(out));
	db_query_params(f->db, "select $1", 1, params, outcome_cb, &out);
	free(big);
	run_until(&f->loop, &out.calls);
	assert_int_equal(strlen(out.value), sizeof(out.value) - 1);
	ok(f, "create table b (t longtext); insert into b values (repeat('y', 5000000))");
	prepare(f, "all", "select t from b union all select t from b");
	memset(&out, 0, sizeof(out));
	db_exec(f->db, "all", 0, NULL, outcome_cb, &out);
	run_until(&f->loop, &out.calls);
	assert_int_equal(out.rows, 2);
	assert_int_equal(strlen(out.value), sizeof(out.value) - 1);
}

static void test_parallel(void **state)
{
	check_parallel(*state, "select sleep(0.3)");
}

static void test_schema(void **state)
{
	struct fixture *f = *state;
	struct db *other = open_db(&f->loop, &f->dsn);
	struct outcome out;

	run_sql(&f->loop, other, "create table inside (i int); select database()", &out);
	assert_string_equal(out.value, "cputop_test");
	db_close(other, NULL, NULL);
}

/* What the user has set for the clients of other servers is not for us. */
static void test_environment(void **state)
{
	static const char *const set[][2] = {
		{"MYSQL_HOST", "192.0.2.1"},         {"MYSQL_TCP_PORT", "1"},
		{"MYSQL_UNIX_PORT", "/nonexistent"}, {"MYSQL_PWD", "wrong"},
		{"LIBMYSQL_PLUGINS", "nonsense"},
	};
	struct fixture *f = *state;

	setenv("MYSQL_BIN", "/ours", 1);
	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++) {
		setenv(set[i][0], set[i][1], 1);
		db_close(open_db(&f->loop, &f->dsn), NULL, NULL);
		assert_null(getenv(set[i][0]));
	}
	assert_string_equal(getenv("MYSQL_BIN"), "/ours");
	unsetenv("MYSQL_BIN");
}

static void test_broken_idle(void **state)
{
	check_broken_idle(*state, KILL, "killed", "closed");
}

static void test_broken_busy(void **state)
{
	struct fixture *f = *state;
	struct db *victim = open_db(&f->loop, &f->dsn);
	struct lost lost = {0, ""};
	struct outcome out = {0};

	db_on_broken(victim, lost_cb, &lost);
	db_query(victim, "select sleep(60) from (select 1 union select 2) x", outcome_cb, &out);
	terminate(f, KILL, victim);
	run_until(&f->loop, &out.calls);
	/* MySQL says that the statement was interrupted, and closes then */
	if (out.status != DB_BROKEN)
		run_until(&f->loop, &lost.calls);
	assert_true(db_broken(victim));
	db_close(victim, NULL, NULL);
}

static void test_close_busy(void **state)
{
	struct fixture *f = *state;
	struct outcome executing = {0};
	unsigned closed = 0;

	check_close_busy(f, "select sleep(60)");
	/* and in a prepared statement */
	prepare(f, "sleep", "select sleep(60)");
	db_exec(f->db, "sleep", 0, NULL, outcome_cb, &executing);
	db_close(f->db, closed_cb, &closed);
	f->db = NULL;
	run_until(&f->loop, &closed);
	assert_int_equal(executing.status, DB_BROKEN);
}

static void test_refused(void **state)
{
	struct fixture *f = *state;
	struct db_dsn right = f->dsn;

	snprintf(f->dsn.database, sizeof(f->dsn.database), "nowhere");
	check_refused(f, "Unknown database");
	f->dsn = right;
	snprintf(f->dsn.password, sizeof(f->dsn.password), "wrong");
	check_refused(f, "Access denied");
	f->dsn = right;
	f->dsn.port = 1;
	check_refused(f, "127.0.0.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_end)
		TEST(test_values),           TEST(test_script),      TEST(test_prepared),
		TEST(test_prepared_changes), TEST(test_errors),      TEST(test_retry),
		TEST(test_isolation),        TEST(test_procedure),   TEST(test_big),
		TEST(test_parallel),         TEST(test_schema),      TEST(test_environment),
		TEST(test_broken_idle),      TEST(test_broken_busy), TEST(test_close_busy),
		TEST(test_refused),
	};
	int failed = 1;

	if (!myserver_find(&server, TEST_DIALECT))
		return 0;
	if (myserver_start(&server) == 0)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	pgserver_stop(&server);
	return failed;
}
