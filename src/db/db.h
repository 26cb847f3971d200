/*
 * Asynchronous database clients on a libuv loop. A connection runs one operation at a time; each
 * operation's callback is called exactly once, from the loop, also when the connection breaks or is
 * closed before it ends. Nothing blocks. Drivers are const tables (struct db_ops); users call the
 * db_ functions below.
 */
#ifndef CPUTOP_DB_H
#define CPUTOP_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "model/dialect.h"

struct err;
struct db;

/* Where a server is. The password is wiped by db_dsn_release. */
struct db_dsn {
	enum dialect dialect;
	char host[128];
	unsigned port;
	char user[64];
	char password[128];
	char database[64];
	char schema[64]; /* the search path of every connection; empty: the server's default */
};
void db_dsn_release(struct db_dsn *dsn);

enum db_status {
	DB_OK,
	DB_ERROR, /* the statement failed, the connection lives */
	DB_RETRY, /* the statement failed and is worth trying again: deadlock, serialisation failure
		   */
	DB_BROKEN, /* the connection is gone */
};

/* Valid during the callback only. */
struct db_result {
	enum db_status status;
	const char *error;       /* one line, escaped; NULL when DB_OK */
	char sqlstate[6];        /* of an error, else empty */
	unsigned error_position; /* character in the statement's text, from 1; 0 when not known */
	uint64_t affected;       /* rows changed */
	unsigned rows, cols;
	/* Text of a field; NULL for SQL null. */
	const char *(*field)(const struct db_result *r, unsigned row, unsigned col);
	const void *driver; /* the driver's own */
};

typedef void (*db_cb)(struct db *db, const struct db_result *result, void *arg);

/* Before the first connection: how many there will be at the same time. */
void db_expect(enum dialect d, unsigned connections);
/* Connects; cb gets DB_OK or DB_BROKEN. Returns NULL with err only when nothing could be begun.
 * application is shown in pg_stat_activity ("cputop worker"). */
struct db *db_open(uv_loop_t *loop, const struct db_dsn *dsn, const char *application, db_cb cb,
		   void *arg, struct err *err);
/* Runs one or several statements without parameters by the simple protocol, one after the other,
 * each in a transaction of its own (VACUUM works); stops at the first that fails. The result is
 * that of the last one that ran; error_position counts from the start of sql, which is copied. */
void db_query(struct db *db, const char *sql, db_cb cb, void *arg);
/* One statement with text parameters (NULL for null), unprepared. Parameters are copied. */
void db_query_params(struct db *db, const char *sql, int nparams, const char *const *params,
		     db_cb cb, void *arg);
/* Prepares name, and runs it. */
void db_prepare(struct db *db, const char *name, const char *sql, db_cb cb, void *arg);
void db_exec(struct db *db, const char *name, int nparams, const char *const *params, db_cb cb,
	     void *arg);
bool db_busy(const struct db *db); /* an operation is under way */
bool db_broken(const struct db *db);
int64_t db_backend_pid(const struct db *db); /* the server's process (thread) of this connection, -1
						when not known */
/* Wake-ups on this connection (LISTEN is a db_query of the caller). */
void db_on_notify(struct db *db, void (*cb)(struct db *, void *arg), void *arg);
/* Called once when an idle connection breaks. */
void db_on_broken(struct db *db, void (*cb)(struct db *, const char *reason, void *arg), void *arg);
/* Two-phase close: pending operations end with DB_BROKEN, cb (may be NULL) is called when the
 * memory is gone. */
void db_close(struct db *db, void (*cb)(void *arg), void *arg);

/* The driver's table, one per client library: the functions above without "db_". */
struct db_ops {
	const char *name;
	const char *limits; /* what it cannot do, in a few words; NULL: nothing */
	enum dialect dialect;
	const char *(*client_version)(char *buf, size_t size);
	void (*expect)(unsigned connections); /* NULL when it is all the same */
	struct db *(*open)(uv_loop_t *loop, const struct db_dsn *dsn, const char *application,
			   db_cb cb, void *arg, struct err *err);
	void (*query)(struct db *db, const char *sql, db_cb cb, void *arg);
	void (*query_params)(struct db *db, const char *sql, int nparams, const char *const *params,
			     db_cb cb, void *arg);
	void (*prepare)(struct db *db, const char *name, const char *sql, db_cb cb, void *arg);
	void (*exec)(struct db *db, const char *name, int nparams, const char *const *params,
		     db_cb cb, void *arg);
	bool (*busy)(const struct db *db);
	bool (*broken)(const struct db *db);
	int64_t (*backend_pid)(const struct db *db);
	void (*close)(struct db *db, void (*cb)(void *arg), void *arg);
};
const struct db_ops *db_ops_for(enum dialect d); /* NULL when this build has no client for it */
int db_missing(enum dialect d, struct err *err); /* -ENOSYS: why it has none, what to do */

#endif
