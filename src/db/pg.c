/*
 * PostgreSQL by libpq, without blocking.
 *
 *   CONNECTING --> IDLE <--> BUSY        any of them --> BROKEN, any --> CLOSING
 *
 * One poll handle watches the socket. While connecting libpq may change the socket at each step,
 * so the handle is stopped before a step and armed on what PQsocket then says; afterwards it stays
 * armed for reading (re-arming costs system calls), and for writing only while PQflush has
 * something left. It is stopped and closed before PQfinish closes the socket.
 *
 * Callbacks come from the loop only: what fails at once is kept in err and told by the timer, which
 * is the connection's time-out before.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "db/driver.h"
#include "db/pg_result.h"
#include "db/pg_start.h"
#include "lib/err.h"
#include "lib/xalloc.h"

#define CONNECT_TIMEOUT_MS 10000

enum pg_state { PG_CONNECTING, PG_IDLE, PG_BUSY, PG_BROKEN, PG_CLOSING };

struct pg {
	struct db base;
	enum pg_state state;
	uv_loop_t *loop;
	PGconn *conn;    /* owned */
	uv_poll_t *poll; /* owned; NULL before there is a socket */
	int fd;          /* that poll watches */
	int events;      /* that poll waits for; 0: stopped */
	uv_timer_t timer;
	unsigned handles; /* that have yet to be closed */

	db_cb cb; /* of the operation under way, NULL without one */
	void *arg;
	PGresult *result; /* owned: what the operation's callback will see */

	char *script;           /* owned: text of db_query, NULL for the other operations */
	size_t script_pos;      /* behind its current statement */
	size_t statement_start; /* where that began */

	struct err err;      /* why it is broken, or the operation's error */
	bool fatal_known;    /* err holds the server's farewell */
	enum db_status soon; /* what the timer will tell */
	void (*close_cb)(void *arg);
	void *close_arg;
};

static void poll_cb(uv_poll_t *handle, int status, int events);

static struct pg *pg_of(struct db *db)
{
	return (struct pg *)(void *)db;
}

static const struct pg *pg_of_const(const struct db *db)
{
	return (const struct pg *)(const void *)db;
}

/* ---- the socket ---- */

static void free_handle_cb(uv_handle_t *handle)
{
	free(handle);
}

static void unwatch(struct pg *pg)
{
	if (pg->poll && pg->events)
		uv_poll_stop(pg->poll);
	pg->events = 0;
}

/* Waits for events on the socket that libpq has now. */
static int watch(struct pg *pg, int events)
{
	int fd = PQsocket(pg->conn), rc;

	if (pg->poll && pg->fd != fd) {
		unwatch(pg);
		uv_close((uv_handle_t *)pg->poll, free_handle_cb);
		pg->poll = NULL;
	}
	if (!pg->poll) {
		uv_poll_t *poll = xmalloc(sizeof(*poll));

		rc = uv_poll_init(pg->loop, poll, fd);
		if (rc < 0) {
			free(poll);
			return rc;
		}
		pg->poll = poll;
		pg->poll->data = pg;
		pg->fd = fd;
	}
	if (pg->events == events)
		return 0;
	pg->events = events;
	return uv_poll_start(pg->poll, events, poll_cb);
}

/* ---- the end of an operation ---- */

/* Hands the result to the operation's callback, which may begin the next one or close. */
static void deliver(struct pg *pg, const struct db_result *result)
{
	db_cb cb = pg->cb;
	void *arg = pg->arg;
	PGresult *r = pg->result;

	pg->cb = NULL;
	pg->result = NULL;
	free(pg->script);
	pg->script = NULL;
	if (cb)
		cb(&pg->base, result, arg);
	PQclear(r);
}

static void deliver_failure(struct pg *pg, enum db_status status)
{
	struct db_result result = {.status = status, .error = pg->err.text};

	deliver(pg, &result);
}

/* The connection is gone; called from the loop. The reason is in err. */
static void broken(struct pg *pg)
{
	bool was_idle = pg->state == PG_IDLE;

	unwatch(pg);
	uv_timer_stop(&pg->timer);
	pg->state = PG_BROKEN;
	if (was_idle) {
		if (pg->base.on_broken)
			pg->base.on_broken(&pg->base, pg->err.text, pg->base.broken_arg);
	} else {
		deliver_failure(pg, DB_BROKEN);
	}
}

static void broken_by_libpq(struct pg *pg)
{
	if (pg->result && pg_result_failed(pg->result)) {
		struct db_result ignored;

		pg_result_read(&ignored, pg->result, 0, &pg->err);
	} else if (!pg->fatal_known) {
		pg_error_line(&pg->err, PQerrorMessage(pg->conn));
	}
	broken(pg);
}

static void timeout_cb(uv_timer_t *timer)
{
	struct pg *pg = timer->data;

	err_set(&pg->err, -ETIMEDOUT, "the server did not answer within %d s",
		CONNECT_TIMEOUT_MS / 1000);
	broken(pg);
}

