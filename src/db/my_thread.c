/*
 * Waiting with Oracle's libmysqlclient: each call blocks in a thread of libuv's pool. One call of a
 * connection is under way at a time, and the loop touches nothing of the connection meanwhile.
 *
 * The socket is known by a descriptor of our own. It stays armed for the server's end alone, which
 * needs no re-arming around each call, and shutting it down ends a call that blocks: the library's
 * own descriptor may be closed by then, and its number be another file's.
 */
#include "config.h"

#include <assert.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db/my_internal.h"
#include "lib/format.h"
#include "lib/xalloc.h"

/* libuv's own, read once, when the pool is used first. */
#define POOL_SIZE         "UV_THREADPOOL_SIZE"
#define POOL_SIZE_DEFAULT 4

struct my_wait {
	struct my *my;
	uv_work_t work;
	enum my_call call;
	bool working; /* a call is under way */
	bool closing;
	int fd; /* owned; -1 before it is connected */
	uv_poll_t poll;
	bool has_poll, armed;
};

/* ---- the calls, in the pool's threads ---- */

static void connect_call(struct my *my)
{
	const struct db_dsn *d = &my->dsn;

	my->connected = mysql_real_connect(my->mysql, d->host, d->user, d->password,
					   d->database[0] ? d->database : NULL, d->port, NULL,
					   CLIENT_MULTI_RESULTS);
	if (!my->connected)
		return;
	my->wait->fd = fcntl(my->mysql->net.fd, F_DUPFD_CLOEXEC, 0);
	/* the library leaves its own open for the programs that this one starts */
	(void)fcntl(my->mysql->net.fd, F_SETFD, FD_CLOEXEC);
}

static void run_call(struct my *my, enum my_call call)
{
	MYSQL_STMT *stmt = my->stmt ? my->stmt->stmt : NULL;

	switch (call) {
	case MY_CONNECT:
		connect_call(my);
		break;
	case MY_SELECT_DB:
		my->rc = mysql_select_db(my->mysql, my->dsn.schema);
		break;
	case MY_QUERY:
		my->rc = mysql_real_query(my->mysql, my->sql.buf, my->sql.len);
		break;
	case MY_STORE:
		my->res = mysql_store_result(my->mysql);
		break;
	case MY_NEXT:
		my->rc = mysql_next_result(my->mysql);
		break;
	case MY_PREPARE:
		my->rc = mysql_stmt_prepare(stmt, my->stmt->sql.buf, my->stmt->sql.len);
		break;
	case MY_EXECUTE:
		my->rc = mysql_stmt_execute(stmt);
		break;
	case MY_STMT_STORE:
		my->rc = mysql_stmt_store_result(stmt);
		break;
	case MY_STMT_NEXT:
		my->rc = mysql_stmt_next_result(stmt);
		break;
	case MY_NOTHING:
		break;
	}
}

/* The pool's threads are not ours: each call begins and ends the library's part of one. */
static void work_cb(uv_work_t *work)
{
	struct my_wait *w = work->data;

	mysql_thread_init();
	run_call(w->my, w->call);
	mysql_thread_end();
}

/* ---- the socket ---- */

static void unwatch(struct my_wait *w)
{
	if (w->armed)
		uv_poll_stop(&w->poll);
	w->armed = false;
}

static void poll_cb(uv_poll_t *handle, int status, int events)
{
	struct my_wait *w = handle->data;

	(void)status;
	(void)events;
	/* what comes first, the call under way finds out by itself */
	unwatch(w);
	if (w->my->state == MY_IDLE)
		my_idle_event(w->my, w->fd);
}

static int watch(struct my_wait *w)
{
	int rc;

	if (w->armed)
		return 0;
	if (!w->has_poll) {
		rc = w->fd < 0 ? UV_EMFILE : uv_poll_init(w->my->loop, &w->poll, w->fd);
		if (rc < 0)
			return rc;
		w->poll.data = w;
		w->has_poll = true;
	}
	w->armed = true;
	return uv_poll_start(&w->poll, UV_DISCONNECT, poll_cb);
}

