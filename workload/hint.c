#include "config.h"

#include "workload/hint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/err.h"

static struct sockaddr_in loopback(unsigned port)
{
	struct sockaddr_in a;

	memset(&a, 0, sizeof(a));
	a.sin_family = AF_INET;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)port);
	return a;
}

/* ---- receiving ---- */

/* Takes all that has arrived, and tells it once. */
static void readable_cb(uv_poll_t *handle, int status, int events)
{
	struct hint_receiver *r = handle->data;
	char byte;
	bool any = false;

	(void)status;
	(void)events;
	while (recv(r->fd, &byte, sizeof(byte), MSG_DONTWAIT) >= 0)
		any = true;
	if (any)
		r->cb(r->arg);
}

static int bind_port(int fd)
{
	struct sockaddr_in a = loopback(0);
	socklen_t len = sizeof(a);

	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		return -errno;
	return ntohs(a.sin_port);
}

int hint_receiver_open(struct hint_receiver *r, uv_loop_t *loop, void (*cb)(void *arg), void *arg,
		       struct err *err)
{
	int port, rc;

	memset(r, 0, sizeof(*r));
	r->cb = cb;
	r->arg = arg;
	r->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->fd < 0)
		return err_set(err, -errno, "cannot make a socket for wake-ups: %s",
			       strerror(errno));
	port = bind_port(r->fd);
	rc = port < 0 ? port : uv_poll_init(loop, &r->poll, r->fd);
	if (rc == 0) {
		r->poll.data = r;
		rc = uv_poll_start(&r->poll, UV_READABLE, readable_cb);
		if (rc == 0)
			return port;
		uv_close((uv_handle_t *)&r->poll, NULL);
	}
	close(r->fd);
	r->fd = -1;
	return err_set(err, rc, "cannot listen for wake-ups on loopback: %s", uv_strerror(rc));
}

void hint_receiver_close(struct hint_receiver *r)
{
	if (r->fd < 0)
		return;
	uv_poll_stop(&r->poll);
	uv_close((uv_handle_t *)&r->poll, NULL);
	close(r->fd);
	r->fd = -1;
}

/* ---- sending ---- */

static void check_cb(uv_check_t *check)
{
	struct hint_sender *s = check->data;

	/* One that finds no room or no reader is lost. */
	for (unsigned i = 0; i < s->n; i++)
		(void)!send(s->fds[i], "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	uv_check_stop(&s->check);
	uv_idle_stop(&s->idle);
}

static void idle_cb(uv_idle_t *idle)
{
	(void)idle;
}

static int connected_socket(unsigned port)
{
	struct sockaddr_in a = loopback(port);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = -errno;

	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		rc = -errno;
		close(fd);
		fd = -1;
	}
	return fd < 0 ? rc : fd;
}

static void close_sockets(struct hint_sender *s)
{
	for (unsigned i = 0; i < s->n; i++)
		close(s->fds[i]);
	s->n = 0;
}

int hint_sender_open(struct hint_sender *s, uv_loop_t *loop,
		     const _Atomic uint64_t ports[WORKLOAD_WORKERS_MAX], struct err *err)
{
	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i < WORKLOAD_WORKERS_MAX; i++) {
		uint64_t port = atomic_load_explicit(&ports[i], memory_order_relaxed);
		int fd = port ? connected_socket((unsigned)port) : -1;

		if (port && fd < 0) {
			close_sockets(s);
			return err_set(err, fd, "cannot make a socket for wake-ups: %s",
				       strerror(-fd));
		}
		if (port)
			s->fds[s->n++] = fd;
	}
	if (s->n > 0) {
		uv_check_init(loop, &s->check);
		uv_idle_init(loop, &s->idle);
		s->check.data = s;
	}
	return 0;
}

void hint_send(struct hint_sender *s)
{
	if (s->n == 0)
		return;
	uv_check_start(&s->check, check_cb);
	uv_idle_start(&s->idle, idle_cb);
}

void hint_sender_close(struct hint_sender *s)
{
	if (s->n == 0)
		return;
	uv_close((uv_handle_t *)&s->check, NULL);
	uv_close((uv_handle_t *)&s->idle, NULL);
	close_sockets(s);
}
