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
#include "measure/threads.h"

#define NEVER_COUNTED_NS (100 * NS_PER_MS)

struct procinfo *track_info(struct proc *p)
{
	if (!p->data)
		p->data = xcalloc(1, sizeof(struct procinfo));
	return p->data;
}

void track_close_set(struct track *t, struct procinfo *i)
{
	if (i->set)
		t->measure->ops->set_close(i->set);
	i->set = NULL;
	memset(&i->counted, 0, sizeof(i->counted));
}

void track_close_sets(struct track *t)
{
	for (size_t n = 0; n < t->tree.n; n++) {
		struct procinfo *i = t->tree.procs[n]->data;

		if (!i)
			continue;
		track_close_set(t, i);
		for (size_t k = 0; i->threads && k < i->threads->n; k++)
			track_close_set(t, &i->threads->items[k]->info);
	}
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

void track_add_out(int64_t out[Q_COUNT], const struct procinfo *i)
{
	for (int q = 0; q < Q_COUNT; q++)
		out[q] += i->last[q] - i->base[q];
}

static void on_gone(void *arg, struct proc *p)
{
	struct track *t = arg;
	struct procinfo *i = p->data;

	if (!i)
		return;
	if (i->part == PART_MONITOR)
		track_add_out(t->out, i);
	else
		t->switches_gone += i->last[Q_SWITCHES];
	if (!i->threads)
		ended_note(t, i, &(struct ended){.pid = p->pid, .tid = p->pid, .start = p->start});
	threads_free(t, i->threads);
	track_close_set(t, i);
	free(i->title);
	free(i);
	p->data = NULL;
}

/* switches_gone is what its switches are in when it is not counted among the living. */
static void set_part(struct procinfo *i, enum part part, int64_t *switches_gone)
{
	if (part == PART_MONITOR && i->part != PART_MONITOR) {
		memcpy(i->base, i->last, sizeof(i->base));
		/* Until now its switches were in the sum of the living. */
		*switches_gone += i->last[Q_SWITCHES];
	}
	i->part = part;
	i->part_known = true;
}

/* A server keeps the thread of a connection that ended for the next one: what was the monitor's may
 * become another's. What it did until then stays out. */
static void map_thread(struct track *t, struct threads *ts, struct thread *th, enum part part)
{
	struct procinfo *i = &th->info;

	if (part != PART_MONITOR && i->part == PART_MONITOR) {
		track_add_out(t->out, i);
		/* All of its switches are in the sum of the living again. */
		ts->switches_gone -= i->last[Q_SWITCHES];
	}
	set_part(i, part, &ts->switches_gone);
}

static bool map_tid(struct track *t, const struct part_row *row)
{
	for (size_t n = 0; n < t->tree.n; n++) {
		struct procinfo *i = t->tree.procs[n]->data;
		struct thread *th = i && i->threads ? threads_find(i->threads, row->tid) : NULL;

		/* A list of connections may tell nothing but the tid. */
		if (!th || (row->pid && row->pid != row->tid && row->pid != t->tree.procs[n]->pid))
			continue;
		map_thread(t, i->threads, th, row->part);
		return true;
	}
	return false;
}

bool track_map(struct track *t, const struct part_row *row)
{
	struct proc *p = row->pid ? proctree_find(&t->tree, row->pid) : NULL;
	struct procinfo *i;

	if (map_tid(t, row))
		return true;
	if (!p || p->pid == t->tree.root || (row->tid && row->tid != row->pid))
		return false;
	i = track_info(p);
	if (i->threads)
		return false;
	/* A monitor stays one. */
	if (row->part == PART_MONITOR || i->part != PART_MONITOR)
		set_part(i, row->part, &t->switches_gone);
	return true;
}

void track_was_asked(struct track *t)
{
	for (size_t n = 0; n < t->tree.n; n++) {
		struct procinfo *i = track_info(t->tree.procs[n]);

		i->asked = true;
		for (size_t k = 0; i->threads && k < i->threads->n; k++)
			i->threads->items[k]->info.asked = true;
	}
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
	char path[PROCFS_PATH_MAX];

	procfs_path(path, t->measure->proc_root, t->tree.root, "io");
	if (procfs_read_io(path, &t->keeper_io) != 0)
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
	vec_release(&t->ended);
	m->keepers_gone_ns += t->keeper_ns;
	memset(t, 0, sizeof(*t));
}
