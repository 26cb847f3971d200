/*
 * The icount source: instructions of programs that run under an own Valgrind tool, counted by it in
 * one file for each role. The family is the sum of its file, so nothing that ends is missing. The
 * file is read when the family is; the counts of the processes are of that same moment, so the
 * parts never come to more than the total.
 */
#include "config.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "measure/counters.h"
#include "measure/icount_read.h"
#include "measure/icount_run.h"
#include "measure/measure.h"
#include "measure/procfs.h"
#include "model/run_prefix.h"

/* All of it; and, in role, what belongs to one. */
struct counters {
	struct counters *role[ROLE_COUNT]; /* owned; NULL: not under it */
	/* of a role: */
	char *proc_root;              /* owned */
	struct counters_info *info;   /* borrowed */
	struct run_prefix *prefix;    /* owned */
	struct icount_reader *reader; /* owned */
	bool readable;                /* the last reading was good */
};

struct counter_set {
	struct counters *of; /* borrowed */
	bool family;
	pid_t pid;
	pid_t tid; /* 0: all its threads */
	uint64_t start;
	uint64_t shown; /* never falls */
};

static void say(struct counter_state *s, bool available, const char *reason)
{
	s->available = available;
	text_copy(s->reason, sizeof(s->reason), reason);
	s->remedy[0] = '\0';
}

static void fill_info(struct counters_info *info, unsigned roles)
{
	info->user_only = true;
	info->parts = true;
	info->icount.roles = roles;
	say(&info->instructions, true, "");
	say(&info->cycles, false,
	    "Valgrind counts instructions, a machine without counters no cycles");
	text_copy(info->no_cpu_reason, sizeof(info->no_cpu_reason),
		  "time under Valgrind means nothing");
	snprintf(info->icount.libc, sizeof(info->icount.libc), "glibc %s", gnu_get_libc_version());
}

static void close_role(struct counters *c)
{
	if (!c)
		return;
	icount_close(c->reader);
	run_prefix_free(c->prefix);
	free(c->proc_root);
	free(c);
}

static struct counters *open_role(const struct counter_roots *roots, enum role role,
				  struct counters_info *info, struct err *err)
{
	struct counters *c = xcalloc(1, sizeof(*c));
	char *file = xasprintf("%s/icount-%s", roots->icount->dir, role_name(role));

	c->proc_root = xstrdup(roots->proc);
	c->info = info;
	c->prefix = icount_prefix_new(roots->icount->tool, file, err);
	if (c->prefix && icount_create(file, err) == 0)
		c->reader = icount_open(file, err);
	free(file);
	if (c->reader)
		return c;
	close_role(c);
	return NULL;
}

static void icount_close_all(struct counters *c)
{
	for (int r = 0; r < ROLE_COUNT; r++)
		close_role(c->role[r]);
	free(c);
}

static struct counters *icount_open_all(const struct counter_roots *roots,
					struct counters_info *info, struct err *err)
{
	const struct icount_options *o = roots->icount;
	struct counters *c;

	if (!o || !o->dir || !o->roles) {
		err_set(err, -EINVAL, "no role is to run under it");
		return NULL;
	}
	c = xcalloc(1, sizeof(*c));
	for (int r = 0; r < ROLE_COUNT; r++) {
		if (!(o->roles & 1u << r))
			continue;
		c->role[r] = open_role(roots, (enum role)r, info, err);
		if (!c->role[r]) {
			icount_close_all(c);
			return NULL;
		}
	}
	fill_info(info, o->roles);
	return c;
}

static struct counters *icount_of_role(struct counters *c, enum role role)
{
	return c->role[role];
}

static const struct run_prefix *icount_prefix(const struct counters *c)
{
	return c->prefix;
}

static uint64_t start_of(const struct counters *c, pid_t pid)
{
	char path[PROCFS_PATH_MAX], text[PROCFS_STAT_MAX];
	struct procstat stat;
	ssize_t n;

	procfs_path(path, c->proc_root, pid, "stat");
	n = procfs_read(path, text, sizeof(text));
	return n > 0 && procfs_parse_stat(text, (size_t)n, &stat) == 0 ? stat.start : 0;
}

static struct counter_set *icount_set_open(struct counters *c, pid_t pid, bool family,
					   struct err *err)
{
	struct counter_set *s = xcalloc(1, sizeof(*s));

	(void)err;
	s->of = c;
	s->family = family;
	s->pid = pid;
	s->start = family ? 0 : start_of(c, pid);
	return s;
}

static struct counter_set *icount_thread_open(struct counters *c, pid_t pid, pid_t tid)
{
	struct counter_set *s = icount_set_open(c, pid, false, NULL);

	s->tid = tid;
	return s;
}

static uint64_t read_family(struct counters *c)
{
	struct counters_info *info = c->info;

	c->readable = icount_update(c->reader, NULL) == 0;
	if (!info->icount.valgrind[0])
		text_copy(info->icount.valgrind, sizeof(info->icount.valgrind),
			  icount_valgrind(c->reader));
	return icount_total(c->reader);
}

/* 0 while the process is about to become one that counts. */
static uint64_t read_process(const struct counter_set *s)
{
	struct icount_life l;
	uint64_t n = s->shown;

	if (s->tid) {
		icount_thread(s->of->reader, s->pid, s->start, s->tid, &n);
		return n;
	}
	return icount_find(s->of->reader, s->pid, s->start, &l) ? l.instructions : s->shown;
}

static void icount_set_read(struct counter_set *s, bool edge, struct counter_reading *out)
{
	uint64_t now = s->family ? read_family(s->of) : read_process(s);

	(void)edge;
	memset(out, 0, sizeof(*out));
	if (now > s->shown)
		s->shown = now;
	out->coverage = 1;
	out->enabled_ns = s->family ? icount_lives(s->of->reader) : 1;
	out->instructions = value_of((int64_t)s->shown);
	if (!s->of->readable)
		out->instructions.state = VALUE_UNREADABLE;
	else if (s->family && icount_turned_away(s->of->reader))
		out->instructions.state = VALUE_AT_LEAST;
}

static void icount_set_close(struct counter_set *s)
{
	free(s);
}

const struct counter_ops counters_icount = {
	.name = "icount",
	.whole_process = true,
	.no_cpu = true,
	.open = icount_open_all,
	.close = icount_close_all,
	.of_role = icount_of_role,
	.prefix = icount_prefix,
	.set_open = icount_set_open,
	.thread_open = icount_thread_open,
	.set_read = icount_set_read,
	.set_close = icount_set_close,
};
