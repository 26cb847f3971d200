/*
 * A pair is one group wherever possible, so that both count at the same moments. Old kernels refuse
 * inherit together with a group read (EINVAL): then the two are separate.
 */
#include "config.h"

#include "measure/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/fdbudget.h"

#define READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* Grouped with leader (-1: with none). Returns a descriptor or a negative errno. */
static int open_event(const struct perf_event_spec *spec, pid_t pid, const struct perf_mode *mode,
		      int leader, bool group_read)
{
	struct perf_event_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = spec->type;
	attr.config = spec->config;
	attr.read_format = READ_FORMAT | (group_read ? PERF_FORMAT_GROUP : 0);
	attr.inherit = mode->family;
	/* Members follow their leader. */
	attr.disabled = mode->family && leader < 0;
	attr.enable_on_exec = mode->family && leader < 0;
	attr.exclude_kernel = mode->user_only;
	attr.exclude_hv = mode->user_only;
	fd = syscall(SYS_perf_event_open, &attr, pid, -1, leader, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Both in one group. All or nothing. */
static int open_grouped(struct perf_pair *p, const struct perf_event_spec spec[PERF_PAIR],
			pid_t pid, const struct perf_mode *mode)
{
	struct perf_raw probe[PERF_PAIR];

	for (int i = 0; i < PERF_PAIR; i++) {
		int fd = open_event(&spec[i], pid, mode, i == 0 ? -1 : p->fd[0], true);

		if (fd < 0) {
			if (i == 1)
				close(p->fd[0]);
			p->fd[0] = -1;
			return fd;
		}
		p->fd[i] = fd;
	}
	p->grouped = true;
	/* An open group that cannot be read is of no use either. */
	perf_pair_read(p, probe);
	if (probe[0].valid)
		return 0;
	for (int i = 0; i < PERF_PAIR; i++) {
		close(p->fd[i]);
		p->fd[i] = -1;
	}
	p->grouped = false;
	return -EINVAL;
}

int perf_pair_open(struct perf_pair *p, const struct perf_event_spec spec[PERF_PAIR],
		   const bool wanted[PERF_PAIR], pid_t pid, const struct perf_mode *mode)
{
	int n = 0;

	*p = (struct perf_pair){.fd = {-1, -1}};
	if (!fdbudget_take(PERF_PAIR)) {
		p->error[0] = p->error[1] = -EMFILE;
		return 0;
	}
	if (wanted[0] && wanted[1] && open_grouped(p, spec, pid, mode) == 0)
		return PERF_PAIR;
	for (int i = 0; i < PERF_PAIR; i++) {
		int fd = wanted[i] ? open_event(&spec[i], pid, mode, -1, false) : -ENOENT;

		p->fd[i] = fd < 0 ? -1 : fd;
		p->error[i] = fd < 0 ? fd : 0;
		n += fd >= 0;
	}
	if (n == 0)
		fdbudget_give(PERF_PAIR);
	return n;
}

/* An event that was opened alone. out is all 0. */
static void read_one(int fd, struct perf_raw *out)
{
	uint64_t v[3]; /* value, enabled, running */

	/* 0 bytes: the event is in an error state and counts nothing. */
	if (fd >= 0 && read(fd, v, sizeof(v)) == (ssize_t)sizeof(v))
		*out = (struct perf_raw){true, v[0], v[1], v[2]};
}

void perf_pair_read(const struct perf_pair *p, struct perf_raw out[PERF_PAIR])
{
	uint64_t v[3 + PERF_PAIR]; /* number, enabled, running, values */

	memset(out, 0, sizeof(*out) * PERF_PAIR);
	if (!p->grouped) {
		for (int i = 0; i < PERF_PAIR; i++)
			read_one(p->fd[i], &out[i]);
		return;
	}
	if (read(p->fd[0], v, sizeof(v)) != (ssize_t)sizeof(v) || v[0] != PERF_PAIR)
		return;
	for (int i = 0; i < PERF_PAIR; i++)
		out[i] = (struct perf_raw){true, v[3 + i], v[1], v[2]};
}

void perf_pair_close(struct perf_pair *p)
{
	if (p->fd[0] < 0 && p->fd[1] < 0)
		return;
	/* The member first: without a leader it would count on alone. */
	for (int i = PERF_PAIR - 1; i >= 0; i--) {
		if (p->fd[i] >= 0)
			close(p->fd[i]);
		p->fd[i] = -1;
	}
	fdbudget_give(PERF_PAIR);
}
