/*
 * MySQL and MariaDB by MariaDB's Connector/C, without blocking.
 *
 *   CONNECTING --> IDLE <--> BUSY        any of them --> BROKEN, any --> CLOSING
 *
 * The library runs each of its calls on a stack of its own: _start begins it and says what it waits
 * for, _cont goes on once that has come, until nothing is waited for any more. An operation is one
 * or several such calls (struct step), each of which begins the next one when it is done. What is
 * stored is then read without waiting. The operations are in my_run.c.
 *
 * One poll handle watches the socket. It stays armed for reading (re-arming costs system calls);
 * what comes while the connection is idle is its end. It is closed before the library closes the
 * socket, and the prepared statements are freed after that, so that nothing is sent for them.
 *
 * Callbacks come from the loop only: what ends at once is told by the timer, which is the
 * connection's time-out before.
 */
#include "config.h"

#include "db/my_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "db/my_start.h"
#include "lib/xalloc.h"

#define CONNECT_TIMEOUT_MS 10000
#define UNKNOWN_DATABASE   1049
#define FAREWELL_MAX       600

static void poll_cb(uv_poll_t *handle, int status, int events);

struct my *my_of(struct db *db)
{
	return (struct my *)(void *)db;
}

static const struct my *my_of_const(const struct db *db)
{
	return (const struct my *)(const void *)db;
}

/* ---- the socket ---- */

static void free_handle_cb(uv_handle_t *handle)
{
	free(handle);
}

static void unwatch(struct my *my)
{
	if (my->poll && my->events)
		uv_poll_stop(my->poll);
	my->events = 0;
}

