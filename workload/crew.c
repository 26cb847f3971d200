#include "config.h"

#include "workload/crew.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/err.h"
#include "workload/program.h"

/* In the new process: what belongs to the first is not its business. */
static void become_member(struct crew *c, struct program_options *o, unsigned number, int fd)
{
	for (unsigned i = 0; i < c->n; i++)
		close(c->fds[i]);
	close(o->control_fd);
	o->control_fd = fd;
	o->number = number;
	c->n = 0;
}

int crew_fork(struct crew *c, struct program_options *o, struct err *err)
{
	memset(c, 0, sizeof(*c));
	for (unsigned number = 1; number < o->workload.workers; number++) {
		int pair[2];
		pid_t pid;

		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
			return err_set(err, -errno, "cannot make a socket for a worker: %s",
				       strerror(errno));
		pid = fork();
		if (pid == 0) {
			close(pair[0]);
			become_member(c, o, number, pair[1]);
			return 0;
		}
		close(pair[1]);
		c->fds[c->n++] = pair[0];
		if (pid < 0)
			return err_set(err, -errno, "cannot start worker %u of %u: %s", number + 1,
				       o->workload.workers, strerror(errno));
	}
	return 0;
}

static void line_cb(void *arg, char *line)
{
	struct crew_member *m = arg;
	struct crew *c = m->crew;

	if (line && strcmp(line, "ready") == 0)
		m->ready = true;
	else if (line && strcmp(line, "stopped") == 0)
		m->stopped = true;
	else {
		c->line(c->arg, line);
		return;
	}
	c->changed(c->arg);
}

int crew_open(struct crew *c, uv_loop_t *loop, struct err *err)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct crew_member *m = &c->members[i];
		int rc;

		m->crew = c;
		m->control.fd = -1;
		rc = control_init(&m->control, loop, c->fds[i], line_cb, m, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

void crew_send(struct crew *c, const char *line)
{
	for (unsigned i = 0; i < c->n; i++)
		control_send(&c->members[i].control, line, NULL);
}

bool crew_ready(const struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!c->members[i].ready)
			return false;
	return true;
}

bool crew_stopped(const struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!c->members[i].stopped)
			return false;
	return true;
}

/* A member whose socket ends does the same. */
void crew_close(struct crew *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		if (c->members[i].crew)
			control_close(&c->members[i].control);
		close(c->fds[i]);
	}
	c->n = 0;
}