static void soon_cb(uv_timer_t *timer)
{
	struct pg *pg = timer->data;

	if (pg->state == PG_BROKEN) {
		deliver_failure(pg, DB_BROKEN);
	} else if (pg->soon == DB_BROKEN || PQstatus(pg->conn) == CONNECTION_BAD) {
		broken(pg);
	} else {
		pg->state = PG_IDLE;
		deliver_failure(pg, DB_ERROR);
	}
}

/* The operation could not be begun: it fails at the loop's next turn. */
static void fail_soon(struct pg *pg, enum db_status status)
{
	if (pg->state != PG_BROKEN)
		pg_error_line(&pg->err, PQerrorMessage(pg->conn));
	pg->soon = status;
	uv_timer_start(&pg->timer, soon_cb, 0, 0);
}

/* ---- results ---- */

/* Sends what libpq holds back, and waits for what is needed next. */
static void flush(struct pg *pg)
{
	int left = PQflush(pg->conn);

	if (left < 0 || watch(pg, UV_READABLE | (left ? UV_WRITABLE : 0)) < 0)
		fail_soon(pg, DB_BROKEN);
}

static void sent(struct pg *pg, int ok)
{
	if (ok)
		flush(pg);
	else
		fail_soon(pg, DB_ERROR);
}

/* Sends the script's next statement; false when there is none. */
static bool send_next(struct pg *pg)
{
	size_t start, len = db_script_next(pg->script, &pg->script_pos, &start);
	char *statement;

	if (len == 0)
		return false;
	pg->statement_start = start;
	statement = xstrndup(pg->script + start, len);
	sent(pg, PQsendQuery(pg->conn, statement));
	free(statement);
	return true;
}

static void operation_done(struct pg *pg)
{
	unsigned offset = 0;
	struct db_result result;

	if (PQstatus(pg->conn) == CONNECTION_BAD) {
		broken_by_libpq(pg);
		return;
	}
	if (pg->script) {
		offset = db_characters(pg->script, pg->statement_start);
		if (!pg_result_failed(pg->result) && send_next(pg))
			return;
	}
	pg->state = PG_IDLE;
	pg_result_read(&result, pg->result, offset, &pg->err);
	deliver(pg, &result);
}

static void read_results(struct pg *pg)
{
	while (pg->state == PG_BUSY && !PQisBusy(pg->conn)) {
		PGresult *r = PQgetResult(pg->conn);

		if (!r) {
			operation_done(pg);
			return;
		}
		if (pg_result_is_copy(r)) {
			PQclear(r);
			err_set(&pg->err, -ENOTSUP, "COPY is not possible here; use INSERT");
			broken(pg);
			return;
		}
		pg_result_keep(&pg->result, r);
	}
}

static void read_notifies(struct pg *pg)
{
	PGnotify *n;

	while (pg->state != PG_CLOSING && pg->state != PG_BROKEN &&
	       (n = PQnotifies(pg->conn)) != NULL) {
		PQfreemem(n);
		if (pg->base.on_notify)
			pg->base.on_notify(&pg->base, pg->base.notify_arg);
	}
}

static void readable(struct pg *pg)
{
	int ok = PQconsumeInput(pg->conn);

	/* what had arrived before the end is still there */
	read_results(pg);
	read_notifies(pg);
	if (!ok && (pg->state == PG_IDLE || pg->state == PG_BUSY))
		broken_by_libpq(pg);
}

/* ---- connecting ---- */

static void connected(struct pg *pg)
{
	struct db_result result = {.status = DB_OK};

	uv_timer_stop(&pg->timer);
	if (PQsetnonblocking(pg->conn, 1) < 0 || watch(pg, UV_READABLE) < 0) {
		broken_by_libpq(pg);
		return;
	}
	pg->state = PG_IDLE;
	deliver(pg, &result);
}

static void connect_step(struct pg *pg)
{
	PostgresPollingStatusType wants;
	int rc;

	unwatch(pg);
	wants = PQconnectPoll(pg->conn);
	if (wants == PGRES_POLLING_OK) {
		connected(pg);
		return;
	}
	if (wants == PGRES_POLLING_FAILED) {
		broken_by_libpq(pg);
		return;
	}
	rc = watch(pg, wants == PGRES_POLLING_READING ? UV_READABLE : UV_WRITABLE);
	if (rc < 0) {
		err_set(&pg->err, rc, "cannot watch the connection: %s", uv_strerror(rc));
		broken(pg);
	}
}

static void poll_cb(uv_poll_t *handle, int status, int events)
{
	struct pg *pg = handle->data;

	/* an error of the socket has stopped the handle; libpq knows what it is */
	if (status < 0)
		pg->events = 0;
	if (pg->state == PG_CONNECTING) {
		connect_step(pg);
		return;
	}
	if ((events & UV_READABLE) || status < 0)
		readable(pg);
	if ((events & UV_WRITABLE) && pg->state == PG_BUSY)
		flush(pg);
	if (status < 0 && (pg->state == PG_IDLE || pg->state == PG_BUSY))
		broken_by_libpq(pg);
}

