/*
 * MySQL and MariaDB.
 *
 *   CONNECTING --> IDLE <--> BUSY        any of them --> BROKEN, any --> CLOSING
 *
 * An operation is one or several calls of the library (struct step), each of which begins the next
 * one when it is done; how they wait is in my_poll.c and my_thread.c. What is stored is then read
 * without waiting. The operations are in my_run.c.
 *
 * The prepared statements are freed after the library has closed the socket, so that nothing is
 * sent for them.
 *
 * Callbacks come from the loop only: what ends at once is told by the timer, which is the
 * connection's time-out before.
 */
#include "config.h"

#include "db/my_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "db/my_start.h"
#include "lib/xalloc.h"

#define UNKNOWN_DATABASE 1049
#define FAREWELL_MAX     600

struct my *my_of(struct db *db)
{
	return (struct my *)(void *)db;
}

static const struct my *my_of_const(const struct db *db)
{
	return (const struct my *)(const void *)db;
}

/* ---- the end of an operation ---- */

/* Hands the result to the operation's callback, which may begin the next one or close. */
static void deliver(struct my *my, const struct db_result *result)
{
	db_cb cb = my->cb;
	void *arg = my->arg;

	my->cb = NULL;
	my->step = NULL;
	free(my->script);
	my->script = NULL;
	if (cb)
		cb(&my->base, result, arg);
}

static void deliver_broken(struct my *my)
{
	struct db_result result = {.status = DB_BROKEN, .error = my->err.text};

	deliver(my, &result);
}

/* The connection is gone; called from the loop. The reason is in err. */
static void broken(struct my *my)
{
	bool was_idle = my->state == MY_IDLE;

	my_wait_stop(my);
	uv_timer_stop(&my->timer);
	my->state = MY_BROKEN;
	my->step = NULL;
	if (!was_idle)
		deliver_broken(my);
	else if (my->base.on_broken)
		my->base.on_broken(&my->base, my->err.text, my->base.broken_arg);
}

static void timeout_cb(uv_timer_t *timer)
{
	struct my *my = timer->data;

	err_set(&my->err, -ETIMEDOUT, "the server did not answer within %d s",
		MY_CONNECT_TIMEOUT_S);
	broken(my);
}

void my_succeeded(struct my *my)
{
	struct db_result result;

	my->state = MY_IDLE;
	my_result_ok(&result, &my->rows);
	deliver(my, &result);
}

void my_failed(struct my *my, unsigned number, const char *sqlstate, const char *text)
{
	struct db_result result;

	my_error_line(&my->err, text);
	if (my->state == MY_CONNECTING || my_error_is_fatal(number)) {
		broken(my);
		return;
	}
	my->state = MY_IDLE;
	my_result_error(&result, number, sqlstate, &my->err);
	deliver(my, &result);
}

void my_failed_connection(struct my *my)
{
	my_failed(my, mysql_errno(my->mysql), mysql_sqlstate(my->mysql), mysql_error(my->mysql));
}

/* ---- steps ---- */

void my_called(struct my *my)
{
	my->step->done(my);
}

static void cannot_wait(struct my *my, int rc)
{
	err_set(&my->err, rc, "cannot watch the connection: %s", uv_strerror(rc));
}

void my_cannot_wait(struct my *my, int rc)
{
	cannot_wait(my, rc);
	broken(my);
}

void my_run(struct my *my, const struct step *step)
{
	int rc;

	my->step = step;
	rc = my_wait_begin(my, step->call);
	if (rc > 0)
		my_called(my);
	else if (rc < 0)
		my_cannot_wait(my, rc);
}

static void soon_cb(uv_timer_t *timer)
{
	struct my *my = timer->data;

	if (my->state == MY_BROKEN)
		deliver_broken(my);
	else
		my_called(my);
}

static void broken_soon_cb(uv_timer_t *timer)
{
	broken(timer->data);
}

void my_run_first(struct my *my, const struct step *step)
{
	int rc;

	my->step = step;
	rc = step->call == MY_NOTHING ? 1 : my_wait_begin(my, step->call);
	if (rc > 0) {
		uv_timer_start(&my->timer, soon_cb, 0, 0);
	} else if (rc < 0) {
		cannot_wait(my, rc);
		uv_timer_start(&my->timer, broken_soon_cb, 0, 0);
	}
}

