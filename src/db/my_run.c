/*
 * What a connection to MySQL or MariaDB runs: scripts and statements of the text protocol, and
 * prepared statements of the binary one, each as steps (see my.c).
 */
#include "config.h"

#include "db/my_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"

static void failed_statement(struct my *my)
{
	MYSQL_STMT *s = my->stmt->stmt;

	my_failed(my, mysql_stmt_errno(s), mysql_stmt_sqlstate(s), mysql_stmt_error(s));
}

/* ---- text ---- */

static void query_done(struct my *my);
static void store_done(struct my *my);

static const struct step query = {MY_QUERY, query_done};
static const struct step store = {MY_STORE, store_done};
static const struct step next = {MY_NEXT, query_done};

/* Takes the script's next statement; false when there is none. */
static bool take_statement(struct my *my)
{
	size_t start, len = db_script_next_my(my->script, &my->script_pos, &start);

	if (len == 0)
		return false;
	strbuf_reset(&my->sql);
	strbuf_add(&my->sql, my->script + start, len);
	my->has_rows = false;
	return true;
}

/* A result has been read: on to the statement's next one (a procedure's), to the script's next
 * statement, or to the end. */
static void result_done(struct my *my)
{
	if (mysql_more_results(my->mysql))
		my_run(my, &next);
	else if (my->script && take_statement(my))
		my_run(my, &query);
	else
		my_succeeded(my);
}

static void store_done(struct my *my)
{
	if (!my->res) {
		my_failed_connection(my);
		return;
	}
	my_rows_read(&my->rows, my->res);
	mysql_free_result(my->res);
	my->res = NULL;
	my->has_rows = true;
	result_done(my);
}

static void query_done(struct my *my)
{
	if (my->rc) {
		my_failed_connection(my);
	} else if (mysql_field_count(my->mysql) > 0) {
		my_run(my, &store);
	} else {
		/* what ends a procedure does not hide its rows */
		if (!my->has_rows)
			my_rows_reset(&my->rows);
		my->rows.affected = mysql_affected_rows(my->mysql);
		result_done(my);
	}
}

/* ---- prepared ---- */

static void execute_done(struct my *my);
static void stmt_store_done(struct my *my);

static const struct step execute = {MY_EXECUTE, execute_done};
static const struct step stmt_store = {MY_STMT_STORE, stmt_store_done};
static const struct step stmt_next = {MY_STMT_NEXT, execute_done};

static void prepare_done(struct my *my)
{
	if (my->rc) {
		failed_statement(my);
		return;
	}
	my_rows_reset(&my->rows);
	my_succeeded(my);
}

static void stmt_result_done(struct my *my)
{
	if (mysql_more_results(my->mysql))
		my_run(my, &stmt_next);
	else
		my_succeeded(my);
}

static void stmt_store_done(struct my *my)
{
	if (my->rc || !my_stmt_read(my->stmt, &my->rows)) {
		failed_statement(my);
		return;
	}
	mysql_stmt_free_result(my->stmt->stmt);
	my->has_rows = true;
	stmt_result_done(my);
}

static void execute_done(struct my *my)
{
	if (my->rc) {
		failed_statement(my);
	} else if (mysql_stmt_field_count(my->stmt->stmt) > 0) {
		my_run(my, &stmt_store);
	} else {
		if (!my->has_rows)
			my_rows_reset(&my->rows);
		my->rows.affected = mysql_stmt_affected_rows(my->stmt->stmt);
		stmt_result_done(my);
	}
}

/* ---- operations ---- */

/* The operation fails at the loop's next turn; err says why. */
static void refuse(struct my *my)
{
	static const struct step step = {MY_NOTHING, my_refused};

	my_run_first(my, &step);
}

static void nothing_done(struct my *my)
{
	my_rows_reset(&my->rows);
	my_succeeded(my);
}

void my_query(struct db *db, const char *sql, db_cb cb, void *arg)
{
	/* unlike PostgreSQL, the server does not answer an empty one */
	static const struct step nothing = {MY_NOTHING, nothing_done};
	struct my *my = my_of(db);

	if (!my_begin(my, cb, arg))
		return;
	my->script = xstrdup(sql);
	my->script_pos = 0;
	my_run_first(my, take_statement(my) ? &query : &nothing);
}

void my_query_params(struct db *db, const char *sql, int nparams, const char *const *params,
		     db_cb cb, void *arg)
{
	struct my *my = my_of(db);

	if (!my_begin(my, cb, arg))
		return;
	strbuf_reset(&my->sql);
	my_literals(&my->sql, my->mysql, sql, nparams, params);
	my_run_first(my, &query);
}

/* The statement of a name, moved to the front: few are used again and again. */
static struct my_stmt *find(struct my *my, const char *name)
{
	for (struct my_stmt **at = &my->stmts; *at; at = &(*at)->next) {
		struct my_stmt *s = *at;

		if (strcmp(s->name, name) != 0)
			continue;
		*at = s->next;
		s->next = my->stmts;
		my->stmts = s;
		return s;
	}
	return NULL;
}

void my_prepare(struct db *db, const char *name, const char *sql, db_cb cb, void *arg)
{
	static const struct step prepare = {MY_PREPARE, prepare_done};
	struct my *my = my_of(db);
	struct my_stmt *s;

	if (!my_begin(my, cb, arg))
		return;
	if (find(my, name)) {
		err_set(&my->err, -EEXIST, "prepared statement \"%s\" already exists", name);
		refuse(my);
		return;
	}
	s = my_stmt_new(my->mysql, name, sql);
	if (!s) {
		err_set(&my->err, -E2BIG, "a statement takes up to %d parameters", MY_MARKS_MAX);
		refuse(my);
		return;
	}
	s->next = my->stmts;
	my->stmts = my->stmt = s;
	my_run_first(my, &prepare);
}

void my_exec(struct db *db, const char *name, int nparams, const char *const *params, db_cb cb,
	     void *arg)
{
	struct my *my = my_of(db);

	if (!my_begin(my, cb, arg))
		return;
	my->stmt = find(my, name);
	if (!my->stmt || !my_stmt_bind(my->stmt, nparams, params)) {
		err_set(&my->err, -ENOENT, "prepared statement \"%s\" does not exist", name);
		refuse(my);
		return;
	}
	my_run_first(my, &execute);
}
