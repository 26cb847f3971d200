#include "config.h"

#include "workload/alarm.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/err.h"

/* Setting the time also takes back an expiry that has not been read, so nothing is ever read. */
static void set(struct alarm *a, uint64_t at_ns)
{
	struct itimerspec when = {{0, 0}, {0, 0}};

	when.it_value.tv_sec = (time_t)(at_ns / NS_PER_S);
	when.it_value.tv_nsec = (long)(at_ns % NS_PER_S);
	timerfd_settime(a->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void poll_cb(uv_poll_t *handle, int status, int events)
{
	struct alarm *a = handle->data;

	(void)status;
	(void)events;
	a->armed = false;
	a->cb(a->arg);
	if (!a->armed && a->fd >= 0)
		set(a, 0);
}

int alarm_init(struct alarm *a, uv_loop_t *loop, void (*cb)(void *arg), void *arg, struct err *err)
{
	int rc;

	memset(a, 0, sizeof(*a));
	a->cb = cb;
	a->arg = arg;
	a->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (a->fd < 0)
		return err_set(err, -errno, "cannot make a timer: %s", strerror(errno));
	rc = uv_poll_init(loop, &a->poll, a->fd);
	if (rc == 0) {
		a->poll.data = a;
		rc = uv_poll_start(&a->poll, UV_READABLE, poll_cb);
		if (rc == 0)
			return 0;
		uv_close((uv_handle_t *)&a->poll, NULL);
	}
	close(a->fd);
	a->fd = -1;
	return err_set(err, rc, "cannot watch a timer: %s", uv_strerror(rc));
}

void alarm_set(struct alarm *a, uint64_t at_ns)
{
	a->armed = true;
	set(a, at_ns ? at_ns : 1);
}

void alarm_stop(struct alarm *a)
{
	a->armed = false;
	set(a, 0);
}

void alarm_close(struct alarm *a)
{
	if (a->fd < 0)
		return;
	uv_poll_stop(&a->poll);
	uv_close((uv_handle_t *)&a->poll, NULL);
	close(a->fd);
	a->fd = -1;
}
