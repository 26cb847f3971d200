/* Following a role: everything that is opened for a keeper, and what happens when a process ends.
 */
#include "config.h"

#include "measure/track.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "lib/xalloc.h"
#include "measure/fdbudget.h"

#define NEVER_COUNTED_NS (100 * NS_PER_MS)

struct procinfo *track_info(struct proc *p)
{
	if (!p->data)
		p->data = xcalloc(1, sizeof(struct procinfo));
	return p->data;
}

static void close_set(struct track *t, struct procinfo *i)
{
	if (i->set)
		t->measure->ops->set_close(i->set);
	i->set = NULL;
	memset(&i->counted, 0, sizeof(i->counted));
}

void track_close_sets(struct track *t)
{
	for (size_t n = 0; n < t->tree.n; n++)
		if (t->tree.procs[n]->data)
			close_set(t, t->tree.procs[n]->data);
}

void track_drop_counters(struct track *t)
{
	if (!t->present)
		return;
	track_close_sets(t);
	if (t->family)
		t->measure->ops->set_close(t->family);
	t->family = NULL;
}

static void on_gone(void *arg, struct proc *p)
{
	struct track *t = arg;
	struct procinfo *i = p->data;

	if (!i)
		return;
	if (i->part == PART_MONITOR)
		for (int q = 0; q < Q_COUNT; q++)
			t->out[q] += i->last[q] - i->base[q];
	else
		t->switches_gone += i->last[Q_SWITCHES];
	close_set(t, i);
	free(i->title);
	free(i);
	p->data = NULL;
}

void track_map(struct track *t, struct proc *p, enum part part)
{
	struct procinfo *i = track_info(p);

	if (part == PART_MONITOR && i->part != PART_MONITOR) {
		memcpy(i->base, i->last, sizeof(i->base));
		/* Until now its switches were in the sum of the living. */
		t->switches_gone += i->last[Q_SWITCHES];
	}
	if (part != PART_MONITOR && i->part == PART_MONITOR)
		return; /* a monitor stays one */
	i->part = part;
	i->part_known = true;
}

/* What is counted is at least most of the CPU time, but for the end of each process. */
bool track_was_dropped(const struct track *t, uint64_t enabled_ns)
{
	return t->cpu.total_ns > NEVER_COUNTED_NS && enabled_ns < t->cpu.total_ns / 3;
}

bool track_is_under(const struct track *t)
{
	return t->family && t->measure->ops->no_cpu;
}

static int enter_cgroup(struct track *t, struct err *err)
{
	struct measure *m = t->measure;
	int r;

	if (m->info.cpu_source != CPU_CGROUP)
		return 0;
	r = cgroup_create(&t->cgroup, m->cgroup_base, role_name(t->role), t->tree.root, err);
	if (r)
		return r;
	t->has_cgroup = true;
	r = proctree_read(&t->tree);
	if (r)
		return err_set(err, r, "the keeper of the %s is gone", role_name(t->role));
	t->keeper_base_ns = proctree_find(&t->tree, t->tree.root)->cpu_ns;
	return 0;
}

static int open_family(struct track *t, struct err *err)
{
	struct measure *m = t->measure;
	struct err why;

	t->counters = m->ops->of_role ? m->ops->of_role(m->counters, t->role) : m->counters;
	if (m->info.source == COUNTERS_NONE || !t->counters)
		return 0;
	err_clear(&why);
	t->family = m->ops->set_open(t->counters, t->tree.root, true, &why);
	if (t->family)
		return 0;
	if (m->counters_asked != COUNTERS_AUTO)
		return err_set(err, why.code, "%s", why.text);
	measure_drop_counters(m, why.text);
	return 0;
}

static void read_keeper_io(struct track *t)
{
	char path[PROCFS_PATH_MAX], text[512];
	ssize_t n;

	procfs_path(path, t->measure->proc_root, t->tree.root, "io");
	n = procfs_read(path, text, sizeof(text));
	if (n < 0 || procfs_parse_io(text, (size_t)n, &t->keeper_io) != 0)
		memset(&t->keeper_io, 0, sizeof(t->keeper_io));
}

int track_begin(struct track *t, struct measure *m, enum role role, pid_t keeper, struct err *err)
{
	int r;

	memset(t, 0, sizeof(*t));
	t->measure = m;
	t->role = role;
	r = proctree_init(&t->tree, m->proc_root, keeper);
	t->tree.on_gone = on_gone;
	t->tree.arg = t;
	t->present = true;
	if (r)
		err_set(err, r, "cannot follow the keeper of the %s (pid %d): %s", role_name(role),
			(int)keeper, strerror(-r));
	else
		r = enter_cgroup(t, err);
	if (r == 0)
		r = open_family(t, err);
	if (r) {
		track_end(t);
		return r;
	}
	read_keeper_io(t);
	if (t->has_cgroup)
		m->cgroup_used = true;
	return 0;
}

void track_end(struct track *t)
{
	struct measure *m = t->measure;

	if (!t->present)
		return;
	if (t->family)
		m->ops->set_close(t->family);
	proctree_release(&t->tree);
	if (t->has_cgroup && cgroup_remove(&t->cgroup) != 0)
		*vec_push(&m->leftovers) = t->cgroup;
	m->keepers_gone_ns += t->keeper_ns;
	memset(t, 0, sizeof(*t));
}
