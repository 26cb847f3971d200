/* The pool of connections of a worker or a producer: see pool.c for how it behaves. */
#ifndef CPUTOP_POOL_H
#define CPUTOP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "db/db.h"
#include "lib/strbuf.h"
#include "variant/variant.h"

#define POOL_PARAMS    9
#define POOL_PARAM_MAX 64 /* room for a number or an id, with the zero at its end */
#define POOL_FIRST     5

struct err;
struct pool;

/* A statement that the pool runs. Borrowed by the pool while it is open. */
struct pool_statement {
	unsigned index; /* 0 .. statements - 1 */
	enum statement kind;
	const char *name; /* as it is prepared */
	const char *text;
	bool plain; /* no parameters, never prepared: BEGIN and the like */
	bool open;  /* leaves a transaction open: no commit, and not tried again by itself */
};

typedef void (*pool_cb)(struct pool *pool, unsigned slot, const struct db_result *result,
			void *arg);

/* What a connection is to run. */
struct pool_call {
	const struct pool_statement *statement;
	int nparams;
	const char *params[POOL_PARAMS]; /* NULL for null */
	pool_cb cb;
	void *arg;
};

/* What each connection is asked between two of its statements: see pool_ask. */
struct pool_question {
	char *sql; /* owned; NULL before the first one */
	unsigned number;
	unsigned waiting; /* connections that have yet to answer */
	void (*answer)(void *arg, const struct db_result *result);
	void (*done)(void *arg);
	void *arg;
};

struct pool_slot {
	struct pool *pool;
	struct db *db; /* owned; NULL before it is opened and after it is closed */
	unsigned number;
	uv_timer_t retry;
	bool idle;
	bool *prepared;        /* owned: which statements this connection knows */
	unsigned setup;        /* how many of the first ones it has prepared */
	struct pool_call call; /* what it runs; its parameters point into text */
	struct strbuf text;
	unsigned tries;
	bool open;         /* the last statement left a transaction open */
	bool asked;        /* it has yet to run the question */
	bool resume;       /* after it, call is run */
	unsigned question; /* the number of the one that it runs or ran */
};

struct pool_spec {
	uv_loop_t *loop;
	const struct db_dsn *dsn;
	const char *application;
	const struct variant_sql *sql; /* borrowed; for messages */
	bool prepare;                  /* false: statements go as text each time */
	unsigned connections;
	unsigned statements; /* how many different ones there can be */
	/* prepared on each connection before it is ready; the others when they are first run */
	const struct pool_statement *first[POOL_FIRST];
	unsigned nfirst;
	/* retried may be NULL */
	_Atomic uint64_t *count_statements, *count_commits, *count_retried;
	void (*ready)(void *arg);
	void (*freed)(void *arg); /* a connection that was asked is idle again */
	/* Cannot go on: a connection broke, or a statement could not be prepared. */
	void (*failed)(void *arg, const char *text);
	void *arg;
};

struct pool {
	struct pool_spec spec;
	struct pool_slot *slots; /* owned */
	struct pool_question question;
	unsigned nready;
	bool closing;
};

/* Connects. Returns 0, or a negative errno with err. */
int pool_open(struct pool *p, const struct pool_spec *spec, struct err *err);
/* Takes the idle connection with the lowest number; false when none is idle. */
bool pool_take(struct pool *p, unsigned *slot);
void pool_give(struct pool *p, unsigned slot);
/* A connection that was taken, to run something else on it (LISTEN). The pool owns it. */
struct db *pool_connection(struct pool *p, unsigned slot);
/* Runs a statement on a connection that was taken. A statement that fails with DB_RETRY is tried
 * again a few times first, unless it is within a transaction or ends one. cb gets DB_OK, DB_ERROR
 * or DB_RETRY; a broken connection goes to spec.failed instead. Parameters are copied. */
void pool_run(struct pool *p, unsigned slot, const struct pool_call *call);
/* Has each connection run a script as soon as its statement, if one is under way, has ended, and
 * before its next. It counts as no statement. answer gets the result of each, also of one that
 * failed; done comes last. Another question in the meantime takes its place. */
void pool_ask(struct pool *p, const char *sql,
	      void (*answer)(void *arg, const struct db_result *result), void (*done)(void *arg),
	      void *arg);
/* The message of a failed statement: "FILE:LINE: ...". */
void pool_error(const struct pool *p, const struct pool_statement *statement,
		const struct db_result *result, struct err *err);
/* Closes everything at the loop's next turns; no callback is called any more. Twice is fine. */
void pool_close(struct pool *p);
void pool_release(struct pool *p); /* after the loop has closed the handles */

#endif