/* Waits for events on the socket that the library has now. */
static int watch(struct my *my, int events)
{
	int fd = mysql_get_socket(my->mysql), rc;

	if (my->poll && my->fd != fd) {
		unwatch(my);
		uv_close((uv_handle_t *)my->poll, free_handle_cb);
		my->poll = NULL;
	}
	if (!my->poll) {
		uv_poll_t *poll = xmalloc(sizeof(*poll));

		rc = uv_poll_init(my->loop, poll, fd);
		if (rc < 0) {
			free(poll);
			return rc;
		}
		my->poll = poll;
		my->poll->data = my;
		my->fd = fd;
		/* the library leaves it open for the programs that this one starts */
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (my->events == events)
		return 0;
	my->events = events;
	return uv_poll_start(my->poll, events, poll_cb);
}

static int events_of(int waits)
{
	return (waits & MYSQL_WAIT_READ ? UV_READABLE : 0) |
	       (waits & MYSQL_WAIT_WRITE ? UV_WRITABLE : 0) |
	       (waits & MYSQL_WAIT_EXCEPT ? UV_PRIORITIZED : 0);
}

static int waits_of(int events)
{
	return (events & UV_READABLE ? MYSQL_WAIT_READ : 0) |
	       (events & UV_WRITABLE ? MYSQL_WAIT_WRITE : 0) |
	       (events & UV_PRIORITIZED ? MYSQL_WAIT_EXCEPT : 0);
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

	unwatch(my);
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
		CONNECT_TIMEOUT_MS / 1000);
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

/* Waits for what the step under way needs. */
static void wait_for(struct my *my, int waits)
{
	int rc = watch(my, events_of(waits));

	my->waits = waits;
	if (rc == 0)
		return;
	err_set(&my->err, rc, "cannot watch the connection: %s", uv_strerror(rc));
	broken(my);
}

static void go_on(struct my *my, int waits)
{
	if (waits == 0)
		my->step->done(my);
	else
		wait_for(my, waits);
}

void my_run(struct my *my, const struct step *step)
{
	my->step = step;
	my->waits = 0;
	go_on(my, step->start(my));
}

static void soon_cb(uv_timer_t *timer)
{
	struct my *my = timer->data;

	if (my->state == MY_BROKEN)
		deliver_broken(my);
	else
		my->step->done(my);
}

static void broken_soon_cb(uv_timer_t *timer)
{
	broken(timer->data);
}

void my_run_first(struct my *my, const struct step *step)
{
	int waits, rc;

	my->step = step;
	my->waits = 0;
	waits = step->start(my);
	if (waits == 0) {
		uv_timer_start(&my->timer, soon_cb, 0, 0);
		return;
	}
	my->waits = waits;
	rc = watch(my, events_of(waits));
	if (rc == 0)
		return;
	err_set(&my->err, rc, "cannot watch the connection: %s", uv_strerror(rc));
	uv_timer_start(&my->timer, broken_soon_cb, 0, 0);
}

/* What is there is the server's farewell, or the end. */
static void idle_readable(struct my *my)
{
	unsigned char packet[FAREWELL_MAX];
	ssize_t n = recv(my->fd, packet, sizeof(packet), MSG_PEEK | MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || !my_error_packet(&my->err, packet, (size_t)n))
		err_set(&my->err, -ECONNRESET, "the server closed the connection");
	broken(my);
}

static void poll_cb(uv_poll_t *handle, int status, int events)
{
	struct my *my = handle->data;
	int ready = waits_of(events) & my->waits;

	/* an error of the socket has stopped the handle; the library finds it out */
	if (status < 0) {
		my->events = 0;
		ready = my->waits;
	}
	if (my->state == MY_IDLE)
		idle_readable(my);
	else if (my->step && ready)
		go_on(my, my->step->cont(my, ready));
}

/* ---- connecting ---- */

static int connect_start(struct my *my)
{
	const struct db_dsn *d = &my->dsn;

	return mysql_real_connect_start(&my->connected, my->mysql, d->host, d->user, d->password,
					d->database[0] ? d->database : NULL, d->port, NULL,
					CLIENT_MULTI_RESULTS);
}

static int connect_cont(struct my *my, int ready)
{
	return mysql_real_connect_cont(&my->connected, my->mysql, ready);
}

static int select_start(struct my *my)
{
	return mysql_select_db_start(&my->rc, my->mysql, my->dsn.schema);
}

static int select_cont(struct my *my, int ready)
{
	return mysql_select_db_cont(&my->rc, my->mysql, ready);
}

static void connected(struct my *my)
{
	int rc = watch(my, UV_READABLE);

	db_dsn_release(&my->dsn);
	uv_timer_stop(&my->timer);
	if (rc == 0) {
		my_succeeded(my);
		return;
	}
	err_set(&my->err, rc, "cannot watch the connection: %s", uv_strerror(rc));
	broken(my);
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
	static const struct step select = {select_start, select_cont, select_done};

	if (!my->connected)
		my_failed_connection(my);
	else if (my->dsn.schema[0])
		my_run(my, &select);
	else
		connected(my);
}

static struct db *my_open(uv_loop_t *loop, const struct db_dsn *dsn, const char *application,
			  db_cb cb, void *arg, struct err *err)
{
	static const struct step connect = {connect_start, connect_cont, connect_done};
	struct my *my = xcalloc(1, sizeof(*my));

	my->base.ops = db_ops_for(dsn->dialect);
	my->loop = loop;
	my->fd = -1;
	my->cb = cb;
	my->arg = arg;
	my->dsn = *dsn;
	my->mysql = my_start(application);
	if (!my->mysql) {
		err_set(err, -ENOMEM, "cannot connect to the database: out of memory");
		free(my);
		return NULL;
	}
	my_rows_init(&my->rows);
	strbuf_init(&my->sql);
	uv_timer_init(loop, &my->timer);
	my->timer.data = my;
	my_run_first(my, &connect);
	if (!uv_is_active((uv_handle_t *)&my->timer))
		uv_timer_start(&my->timer, timeout_cb, CONNECT_TIMEOUT_MS, 0);
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

static bool my_busy(const struct db *db)
{
	return my_of_const(db)->cb != NULL;
}

static bool my_broken(const struct db *db)
{
	return my_of_const(db)->state == MY_BROKEN;
}

static int64_t my_backend_pid(const struct db *db)
{
	unsigned long id = mysql_thread_id(my_of_const(db)->mysql);

	return id > 0 ? (int64_t)id : -1;
}

static void handle_closed_cb(uv_handle_t *handle)
{
	struct my *my = handle->data;

	if (--my->handles > 0)
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
	if (my->close_cb)
		my->close_cb(my->close_arg);
	free(my->poll);
	free(my);
}

static void my_close(struct db *db, void (*cb)(void *arg), void *arg)
{
	struct my *my = my_of(db);

	assert(my->state != MY_CLOSING);
	unwatch(my);
	my->state = MY_CLOSING;
	my->close_cb = cb;
	my->close_arg = arg;
	my->handles = my->poll ? 2 : 1;
	if (my->poll)
		uv_close((uv_handle_t *)my->poll, handle_closed_cb);
	uv_close((uv_handle_t *)&my->timer, handle_closed_cb);
}

#define OPS(d)                                                                                \
	{                                                                                     \
		.name = "libmariadb", .dialect = d, .client_version = my_client_version,      \
		.open = my_open, .query = my_query, .query_params = my_query_params,          \
		.prepare = my_prepare, .exec = my_exec, .busy = my_busy, .broken = my_broken, \
		.backend_pid = my_backend_pid, .close = my_close,                             \
	}

const struct db_ops db_mariadb_ops = OPS(DIALECT_MARIADB);
const struct db_ops db_mysql_ops = OPS(DIALECT_MYSQL);
