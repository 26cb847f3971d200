/*
 * cputop's end of a keeper. Three things end in any order: the keeper's process, its control socket
 * (what it said last may still be in there), and, when it was killed, what is left of its process
 * group. Then the handles are closed, and the last one to close calls on_exit.
 */
#include "config.h"

#include "proc/child.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "lib/xalloc.h"
#include "proc/child_args.h"

enum { GROUP_POLL_MS = 10, GROUP_GIVE_UP_MS = 2000 };

struct child {
	uv_process_t process;
	uv_pipe_t control;
	uv_timer_t timer; /* looks after the group of a killed keeper */
	unsigned handles; /* open ones */
	struct child_callbacks cb;
	void *arg;
	char *name; /* owned */
	pid_t pid;  /* of the program, 0 before it runs */
	bool spawned, keeper_ended, control_ended;
	bool stopped; /* it was asked to stop, or killed */
	int death_signal;
	unsigned kill_after_ms;
	uint64_t group_since_ns;
	struct child_status status;
	struct err reason;
	char line[ERR_TEXT_MAX];
	size_t line_len;
	char buf[ERR_TEXT_MAX];
};

static void tell(struct child *c, const char *line)
{
	uv_os_fd_t fd;

	if (c->control_ended || uv_fileno((uv_handle_t *)&c->control, &fd) < 0)
		return;
	/* A few bytes always fit. When nobody reads them any more the keeper's end is on its way.
	 */
	if (send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

static void handle_closed_cb(uv_handle_t *handle)
{
	struct child *c = handle->data;

	if (--c->handles > 0)
		return;
	if (!c->spawned) {
		child_free(c);
		return;
	}
	/* The callback may free it. */
	c->cb.on_exit(c, &c->status, c->reason.code ? c->reason.text : NULL, c->arg);
}

static void close_handles(struct child *c)
{
	uv_handle_t *handles[] = {(uv_handle_t *)&c->process, (uv_handle_t *)&c->control,
				  (uv_handle_t *)&c->timer};

	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
		if (!uv_is_closing(handles[i]))
			uv_close(handles[i], handle_closed_cb);
	}
}

/* The keeper was killed: its group is the program and what it started without leaving the group. */
static void group_cb(uv_timer_t *timer)
{
	struct child *c = timer->data;
	uint64_t waited_ms = (clock_now_ns() - c->group_since_ns) / NS_PER_MS;

	if (kill(-c->process.pid, 0) < 0 || waited_ms > c->kill_after_ms + GROUP_GIVE_UP_MS)
		close_handles(c);
	else if (waited_ms > c->kill_after_ms)
		kill(-c->process.pid, SIGKILL);
}

static void finish_when_over(struct child *c)
{
	if (!c->keeper_ended || !c->control_ended)
		return;
	if (!c->status.keeper_killed || kill(-c->process.pid, c->death_signal) < 0) {
		close_handles(c);
		return;
	}
	c->group_since_ns = clock_now_ns();
	uv_timer_start(&c->timer, group_cb, GROUP_POLL_MS, GROUP_POLL_MS);
}

static void keeper_exit_cb(uv_process_t *process, int64_t status, int sig)
{
	struct child *c = process->data;

	c->keeper_ended = true;
	if (sig) {
		c->status.keeper_killed = true;
		err_set(&c->reason, -ECHILD,
			"%s: its keeper was ended by signal %d; start it again", c->name, sig);
	} else if (status && !c->reason.code) {
		err_set(&c->reason, -ECHILD, "%s: its keeper ended with status %d", c->name,
			(int)status);
	}
	finish_when_over(c);
}

static void program_exited(struct child *c, const char *numbers)
{
	if (sscanf(numbers, "%d %d", &c->status.code, &c->status.signal) != 2)
		return;
	c->status.exited = true;
	if (c->stopped)
		return;
	if (c->cb.on_left)
		c->cb.on_left(c, &c->status, c->arg);
	else
		child_stop(c);
}

static void heard(struct child *c, const char *line)
{
	int pid;

	if (strcmp(line, "held") == 0) {
		if (!c->stopped)
			c->cb.on_held(c, c->process.pid, c->arg);
	} else if (sscanf(line, "started %d", &pid) == 1) {
		c->pid = pid;
		if (c->cb.on_started)
			c->cb.on_started(c, c->pid, c->arg);
	} else if (strncmp(line, "failed ", 7) == 0) {
		err_set(&c->reason, -ENOEXEC, "%s: %s", c->name, line + 7);
	} else if (strncmp(line, "exited ", 7) == 0) {
		program_exited(c, line + 7);
	}
}

static void alloc_cb(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
	struct child *c = handle->data;

	(void)size;
	*buf = uv_buf_init(c->buf, sizeof(c->buf));
}

static void read_cb(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct child *c = stream->data;

	if (n < 0) {
		uv_read_stop(stream);
		c->control_ended = true;
		finish_when_over(c);
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (buf->base[i] != '\n') {
			if (c->line_len < sizeof(c->line) - 1)
				c->line[c->line_len++] = buf->base[i];
			continue;
		}
		c->line[c->line_len] = '\0';
		c->line_len = 0;
		heard(c, c->line);
	}
}

static struct child *child_new(uv_loop_t *loop, const struct child_spec *spec)
{
	struct child *c = xcalloc(1, sizeof(*c));

	c->name = xstrdup(spec->name);
	c->cb = spec->cb;
	c->arg = spec->arg;
	c->death_signal = spec->death_signal ? spec->death_signal : SIGKILL;
	c->kill_after_ms = spec->kill_after_ms;
	c->status.code = -1;
	uv_pipe_init(loop, &c->control, 0);
	uv_timer_init(loop, &c->timer);
	c->process.data = c->control.data = c->timer.data = c;
	c->handles = 3;
	return c;
}

static int spawn_keeper(uv_loop_t *loop, struct child *c, const struct child_spec *spec,
			struct child_args *args)
{
	uv_stdio_container_t stdio[CHILD_STDIO_MAX] = {
		[0] = {.flags = UV_IGNORE},
		[3] = {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE,
		       .data.stream = (uv_stream_t *)&c->control},
	};
	uv_process_options_t options = {
		.exit_cb = keeper_exit_cb,
		.file = args->argv.items[0],
		.args = args->argv.items,
		/* libuv and exec take them without const and change nothing. */
		.env = (char **)(uintptr_t)spec->env,
		.stdio = stdio,
		.stdio_count = 4 + (int)spec->nfds,
	};
	size_t i;

	for (i = 1; i <= 2; i++) {
		stdio[i].flags = spec->output_fd >= 0 ? UV_INHERIT_FD : UV_IGNORE;
		stdio[i].data.fd = spec->output_fd;
	}
	for (i = 0; i < spec->nfds; i++) {
		stdio[4 + i].flags = UV_INHERIT_FD;
		stdio[4 + i].data.fd = spec->fds[i].fd;
	}
	return uv_spawn(loop, &c->process, &options);
}

struct child *child_spawn(uv_loop_t *loop, const struct child_spec *spec, struct err *err)
{
	struct child_args args;
	struct child *c = NULL;
	int rc;

	assert(spec->cb.on_held && spec->cb.on_exit);
	if (child_args_init(&args, spec, err) < 0)
		goto out;
	c = child_new(loop, spec);
	rc = spawn_keeper(loop, c, spec, &args);
	if (rc == 0)
		rc = uv_read_start((uv_stream_t *)&c->control, alloc_cb, read_cb);
	if (rc < 0) {
		err_set(err, rc, "%s: cannot run %s: %s", spec->name, args.argv.items[0],
			uv_strerror(rc));
		close_handles(c);
		c = NULL;
		goto out;
	}
	c->spawned = true;
out:
	child_args_release(&args);
	return c;
}

void child_release(struct child *c)
{
	tell(c, "go\n");
}

void child_stop(struct child *c)
{
	if (c->stopped)
		return;
	c->stopped = true;
	/* A keeper that somebody stopped would never hear it. */
	if (c->spawned && !c->keeper_ended)
		uv_process_kill(&c->process, SIGCONT);
	tell(c, "stop\n");
}

void child_kill(struct child *c)
{
	c->stopped = true;
	tell(c, "kill\n");
}

pid_t child_keeper_pid(const struct child *c)
{
	return c->process.pid;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

void child_free(struct child *c)
{
	if (!c)
		return;
	assert(c->handles == 0);
	free(c->name);
	free(c);
}