/* What is there is the server's farewell, or the end. */
void my_idle_event(struct my *my, int fd)
{
	unsigned char packet[FAREWELL_MAX];
	ssize_t n = recv(fd, packet, sizeof(packet), MSG_PEEK | MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || !my_error_packet(&my->err, packet, (size_t)n))
		err_set(&my->err, -ECONNRESET, "the server closed the connection");
	broken(my);
}

/* ---- connecting ---- */

static void connected(struct my *my)
{
	int rc = my_wait_idle(my);

	db_dsn_release(&my->dsn);
	uv_timer_stop(&my->timer);
	my->backend_pid = (int64_t)mysql_thread_id(my->mysql);
	if (rc == 0)
		my_succeeded(my);
	else
		my_cannot_wait(my, rc);
}

/* A schema that does not exist yet is no error, as with PostgreSQL's search path. */
static void select_done(struct my *my)
{
	if (my->rc && mysql_errno(my->mysql) != UNKNOWN_DATABASE)
		my_failed_connection(my);
	else
		connected(my);
}

static void connect_done(struct my *my)
{
	static const struct step select = {MY_SELECT_DB, select_done};

	if (!my->connected)
		my_failed_connection(my);
	else if (my->dsn.schema[0])
		my_run(my, &select);
	else
		connected(my);
}

struct db *my_open(uv_loop_t *loop, const struct db_dsn *dsn, const char *application, db_cb cb,
		   void *arg, struct err *err)
{
	static const struct step connect = {MY_CONNECT, connect_done};
	struct my *my = xcalloc(1, sizeof(*my));

	my->base.ops = db_ops_for(dsn->dialect);
	my->loop = loop;
	my->backend_pid = -1;
	my->cb = cb;
	my->arg = arg;
	my->dsn = *dsn;
	my->mysql = my_start(application);
	if (!my->mysql) {
		err_set(err, -ENOMEM, "cannot connect to the database: out of memory");
		free(my);
		return NULL;
	}
	my->wait = my_wait_new(my);
	my_rows_init(&my->rows);
	strbuf_init(&my->sql);
	uv_timer_init(loop, &my->timer);
	my->timer.data = my;
	my_run_first(my, &connect);
	if (!uv_is_active((uv_handle_t *)&my->timer))
		uv_timer_start(&my->timer, timeout_cb, MY_CONNECT_TIMEOUT_S * 1000, 0);
	return &my->base;
}

void my_refused(struct my *my)
{
	struct db_result result;

	my->state = MY_IDLE;
	my_result_error(&result, 0, "", &my->err);
	deliver(my, &result);
}

bool my_begin(struct my *my, db_cb cb, void *arg)
{
	assert(!my->cb && my->state != MY_CONNECTING && my->state != MY_CLOSING);
	my->cb = cb;
	my->arg = arg;
	my->has_rows = false;
	if (my->state == MY_IDLE) {
		my->state = MY_BUSY;
		return true;
	}
	uv_timer_start(&my->timer, soon_cb, 0, 0);
	return false;
}

bool my_busy(const struct db *db)
{
	return my_of_const(db)->cb != NULL;
}

bool my_broken(const struct db *db)
{
	return my_of_const(db)->state == MY_BROKEN;
}

int64_t my_backend_pid(const struct db *db)
{
	return my_of_const(db)->backend_pid;
}

void my_closed(struct my *my)
{
	if (--my->unclosed > 0)
		return;
	err_set(&my->err, -ECANCELED, "the connection was closed");
	deliver_broken(my);
	if (my->res)
		mysql_free_result(my->res);
	mysql_close(my->mysql);
	while (my->stmts) {
		struct my_stmt *next_stmt = my->stmts->next;

		my_stmt_free(my->stmts);
		my->stmts = next_stmt;
	}
	my_rows_release(&my->rows);
	strbuf_release(&my->sql);
	db_dsn_release(&my->dsn);
	my_wait_free(my->wait);
	if (my->close_cb)
		my->close_cb(my->close_arg);
	free(my);
}

static void timer_closed_cb(uv_handle_t *handle)
{
	my_closed(handle->data);
}

void my_close(struct db *db, void (*cb)(void *arg), void *arg)
{
	struct my *my = my_of(db);

	assert(my->state != MY_CLOSING);
	my->state = MY_CLOSING;
	my->close_cb = cb;
	my->close_arg = arg;
	my->unclosed = 2;
	uv_close((uv_handle_t *)&my->timer, timer_closed_cb);
	my_wait_close(my);
}
