/*
 * A connection to MySQL or MariaDB: my.c has the connection and its steps, my_run.c the operations.
 * For src/db/my*.c only.
 */
#ifndef CPUTOP_MY_INTERNAL_H
#define CPUTOP_MY_INTERNAL_H

#include <mysql.h>
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "db/driver.h"
#include "db/my_result.h"
#include "db/my_stmt.h"
#include "lib/err.h"
#include "lib/strbuf.h"

enum my_state { MY_CONNECTING, MY_IDLE, MY_BUSY, MY_BROKEN, MY_CLOSING };

struct my;

/* One call of the library. start and cont return what it waits for, 0 when it is done. */
struct step {
	int (*start)(struct my *my);
	int (*cont)(struct my *my, int ready);
	void (*done)(struct my *my);
};

struct my {
	struct db base;
	enum my_state state;
	uv_loop_t *loop;
	MYSQL *mysql;    /* owned */
	uv_poll_t *poll; /* owned; NULL before there is a socket */
	int fd;          /* that poll watches */
	int events;      /* that poll waits for; 0: stopped */
	uv_timer_t timer;
	unsigned handles; /* that have yet to be closed */

	db_cb cb; /* of the operation under way, NULL without one */
	void *arg;
	const struct step *step; /* under way */
	int waits;               /* what it waits for, as the library says it; 0: the timer */
	int rc;                  /* what it returned */
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

/* The operations, as in struct db_ops. */
void my_query(struct db *db, const char *sql, db_cb cb, void *arg);
void my_query_params(struct db *db, const char *sql, int nparams, const char *const *params,
		     db_cb cb, void *arg);
void my_prepare(struct db *db, const char *name, const char *sql, db_cb cb, void *arg);
void my_exec(struct db *db, const char *name, int nparams, const char *const *params, db_cb cb,
	     void *arg);

#endif
