#include "config.h"

#include "run/load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "model/run_prefix.h"
#include "proc/child.h"

#define LOAD_LINE_MAX      1024
#define LOAD_KILL_AFTER_MS 400

struct load {
	struct load_callbacks cb;
	void *arg;
	enum role role;
	struct child *child;
	uv_pipe_t control;
	bool control_open;
	bool child_gone, quitting, ended;
	char line[LOAD_LINE_MAX]; /* what has arrived of the current line */
	size_t len;
	char buf[LOAD_LINE_MAX];   /* libuv reads into it */
	char reason[ERR_TEXT_MAX]; /* the first thing that went wrong */
};

struct load_write {
	uv_write_t req;
	char *text; /* owned; wiped, since it may be a password */
	size_t len;
};

static void set_reason(struct load *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void set_reason(struct load *l, const char *fmt, ...)
{
	struct err err = {0};
	va_list ap;
	char *text;

	if (l->reason[0])
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	err_set(&err, -EIO, "%s", text);
	free(text);
	memcpy(l->reason, err.text, sizeof(l->reason));
}

/* Both the socket and the tree must be gone before the owner may free us. */
static void maybe_ended(struct load *l)
{
	if (!l->child_gone || l->control_open || l->ended)
		return;
	l->ended = true;
	l->cb.ended(l, l->quitting ? NULL : l->reason, l->arg);
}

static void control_closed_cb(uv_handle_t *h)
{
	struct load *l = h->data;

	l->control_open = false;
	maybe_ended(l);
}

static void close_control(struct load *l)
{
	if (l->control_open && !uv_is_closing((uv_handle_t *)&l->control))
		uv_close((uv_handle_t *)&l->control, control_closed_cb);
}

/* Takes "N " off; false when there is none. */
static bool take_number(const char **line, unsigned *out)
{
	char *end;
	unsigned long n = strtoul(*line, &end, 10);

	if (end == *line || (*end && *end != ' '))
		return false;
	*out = (unsigned)n;
	*line = *end ? end + 1 : end;
	return true;
}

/* "N NAME A B" */
static void take_answer(struct load *l, const char *line)
{
	char name[64];
	unsigned long long a, b;
	unsigned number;

	if (take_number(&line, &number) && sscanf(line, "%63s %llu %llu", name, &a, &b) == 3)
		l->cb.answer(l, number, name, (const uint64_t[]){a, b}, l->arg);
}

static void take_line(struct load *l, const char *line)
{
	unsigned number;

	struct err safe = {0};

	if (!strcmp(line, "ready")) {
		l->cb.ready(l, l->arg);
	} else if (!strcmp(line, "stopped")) {
		l->cb.stopped(l, l->arg);
	} else if (!strncmp(line, "answer ", 7)) {
		take_answer(l, line + 7);
	} else if (!strncmp(line, "answered ", 9)) {
		line += 9;
		if (take_number(&line, &number))
			l->cb.answered(l, number, l->arg);
	} else if (!strncmp(line, "note ", 5)) {
		err_set(&safe, -EIO, "%s", line + 5);
		l->cb.note(l, safe.text, l->arg);
	} else if (!strncmp(line, "error ", 6)) {
		set_reason(l, "%s: %s", role_name(l->role), line + 6);
	}
	/* Unknown lines are ignored: a newer load may say more. */
}

static void take_bytes(struct load *l, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\n') {
			l->line[l->len] = '\0';
			l->len = 0;
			take_line(l, l->line);
		} else if (l->len < sizeof(l->line) - 1) {
			l->line[l->len++] = p[i];
		}
	}
}

static void alloc_cb(uv_handle_t *h, size_t suggested, uv_buf_t *buf)
{
	struct load *l = h->data;

	(void)suggested;
	*buf = uv_buf_init(l->buf, sizeof(l->buf));
}

