#include "config.h"

#include "server_bench.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit/proc_support.h"
#include "db/db.h"

const struct engine_case engine_cases[DIALECT_COUNT] = {
	[DIALECT_POSTGRES] = {"PostgreSQL",
			      "SELECT current_database()",
			      "SHOW fsync",
			      "on",
			      {"work_mem", "7MB"},
			      "SHOW work_mem",
			      "7MB",
			      {"no_such_thing", "1"},
			      "unrecognized configuration parameter \"no_such_thing\"",
			      "ready to accept connections",
			      "size=12m,mode=0755",
			      "No space left on device",
			      "initdb"},
#define MY_CASE(title, full_says, init)                                                           \
	{                                                                                         \
		title, "SELECT DATABASE()",                                                       \
			"SELECT CONCAT_WS(' ', IF(@@log_bin, 1, 0), @@server_id, @@sync_binlog, " \
			"@@binlog_format, @@innodb_flush_log_at_trx_commit)",                     \
			"1 1 1 ROW 1", {"sort-buffer-size", "1M"},                                \
			"SELECT @@global.sort_buffer_size", "1048576", {"no_such_thing", "1"},    \
			"unknown variable 'no_such_thing=1'", "ready for connections",            \
			"size=30m,mode=0755", full_says, init                                     \
	}
	[DIALECT_MARIADB] = MY_CASE("MariaDB", "failed with error 28", "mariadb-install-db"),
	[DIALECT_MYSQL] = MY_CASE("MySQL", "No space left on device", NULL),
};

static void progress(struct server *s, const char *what, void *arg)
{
	struct bench *b = arg;
	size_t len = strlen(b->progress), again = strlen(what);

	(void)s;
	/* Once more: a slow machine. Another program may take the port in between: it then starts
	 * once more. */
	if (len > again && strncmp(b->progress + len - again - 1, what, again) == 0)
		return;
	snprintf(b->progress + len, sizeof(b->progress) - len, "%s|", what);
}

static int held(struct server *s, pid_t keeper, void *arg, struct err *err)
{
	struct bench *b = arg;

	(void)s;
	b->held = true;
	b->keeper = keeper;
	return b->refuse ? err_set(err, -EPERM, "no counters today") : 0;
}

static void ready(struct server *s, void *arg)
{
	struct bench *b = arg;

	(void)s;
	b->ready = b->over = true;
}

static void failed(struct server *s, const struct err *err, void *arg)
{
	struct bench *b = arg;

	(void)s;
	assert_false(b->failed);
	b->failure = *err;
	b->failed = b->over = true;
}

void bench_done(struct server *s, void *arg)
{
	struct bench *b = arg;

	(void)s;
	b->done = true;
}

static const char *given_place(void)
{
	static const char *const names[DIALECT_COUNT] = {
		[DIALECT_POSTGRES] = "PG_BIN",
		[DIALECT_MARIADB] = "MARIADB_BIN",
		[DIALECT_MYSQL] = "MYSQL_BIN",
	};

	return getenv(names[TEST_DIALECT]);
}

void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	uv_loop_init(&b->loop);
	snprintf(b->base, sizeof(b->base), "/tmp/cptest-XXXXXX");
	assert_non_null(mkdtemp(b->base));
	chmod(b->base, 0755);
	setenv("TMPDIR", b->base, 1);
	b->options.dialect = TEST_DIALECT;
	b->options.bin_dir = given_place();
}

bool bench_start(struct bench *b)
{
	static const struct server_callbacks cb = {progress, held, ready, failed};

	if (!b->tmp.path[0] && tmpdir_create(&b->tmp, &b->err) < 0)
		fail_msg("%s", b->err.text);
	b->server = server_start(&b->loop, &b->tmp, &b->options, &cb, b, &b->err);
	return b->server != NULL;
}

void bench_ready(struct bench *b)
{
	if (!bench_start(b))
		fail_msg("%s", b->err.text);
	assert_true(support_run_until(&b->loop, &b->over, LIMIT_MS));
	if (b->failed)
		fail_msg("%s", b->failure.text);
}

void bench_fails(struct bench *b, const char *text)
{
	if (!bench_start(b))
		fail_msg("%s", b->err.text);
	assert_true(support_run_until(&b->loop, &b->over, LIMIT_MS));
	assert_true(b->failed);
	if (!strstr(b->failure.text, text))
		fail_msg("'%s' is not in: %s", text, b->failure.text);
}

void bench_release(struct bench *b)
{
	if (b->server && !b->done) {
		server_stop(b->server, bench_done, b);
		assert_true(support_run_until(&b->loop, &b->done, LIMIT_MS));
	}
	server_free(b->server);
	tmpdir_remove(&b->tmp);
	assert_true(support_loop_close(&b->loop));
	unsetenv("TMPDIR");
	/* nothing is left, or this fails */
	assert_int_equal(rmdir(b->base), 0);
}

static void answer_cb(struct db *db, const struct db_result *r, void *arg)
{
	struct answer *a = arg;
	const char *text = r->error;

	(void)db;
	if (a->have)
		return;
	if (r->status == DB_OK)
		text = r->rows && r->cols ? r->field(r, 0, 0) : "";
	a->status = r->status;
	snprintf(a->text, sizeof(a->text), "%s", text ? text : "");
	a->have = true;
}

struct answer bench_ask(struct bench *b, const struct db_dsn *dsn, const char *sql)
{
	struct answer a = {false, DB_OK, ""};
	struct db *db = db_open(&b->loop, dsn, "test", answer_cb, &a, &b->err);

	assert_non_null(db);
	assert_true(support_run_until(&b->loop, &a.have, LIMIT_MS));
	if (a.status == DB_OK) {
		a.have = false;
		db_query(db, sql, answer_cb, &a);
		assert_true(support_run_until(&b->loop, &a.have, LIMIT_MS));
	}
	db_close(db, NULL, NULL);
	return a;
}

int bench_main_n(const char *name, const struct CMUnitTest *tests, size_t n, size_t nroot)
{
	struct server_options options = {.dialect = TEST_DIALECT, .bin_dir = given_place()};
	char path[4096];
	struct err err = {0, ""};

	if (!db_ops_for(TEST_DIALECT)) {
		db_missing(TEST_DIALECT, &err);
		printf("1..0 # SKIP %s: %s\n", ENGINE.title, err.text);
		return 0;
	}
	support_find_libexec();
	signal(SIGPIPE, SIG_IGN);
	if (!server_find(TEST_DIALECT, &options, path, sizeof(path), &err)) {
		if (TEST_DIALECT == DIALECT_MARIADB)
			printf("1..1\nnot ok 1 - MariaDB is there: %s\n", err.text);
		else
			printf("1..0 # SKIP %s: %s\n", ENGINE.title, err.text);
		return TEST_DIALECT == DIALECT_MARIADB;
	}
	return _cmocka_run_group_tests(name, tests, geteuid() == 0 ? n : n - nroot, NULL, NULL);
}
