/*
 * A connection to MySQL or MariaDB: my.c has the connection and its steps, my_run.c the
 * operations, my_wait.h how they wait. For src/db/my*.c only.
 */
#ifndef CPUTOP_MY_INTERNAL_H
#define CPUTOP_MY_INTERNAL_H

#include <mysql.h>
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "db/driver.h"
#include "db/my_result.h"
#include "db/my_start.h"
#include "db/my_stmt.h"
#include "db/my_wait.h"
#include "lib/err.h"
#include "lib/strbuf.h"

enum my_state { MY_CONNECTING, MY_IDLE, MY_BUSY, MY_BROKEN, MY_CLOSING };

struct my;

/* One call of the library, and what comes after it. */
struct step {
	enum my_call call;
	void (*done)(struct my *my);
};

struct my {
	struct db base;
	enum my_state state;
	uv_loop_t *loop;
	MYSQL *mysql;         /* owned */
	struct my_wait *wait; /* owned */
	uv_timer_t timer;
	unsigned unclosed; /* of these two */
	int64_t backend_pid;

	db_cb cb; /* of the operation under way, NULL without one */
	void *arg;
	const struct step *step; /* under way */
	int rc;                  /* what its call returned */
	MYSQL *connected;
	MYSQL_RES *res;

	struct db_dsn dsn;            /* needed until it is connected */
	struct strbuf sql;            /* the statement under way */
	char *script;                 /* owned: text of db_query, NULL for the other operations */
	size_t script_pos;            /* behind its current statement */
	struct my_stmt *stmts, *stmt; /* owned: all of them; the one that runs */
	struct my_rows rows;
	bool has_rows; /* the statement under way has given rows already */

	struct err err; /* why it is broken, or the operation's error */
	void (*close_cb)(void *arg);
	void *close_arg;
};

struct my *my_of(struct db *db);

/* Begins a step from the loop; or as the first one of an operation: what it gives at once is then
 * told from the loop, too. */
void my_run(struct my *my, const struct step *step);
void my_run_first(struct my *my, const struct step *step);
/* The ends of an operation, from the loop. */
void my_succeeded(struct my *my);
void my_failed(struct my *my, unsigned number, const char *sqlstate, const char *text);
void my_failed_connection(struct my *my); /* with the connection's error */
/* The operation has failed with the text of err; the connection lives. */
void my_refused(struct my *my);
/* Begins an operation. Whether it can be sent; it is under way in any case. */
bool my_begin(struct my *my, db_cb cb, void *arg);

/* From my_wait.h: the call under way is done; it cannot be waited for; something has come on the
 * socket of an idle connection; the waiting is closed. */
void my_called(struct my *my);
void my_cannot_wait(struct my *my, int rc);
void my_idle_event(struct my *my, int fd);
void my_closed(struct my *my);

/* The operations, as in struct db_ops. */
struct db *my_open(uv_loop_t *loop, const struct db_dsn *dsn, const char *application, db_cb cb,
		   void *arg, struct err *err);
void my_query(struct db *db, const char *sql, db_cb cb, void *arg);
void my_query_params(struct db *db, const char *sql, int nparams, const char *const *params,
		     db_cb cb, void *arg);
void my_prepare(struct db *db, const char *name, const char *sql, db_cb cb, void *arg);
void my_exec(struct db *db, const char *name, int nparams, const char *const *params, db_cb cb,
	     void *arg);
bool my_busy(const struct db *db);
bool my_broken(const struct db *db);
int64_t my_backend_pid(const struct db *db);
void my_close(struct db *db, void (*cb)(void *arg), void *arg);

#define MY_OPS(dialect_, name_, limits_, expect_)                                          \
	{                                                                                  \
		.name = name_, .limits = limits_, .dialect = dialect_,                     \
		.client_version = my_client_version, .expect = expect_, .open = my_open,   \
		.query = my_query, .query_params = my_query_params, .prepare = my_prepare, \
		.exec = my_exec, .busy = my_busy, .broken = my_broken,                     \
		.backend_pid = my_backend_pid, .close = my_close,                          \
	}

#endif
