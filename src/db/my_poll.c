/*
 * Waiting with MariaDB's Connector/C, which runs each of its calls on a stack of its own: _start
 * begins it and says what it waits for, _cont goes on once that has come, until nothing is waited
 * for any more.
 *
 * One poll handle watches the socket. It stays armed for reading (re-arming costs system calls);
 * what comes while the connection is idle is its end. It is closed before the library closes the
 * socket.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>

#include "db/my_internal.h"
#include "lib/xalloc.h"

struct my_wait {
	struct my *my;
	uv_poll_t *poll; /* owned; NULL before there is a socket */
	int fd;          /* that poll watches */
	int events;      /* that poll waits for; 0: stopped */
	const struct call *call;
	int waits; /* what the call under way waits for, as the library says it; 0: there is none */
};

/* ---- the calls: they return what they wait for, 0 when they are done ---- */

struct call {
	int (*start)(struct my *my);
	int (*cont)(struct my *my, int ready);
};

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

static int select_db_start(struct my *my)
{
	return mysql_select_db_start(&my->rc, my->mysql, my->dsn.schema);
}

static int select_db_cont(struct my *my, int ready)
{
	return mysql_select_db_cont(&my->rc, my->mysql, ready);
}

static int query_start(struct my *my)
{
	return mysql_real_query_start(&my->rc, my->mysql, my->sql.buf, my->sql.len);
}

static int query_cont(struct my *my, int ready)
{
	return mysql_real_query_cont(&my->rc, my->mysql, ready);
}

static int store_start(struct my *my)
{
	return mysql_store_result_start(&my->res, my->mysql);
}

static int store_cont(struct my *my, int ready)
{
	return mysql_store_result_cont(&my->res, my->mysql, ready);
}

static int next_start(struct my *my)
{
	return mysql_next_result_start(&my->rc, my->mysql);
}

static int next_cont(struct my *my, int ready)
{
	return mysql_next_result_cont(&my->rc, my->mysql, ready);
}

static int prepare_start(struct my *my)
{
	return mysql_stmt_prepare_start(&my->rc, my->stmt->stmt, my->stmt->sql.buf,
					my->stmt->sql.len);
}

static int prepare_cont(struct my *my, int ready)
{
	return mysql_stmt_prepare_cont(&my->rc, my->stmt->stmt, ready);
}

static int execute_start(struct my *my)
{
	return mysql_stmt_execute_start(&my->rc, my->stmt->stmt);
}

static int execute_cont(struct my *my, int ready)
{
	return mysql_stmt_execute_cont(&my->rc, my->stmt->stmt, ready);
}

static int stmt_store_start(struct my *my)
{
	return mysql_stmt_store_result_start(&my->rc, my->stmt->stmt);
}

static int stmt_store_cont(struct my *my, int ready)
{
	return mysql_stmt_store_result_cont(&my->rc, my->stmt->stmt, ready);
}

static int stmt_next_start(struct my *my)
{
	return mysql_stmt_next_result_start(&my->rc, my->stmt->stmt);
}

static int stmt_next_cont(struct my *my, int ready)
{
	return mysql_stmt_next_result_cont(&my->rc, my->stmt->stmt, ready);
}

static const struct call calls[] = {
	[MY_CONNECT] = {connect_start, connect_cont},
	[MY_SELECT_DB] = {select_db_start, select_db_cont},
	[MY_QUERY] = {query_start, query_cont},
	[MY_STORE] = {store_start, store_cont},
	[MY_NEXT] = {next_start, next_cont},
	[MY_PREPARE] = {prepare_start, prepare_cont},
	[MY_EXECUTE] = {execute_start, execute_cont},
	[MY_STMT_STORE] = {stmt_store_start, stmt_store_cont},
	[MY_STMT_NEXT] = {stmt_next_start, stmt_next_cont},
};

/* ---- the socket ---- */

static void poll_cb(uv_poll_t *handle, int status, int events);

static void free_handle_cb(uv_handle_t *handle)
{
	free(handle);
}

static void unwatch(struct my_wait *w)
{
	if (w->poll && w->events)
		uv_poll_stop(w->poll);
	w->events = 0;
}

/* Waits for events on the socket that the library has now. */
static int watch(struct my_wait *w, int events)
{
	int fd = mysql_get_socket(w->my->mysql), rc;

	if (w->poll && w->fd != fd) {
		unwatch(w);
		uv_close((uv_handle_t *)w->poll, free_handle_cb);
		w->poll = NULL;
	}
	if (!w->poll) {
		uv_poll_t *poll = xmalloc(sizeof(*poll));

		rc = uv_poll_init(w->my->loop, poll, fd);
		if (rc < 0) {
			free(poll);
			return rc;
		}
		w->poll = poll;
		w->poll->data = w;
		w->fd = fd;
		/* the library leaves it open for the programs that this one starts */
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (w->events == events)
		return 0;
	w->events = events;
	return uv_poll_start(w->poll, events, poll_cb);
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

/* ---- waiting ---- */

/* As my_wait_begin. */
static int go_on(struct my_wait *w, int waits)
{
	w->waits = waits;
	return waits == 0 ? 1 : watch(w, events_of(waits));
}

static void poll_cb(uv_poll_t *handle, int status, int events)
{
	struct my_wait *w = handle->data;
	int ready = waits_of(events) & w->waits, rc;

	/* an error of the socket has stopped the handle; the library finds it out */
	if (status < 0) {
		w->events = 0;
		ready = w->waits;
	}
	if (w->my->state == MY_IDLE) {
		my_idle_event(w->my, w->fd);
	} else if (ready) {
		rc = go_on(w, w->call->cont(w->my, ready));
		if (rc > 0)
			my_called(w->my);
		else if (rc < 0)
			my_cannot_wait(w->my, rc);
	}
}

void my_wait_options(MYSQL *mysql)
{
	const my_bool off = 0;

	mysql_options(mysql, MYSQL_OPT_NONBLOCK, NULL);
	/* encryption would block, and from 3.4 on it is the default */
	mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &off);
	mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &off);
}

struct my_wait *my_wait_new(struct my *my)
{
	struct my_wait *w = xcalloc(1, sizeof(*w));

	w->my = my;
	w->fd = -1;
	return w;
}

int my_wait_begin(struct my *my, enum my_call call)
{
	struct my_wait *w = my->wait;

	w->call = &calls[call];
	return go_on(w, w->call->start(my));
}

int my_wait_idle(struct my *my)
{
	return watch(my->wait, UV_READABLE);
}

void my_wait_stop(struct my *my)
{
	unwatch(my->wait);
	my->wait->waits = 0;
}

static void closed_cb(uv_handle_t *handle)
{
	struct my_wait *w = handle->data;

	my_closed(w->my);
}

void my_wait_close(struct my *my)
{
	my_wait_stop(my);
	if (my->wait->poll)
		uv_close((uv_handle_t *)my->wait->poll, closed_cb);
	else
		my_closed(my);
}

void my_wait_free(struct my_wait *w)
{
	free(w->poll);
	free(w);
}

/* ---- the drivers ---- */

const struct db_ops db_mariadb_ops = MY_OPS(DIALECT_MARIADB, "libmariadb", NULL, NULL);
const struct db_ops db_mysql_ops = MY_OPS(DIALECT_MYSQL, "libmariadb", NULL, NULL);