static void read_cb(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
	struct load *l = s->data;

	if (n > 0)
		take_bytes(l, buf->base, (size_t)n);
	else if (n < 0)
		close_control(l);
}

static void held_cb(struct child *c, pid_t keeper, void *arg)
{
	struct load *l = arg;

	(void)c;
	l->cb.held(l, keeper, l->arg);
}

static void started_cb(struct child *c, pid_t pid, void *arg)
{
	(void)c;
	(void)pid;
	(void)arg;
}

static void exit_cb(struct child *c, const struct child_status *st, const char *why, void *arg)
{
	struct load *l = arg;
	const char *name = role_name(l->role);

	(void)c;
	if (why)
		set_reason(l, "%s", why);
	else if (st->signal)
		set_reason(l, "the %s was killed by signal %d (%s)", name, st->signal,
			   strsignal(st->signal));
	else
		set_reason(l, "the %s ended by itself with status %d; its log says more", name,
			   st->code);
	l->child_gone = true;
	close_control(l);
	maybe_ended(l);
}

/* The command line. The password is not in it: the address goes over the control socket. */
static char **load_argv(const struct load_spec *spec, const char *program)
{
	const struct workload *w = spec->workload;
	char **argv = xcalloc(40, sizeof(*argv));
	size_t n = 0;

	argv[n++] = xstrdup(program);
	argv[n++] = xstrdup(spec->role == ROLE_WORKER ? "worker" : "producer");
	argv[n++] = xstrdup("--page-fd=4");
	argv[n++] = xstrdup("--control-fd=3");
	argv[n++] = xasprintf("--variant=%s", spec->variant->dir);
	argv[n++] = xasprintf("--dialect=%s", dialect_name(spec->dsn->dialect));
	argv[n++] = xasprintf("--names=%u", w->names);
	argv[n++] = xasprintf("--hot-names=%u", w->hot_names);
	argv[n++] = xasprintf("--hot-share=%.9g", w->hot_share);
	argv[n++] = xasprintf("--seed=%llu", (unsigned long long)w->seed);
	argv[n++] = xasprintf("--backlog=%u", w->backlog);
	argv[n++] = xasprintf("--concurrency=%u", w->concurrency);
	argv[n++] = xasprintf("--pool=%u", w->pool);
	argv[n++] = xasprintf("--history=%.9g", (double)w->history_ns / 1e9);
	argv[n++] = xasprintf("--mutex-keys=%u", w->mutex_keys);
	argv[n++] = xasprintf("--hold=%.9g", (double)w->hold_ns / 1e9);
	argv[n++] = xasprintf("--workers=%u", w->workers);
	argv[n++] = xasprintf("--payload=%u", w->payload_bytes);
	argv[n++] = xasprintf("--enqueue=%s", w->enqueue_tx ? "tx" : "pool");
	argv[n++] = xasprintf("--enqueue-batch=%u", w->enqueue_batch);
	argv[n++] = xasprintf("--poll-interval=%.9g", (double)w->poll_interval_ns / 1e9);
	return argv;
}