/* An idle connection's FATAL comes as a notice: it is the reason of the end that follows. */
static void notice_cb(void *arg, const PGresult *r)
{
	struct pg *pg = arg;

	if (pg_result_is_fatal(r, &pg->err))
		pg->fatal_known = true;
}

static struct db *pg_open(uv_loop_t *loop, const struct db_dsn *dsn, const char *application,
			  db_cb cb, void *arg, struct err *err)
{
	struct pg *pg = xcalloc(1, sizeof(*pg));

	pg->base.ops = &db_pg_ops;
	pg->loop = loop;
	pg->fd = -1;
	pg->cb = cb;
	pg->arg = arg;
	pg->conn = pg_start(dsn, application);
	if (!pg->conn) {
		err_set(err, -ENOMEM, "cannot connect to PostgreSQL: out of memory");
		free(pg);
		return NULL;
	}
	PQsetNoticeReceiver(pg->conn, notice_cb, pg);
	uv_timer_init(loop, &pg->timer);
	pg->timer.data = pg;
	if (PQstatus(pg->conn) == CONNECTION_BAD || watch(pg, UV_WRITABLE) < 0)
		fail_soon(pg, DB_BROKEN);
	else
		uv_timer_start(&pg->timer, timeout_cb, CONNECT_TIMEOUT_MS, 0);
	return &pg->base;
}

/* ---- operations ---- */

/* Whether the operation can be sent; it is under way in any case. */
static bool begin(struct pg *pg, db_cb cb, void *arg)
{
	assert(!pg->cb && pg->state != PG_CONNECTING && pg->state != PG_CLOSING);
	pg->cb = cb;
	pg->arg = arg;
	if (pg->state == PG_IDLE) {
		pg->state = PG_BUSY;
		return true;
	}
	fail_soon(pg, DB_BROKEN);
	return false;
}

static void pg_query(struct db *db, const char *sql, db_cb cb, void *arg)
{
	struct pg *pg = pg_of(db);

	if (!begin(pg, cb, arg))
		return;
	pg->script = xstrdup(sql);
	pg->script_pos = 0;
	pg->statement_start = 0;
	if (!send_next(pg))
		sent(pg, PQsendQuery(pg->conn, "")); /* the server answers an empty one too */
}

static void pg_query_params(struct db *db, const char *sql, int nparams, const char *const *params,
			    db_cb cb, void *arg)
{
	struct pg *pg = pg_of(db);

	if (begin(pg, cb, arg))
		sent(pg, PQsendQueryParams(pg->conn, sql, nparams, NULL, params, NULL, NULL, 0));
}

static void pg_prepare(struct db *db, const char *name, const char *sql, db_cb cb, void *arg)
{
	struct pg *pg = pg_of(db);

	if (begin(pg, cb, arg))
		sent(pg, PQsendPrepare(pg->conn, name, sql, 0, NULL));
}

static void pg_exec(struct db *db, const char *name, int nparams, const char *const *params,
		    db_cb cb, void *arg)
{
	struct pg *pg = pg_of(db);

	if (begin(pg, cb, arg))
		sent(pg, PQsendQueryPrepared(pg->conn, name, nparams, params, NULL, NULL, 0));
}

static bool pg_busy(const struct db *db)
{
	return pg_of_const(db)->cb != NULL;
}

static bool pg_broken(const struct db *db)
{
	return pg_of_const(db)->state == PG_BROKEN;
}

static int64_t pg_backend_pid(const struct db *db)
{
	int pid = PQbackendPID(pg_of_const(db)->conn);

	return pid > 0 ? pid : -1;
}

static void handle_closed_cb(uv_handle_t *handle)
{
	struct pg *pg = handle->data;

	if (--pg->handles > 0)
		return;
	err_set(&pg->err, -ECANCELED, "the connection was closed");
	deliver_failure(pg, DB_BROKEN);
	PQfinish(pg->conn);
	if (pg->close_cb)
		pg->close_cb(pg->close_arg);
	free(pg->poll);
	free(pg);
}

static void pg_close(struct db *db, void (*cb)(void *arg), void *arg)
{
	struct pg *pg = pg_of(db);

	assert(pg->state != PG_CLOSING);
	unwatch(pg);
	pg->state = PG_CLOSING;
	pg->close_cb = cb;
	pg->close_arg = arg;
	pg->handles = pg->poll ? 2 : 1;
	if (pg->poll)
		uv_close((uv_handle_t *)pg->poll, handle_closed_cb);
	uv_close((uv_handle_t *)&pg->timer, handle_closed_cb);
}

const struct db_ops db_pg_ops = {
	.name = "libpq",
	.dialect = DIALECT_POSTGRES,
	.client_version = pg_client_version,
	.open = pg_open,
	.query = pg_query,
	.query_params = pg_query_params,
	.prepare = pg_prepare,
	.exec = pg_exec,
	.busy = pg_busy,
	.broken = pg_broken,
	.backend_pid = pg_backend_pid,
	.close = pg_close,
};