/* ---- the end of a call ---- */

/* While it connects only the library knows the socket, and another thread may be writing its
 * number: what is shut down must at least be a connection to this port. */
static void shut_connecting(const struct my *my)
{
	struct sockaddr_in peer = {.sin_port =
					   0}; /* the port's place is that of sockaddr_in6, too */
	socklen_t size = sizeof(peer);
	int fd = fcntl(__atomic_load_n(&my->mysql->net.fd, __ATOMIC_RELAXED), F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
	    (peer.sin_family == AF_INET || peer.sin_family == AF_INET6) &&
	    ntohs(peer.sin_port) == my->dsn.port)
		shutdown(fd, SHUT_RDWR);
	close(fd);
}

/* A call that has not begun will not; one that blocks returns with an error soon. */
static void cut_short(struct my_wait *w)
{
	if (!w->working || uv_cancel((uv_req_t *)&w->work) == 0)
		return;
	if (w->call == MY_CONNECT)
		shut_connecting(w->my);
	else
		shutdown(w->fd, SHUT_RDWR);
}

static void poll_closed_cb(uv_handle_t *handle)
{
	struct my_wait *w = handle->data;

	my_closed(w->my);
}

static void close_poll(struct my_wait *w)
{
	if (w->has_poll)
		uv_close((uv_handle_t *)&w->poll, poll_closed_cb);
	else
		my_closed(w->my);
}

static void worked_cb(uv_work_t *work, int status)
{
	struct my_wait *w = work->data;
	struct my *my = w->my;
	int rc;

	w->working = false;
	if (w->closing) {
		close_poll(w);
		return;
	}
	if (status == 0 && (my->state == MY_CONNECTING || my->state == MY_BUSY))
		my_called(my);
	if (w->closing || my->state != MY_IDLE)
		return;
	rc = watch(w);
	if (rc < 0)
		my_cannot_wait(my, rc);
}

/* ---- the interface ---- */

void my_wait_options(MYSQL *mysql)
{
	const unsigned plain = SSL_MODE_DISABLED, timeout = MY_CONNECT_TIMEOUT_S;
	const bool on = true;

	mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
	mysql_options(mysql, MYSQL_OPT_SSL_MODE, &plain);
	/* without encryption, the password is sent under the server's key */
	mysql_options(mysql, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &on);
}

struct my_wait *my_wait_new(struct my *my)
{
	struct my_wait *w = xcalloc(1, sizeof(*w));

	w->my = my;
	w->fd = -1;
	w->work.data = w;
	return w;
}

int my_wait_begin(struct my *my, enum my_call call)
{
	struct my_wait *w = my->wait;

	assert(!w->working && call != MY_NOTHING);
	w->call = call;
	w->working = true;
	return uv_queue_work(my->loop, &w->work, work_cb, worked_cb);
}

int my_wait_idle(struct my *my)
{
	return watch(my->wait);
}

void my_wait_stop(struct my *my)
{
	unwatch(my->wait);
	cut_short(my->wait);
}

void my_wait_close(struct my *my)
{
	my_wait_stop(my);
	my->wait->closing = true;
	if (!my->wait->working)
		close_poll(my->wait);
}

void my_wait_free(struct my_wait *w)
{
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

/* ---- the driver ---- */

/* A statement that waits for a lock holds its thread: there must be one left for the connection
 * that holds the lock. */
static void expect(unsigned connections)
{
	const char *set = getenv(POOL_SIZE);
	uint64_t size = POOL_SIZE_DEFAULT;
	char text[16];

	if (set && !parse_u64(set, &size))
		size = 0;
	if (size >= connections)
		return;
	snprintf(text, sizeof(text), "%u", connections);
	setenv(POOL_SIZE, text, 1);
}

const struct db_ops db_mysql_ops =
	MY_OPS(DIALECT_MYSQL, "libmysqlclient", "no MariaDB; waits in threads", expect);