static void free_argv(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static void written_cb(uv_write_t *req, int status)
{
	struct load_write *w = req->data;

	(void)status; /* a socket that is gone shows as the end of the child */
	explicit_bzero(w->text, w->len);
	free(w->text);
	free(w);
}

static void send_text(struct load *l, char *text)
{
	struct load_write *w = xcalloc(1, sizeof(*w));
	uv_buf_t buf;

	w->req.data = w;
	w->text = text;
	w->len = strlen(text);
	buf = uv_buf_init(text, (unsigned)w->len);
	if (!l->control_open || uv_is_closing((uv_handle_t *)&l->control) ||
	    uv_write(&w->req, (uv_stream_t *)&l->control, &buf, 1, written_cb) < 0)
		written_cb(&w->req, UV_ECANCELED);
}

static int open_control(struct load *l, uv_loop_t *loop, int fd, struct err *err)
{
	int rc;

	uv_pipe_init(loop, &l->control, 0);
	l->control.data = l;
	l->control_open = true;
	rc = uv_pipe_open(&l->control, fd);
	if (rc < 0) {
		close(fd);
		return err_set(err, rc, "cannot use a socket: %s", uv_strerror(rc));
	}
	return uv_read_start((uv_stream_t *)&l->control, alloc_cb, read_cb);
}

/* fds: what the program finds as descriptors 3 and 4. */
static int spawn_child(struct load *l, uv_loop_t *loop, const struct load_spec *spec,
		       const char *program, const int fds[2], struct err *err)
{
	const struct child_fd child_fds[] = {{.fd = fds[0], .target = 3},
					     {.fd = fds[1], .target = 4}};
	int rc = spec->drop ? run_prefix_give(spec->prefix, spec->uid, spec->gid) : 0;
	char **argv, **whole_argv, **whole_env;

	if (rc < 0)
		return err_set(err, rc, "the %s's file of counts cannot be given to it: %s",
			       role_name(spec->role), strerror(-rc));
	argv = load_argv(spec, program);
	whole_argv = run_prefix_argv(spec->prefix, argv);
	whole_env = run_prefix_env(spec->prefix, environ);
	l->child = child_spawn(
		loop,
		&(struct child_spec){
			.name = role_name(spec->role),
			.argv = whole_argv,
			.env = whole_env,
			.drop = spec->drop,
			.uid = spec->uid,
			.gid = spec->gid,
			.stop_signal = SIGTERM,
			.kill_after_ms = LOAD_KILL_AFTER_MS,
			.output_fd = spec->log_fd,
			.fds = child_fds,
			.nfds = 2,
			.cb = {.on_held = held_cb, .on_started = started_cb, .on_exit = exit_cb},
			.arg = l,
		},
		err);
	free(whole_argv);
	free(whole_env);
	free_argv(argv);
	return l->child ? 0 : -ECHILD;
}

struct load *load_spawn(uv_loop_t *loop, const struct load_spec *spec, struct err *err)
{
	struct load *l = xcalloc(1, sizeof(*l));
	const struct db_dsn *d = spec->dsn;
	char program[4096];
	int sv[2] = {-1, -1};

	l->cb = spec->cb;
	l->arg = spec->arg;
	l->role = spec->role;
	if (child_find_program("cputop-load", program, sizeof(program), err) < 0)
		goto fail;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0) {
		err_set(err, -errno, "cannot make a socket: %s", strerror(errno));
		goto fail;
	}
	if (spawn_child(l, loop, spec, program, (int[]){sv[1], spec->page_fd}, err) < 0)
		goto fail;
	close(sv[1]);
	if (open_control(l, loop, sv[0], err) < 0) {
		/* The child lives already: it ends by the ordinary way, and its owner is told. */
		set_reason(l, "%s", err->text);
		child_stop(l->child);
		close_control(l);
		return l;
	}
	send_text(l, xasprintf("dsn %s %u %s %s %s %s\n", d->host, d->port, d->user, d->password,
			       d->database, d->schema));
	return l;
fail:
	if (sv[0] >= 0)
		close(sv[0]);
	if (sv[1] >= 0)
		close(sv[1]);
	free(l);
	return NULL;
}

enum role load_role(const struct load *l)
{
	return l->role;
}

void load_release(struct load *l)
{
	child_release(l->child);
}

void load_send(struct load *l, const char *command)
{
	send_text(l, xasprintf("%s\n", command));
}

void load_ask(struct load *l, unsigned number, const char *sql)
{
	send_text(l, xasprintf("ask %u %s\n", number, sql));
}

void load_quit(struct load *l)
{
	if (l->quitting)
		return;
	l->quitting = true;
	load_send(l, "quit");
	child_stop(l->child);
}

void load_free(struct load *l)
{
	if (!l)
		return;
	child_free(l->child);
	free(l);
}
