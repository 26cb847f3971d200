/*
 * One reading. First everything that has to be of one moment: trees, clocks, cgroups, counters,
 * role by role; that gives taken_ns. Then what may come a little later: titles, and at the edges
 * context switches and I/O. At last the sample is put together. A value that went into a total
 * stays there: all totals grow or stay.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "measure/measure.h"
#include "measure/threads.h"
#include "measure/track.h"

static const struct value unreadable = {0, VALUE_UNREADABLE};
/* Of a process that was seen only when it was about to be gone: what it did is with the exited. */
static struct counter_reading none_of_it(const struct measure *m)
{
	struct counter_reading none = {.coverage = 1};

	none.instructions.state = m->info.instructions.available ? VALUE_OK : VALUE_NONE;
	none.cycles.state = m->info.cycles.available ? VALUE_OK : VALUE_NONE;
	return none;
}

/* The counters of a process (tid 0) or thread begin when it is first seen. Returns whether there
 * was room for them: those of a family were there first, so they are the last to be moved out. */
static bool read_set(struct track *t, struct procinfo *i, pid_t pid, pid_t tid, bool edge)
{
	struct measure *m = t->measure;

	if (!i->set_tried) {
		struct err why = {0};

		i->set_tried = true;
		if (tid && m->ops->thread_open)
			i->set = m->ops->thread_open(t->counters, pid, tid);
		else
			i->set = m->ops->set_open(t->counters, tid ? tid : pid, false, &why);
		i->ending = !i->set && why.code == -ESRCH;
	}
	if (i->set)
		m->ops->set_read(i->set, edge, &i->counted);
	else if (i->ending)
		i->counted = none_of_it(m);
	else
		i->counted = (struct counter_reading){
			.instructions = unreadable, .cycles = unreadable, .coverage = 0};
	return !i->counted.multiplexed;
}

static bool read_thread_sets(struct track *t, struct threads *ts, bool edge)
{
	const struct counter_ops *ops = t->measure->ops;
	bool room = true;

	if (ops->whole_process && !ops->thread_open)
		return true;
	for (size_t n = 0; n < ts->n; n++)
		if (!read_set(t, &ts->items[n]->info, ts->pid, ts->items[n]->tid, edge))
			room = false;
	return room;
}

static bool read_sets(struct track *t, bool edge)
{
	bool room = true;

	for (size_t n = 0; n < t->tree.n; n++) {
		struct proc *p = t->tree.procs[n];
		struct procinfo *i = track_info(p);
		bool fits;

		if (p->pid == t->tree.root)
			continue;
		if (p->stat.state == 'X') {
			if (!i->set_tried)
				i->counted = none_of_it(t->measure);
			continue;
		}
		if (i->threads)
			fits = read_thread_sets(t, i->threads, edge);
		else
			fits = read_set(t, i, p->pid, 0, edge);
		if (!fits)
			room = false;
	}
	return room;
}

static void read_parts(struct track *t, bool edge)
{
	struct measure *m = t->measure;

	if (!t->family || !m->info.parts)
		return;
	if (!t->counted.multiplexed && read_sets(t, edge))
		return;
	/* There is no room for both: the total matters more. */
	m->info.parts = false;
	for (int r = 0; r < ROLE_COUNT; r++)
		if (m->roles[r].present)
			track_close_sets(&m->roles[r]);
	databases_close_sets(m);
}

static void read_counters(struct track *t, bool edge)
{
	struct measure *m = t->measure;

	memset(&t->counted, 0, sizeof(t->counted));
	if (!t->family)
		return;
	m->ops->set_read(t->family, edge, &t->counted);
	if (track_was_dropped(t, t->counted.enabled_ns) && !m->ops->no_cpu) {
		if (value_known(t->counted.instructions))
			t->counted.instructions = unreadable;
		if (value_known(t->counted.cycles))
			t->counted.cycles = unreadable;
	}
	read_parts(t, edge);
}

static void read_cgroup(struct track *t)
{
	uint64_t usage, keeper = t->keeper_ns - t->keeper_base_ns;

	t->cgroup_ok = cgroup_usage_ns(&t->cgroup, &usage) == 0;
	if (t->cgroup_ok && usage > keeper && usage - keeper > t->cgroup_ns)
		t->cgroup_ns = usage - keeper;
}

/* The clock of their process after them: it then holds all that they used. */
static void read_threads(struct track *t)
{
	for (size_t n = 0; n < t->tree.n; n++) {
		struct proc *p = t->tree.procs[n];
		const struct procinfo *i = p->data;

		if (!i || !i->threads)
			continue;
		threads_read(t, p);
		proctree_read_clock(p);
	}
}

static int read_track(struct track *t, bool edge)
{
	int r = t->gone ? -ESRCH : proctree_read(&t->tree);

	if (r) {
		t->gone = true;
		return r;
	}
	t->keeper_ns = proctree_find(&t->tree, t->tree.root)->cpu_ns;
	read_threads(t);
	if (t->has_cgroup)
		read_cgroup(t);
	cputime_update(&t->cpu, &t->tree);
	read_counters(t, edge);
	return 0;
}

/* Much ran that the cgroup does not have: somebody has moved processes out of it. */
static bool has_left(const struct track *t, uint64_t ledger, uint64_t usage)
{
	return ledger > usage && ledger - usage > ledger / 10 &&
	       cputime_is_gap(ledger, ledger - usage, t->cpu.slack_ns);
}

/* Did a child's time get lost since the last edge? */
static bool find_gap(struct track *t, bool edge)
{
	uint64_t ledger = t->cpu.total_ns - t->edge_ledger_ns;
	uint64_t growth = ledger, loss = t->cpu.lost_ns - t->edge_lost_ns;
	bool gap;

	if (t->has_cgroup && t->cgroup_ok) {
		growth = t->cgroup_ns - t->edge_cpu_ns;
		if (has_left(t, ledger, growth)) {
			t->cgroup.broken = true;
			t->cgroup_ok = false;
		}
		loss += growth > ledger ? growth - ledger : 0;
	}
	gap = cputime_is_gap(growth, loss, t->cpu.slack_ns);
	if (edge) {
		t->edge_ledger_ns = t->cpu.total_ns;
		t->edge_lost_ns = t->cpu.lost_ns;
		t->edge_cpu_ns = t->cgroup_ns;
	}
	return gap;
}

static struct value at_least(struct value v)
{
	if (value_known(v))
		v.state = VALUE_AT_LEAST;
	return v;
}

static void keep_last(struct procinfo *i, enum quantity q, struct value v)
{
	if (value_known(v))
		i->last[q] = v.v;
}

static bool is_zombie(const struct proc *p)
{
	return (p->stat.state == 'Z' || p->stat.state == 'X') && p->stat.threads <= 1;
}

static void keep_usage(struct procinfo *i, const struct usage *u)
{
	keep_last(i, Q_CPU, u->cpu_ns);
	keep_last(i, Q_INSTRUCTIONS, u->instructions);
	keep_last(i, Q_CYCLES, u->cycles);
	keep_last(i, Q_SWITCHES, u->context_switches);
	keep_last(i, Q_READ, u->read_bytes);
	keep_last(i, Q_WRITTEN, u->written_bytes);
}

/* What was read of a process or thread. */
static void fill_usage(const struct track *t, struct procinfo *i, uint64_t cpu_ns, bool edge,
		       struct usage *u)
{
	if (!track_is_under(t))
		u->cpu_ns = value_of((int64_t)cpu_ns);
	if (t->family && t->measure->info.parts) {
		u->instructions = i->counted.instructions;
		u->cycles = i->counted.cycles;
		u->coverage = i->counted.coverage;
	}
	if (edge) {
		u->context_switches = i->switches;
		u->read_bytes = i->io[0];
		u->written_bytes = i->io[1];
	}
}

void track_fill_user(const struct track *t, struct usage *u)
{
	if (!t->measure->info.user_only)
		return;
	u->instructions_user = u->instructions;
	u->cycles_user = u->cycles;
}

static void fill_row(const struct track *t, const struct proc *p, bool edge, struct proc_row *row)
{
	struct procinfo *i = p->data;
	struct usage *u = &row->usage;

	memset(row, 0, sizeof(*row));
	row->pid = row->tid = p->pid;
	row->start = p->start;
	row->role = t->role;
	row->part = t->role == ROLE_DATABASE ? i->part : PART_NONE;
	text_copy(row->comm, sizeof(row->comm), p->stat.comm);
	row->title = i->title ? xstrdup(i->title) : NULL;
	fill_usage(t, i, p->cpu_ns, edge, u);
	u->processes = !is_zombie(p);
	/* Of hardware counters only its first thread's. */
	if (p->threaded && !t->measure->ops->whole_process) {
		u->instructions = at_least(u->instructions);
		u->cycles = at_least(u->cycles);
	}
	track_fill_user(t, u);
	keep_usage(i, u);
}

static void fill_thread(const struct track *t, const struct proc *p, struct thread *th, bool edge,
			struct proc_row *row)
{
	memset(row, 0, sizeof(*row));
	row->pid = p->pid;
	row->tid = th->tid;
	row->start = th->start;
	row->role = t->role;
	row->part = th->info.part;
	row->thread = true;
	text_copy(row->comm, sizeof(row->comm), th->comm);
	fill_usage(t, &th->info, th->cpu_ns, edge, &row->usage);
	track_fill_user(t, &row->usage);
	keep_usage(&th->info, &row->usage);
}

/* The process as a whole, and its threads. */
static size_t fill_threads(const struct track *t, const struct proc *p, bool edge,
			   struct proc_row *rows)
{
	const struct procinfo *i = p->data;
	const struct threads *ts = i->threads;

	rows->tid = 0;
	rows->part = PART_NONE;
	/* The family is this process, where it has no children. */
	if (t->family && t->tree.n == 2) {
		rows->usage.instructions = t->counted.instructions;
		rows->usage.cycles = t->counted.cycles;
		rows->usage.coverage = t->counted.coverage;
		track_fill_user(t, &rows->usage);
	}
	for (size_t n = 0; n < ts->n; n++)
		fill_thread(t, p, ts->items[n], edge, &rows[n + 1]);
	return ts->n;
}

static void take_out(struct value *v, int64_t out)
{
	if (value_known(*v))
		v->v -= out;
}

static void add_out(int64_t out[Q_COUNT], const struct procinfo *i)
{
	if (i->part == PART_MONITOR)
		track_add_out(out, i);
}

/* cputop's own connections are not the database's cost. */
static void take_out_monitors(const struct track *t, struct usage *u)
{
	int64_t out[Q_COUNT];

	memcpy(out, t->out, sizeof(out));
	for (size_t n = 0; n < t->tree.n; n++) {
		const struct procinfo *i = t->tree.procs[n]->data;
		const struct threads *ts = i ? i->threads : NULL;

		if (i)
			add_out(out, i);
		for (size_t k = 0; ts && k < ts->n; k++)
			add_out(out, &ts->items[k]->info);
	}
	take_out(&u->cpu_ns, out[Q_CPU]);
	take_out(&u->instructions, out[Q_INSTRUCTIONS]);
	take_out(&u->cycles, out[Q_CYCLES]);
	take_out(&u->read_bytes, out[Q_READ]);
	take_out(&u->written_bytes, out[Q_WRITTEN]);
}

static void fill_total(struct track *t, bool edge, struct usage *u)
{
	if (track_is_under(t))
		u->cpu_ns = (struct value){0, VALUE_NONE};
	else if (!t->has_cgroup)
		u->cpu_ns = value_of((int64_t)t->cpu.total_ns);
	else
		u->cpu_ns = t->cgroup_ok ? value_of((int64_t)t->cgroup_ns) : unreadable;
	u->instructions = t->counted.instructions;
	u->cycles = t->counted.cycles;
	u->coverage = t->counted.coverage;
	if (edge) {
		u->context_switches = track_switches(t);
		u->read_bytes = track_io(t, 0);
		u->written_bytes = track_io(t, 1);
	}
	take_out_monitors(t, u);
	if (value_known(u->cpu_ns)) {
		if (u->cpu_ns.v < t->shown_ns)
			u->cpu_ns.v = t->shown_ns;
		t->shown_ns = u->cpu_ns.v;
	}
	track_fill_user(t, u);
}

static size_t count_rows(const struct track *t)
{
	size_t rows = t->tree.n;

	for (size_t n = 0; n < t->tree.n; n++) {
		const struct procinfo *i = t->tree.procs[n]->data;

		rows += i && i->threads ? i->threads->n : 0;
	}
	return rows;
}

/* Rows and total of a role. The rows come by role, pid and tid. */
static void fill_role(struct track *t, bool edge, struct sample *out)
{
	struct role_sample *rs = &out->roles[t->role];

	rs->present = true;
	out->rows = xreallocarray(out->rows, out->nrows + count_rows(t), sizeof(*out->rows));
	for (size_t n = 0; n < t->tree.n; n++) {
		struct proc *p = t->tree.procs[n];
		struct proc_row *row = &out->rows[out->nrows];

		if (p->pid == t->tree.root)
			continue;
		fill_row(t, p, edge, row);
		out->nrows++;
		if (row->part != PART_MONITOR)
			rs->total.processes += row->usage.processes;
		if (((const struct procinfo *)p->data)->threads)
			out->nrows += fill_threads(t, p, edge, row);
	}
	ended_fill(t, edge, out);
	fill_total(t, edge, &rs->total);
}

static void fill_own(struct measure *m, struct sample *out)
{
	uint64_t ns = m->keepers_gone_ns;
	struct timespec ts;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
		ns += (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	out->cputop.processes = 1;
	for (int r = 0; r < ROLE_COUNT; r++) {
		if (!m->roles[r].present)
			continue;
		ns += m->roles[r].keeper_ns;
		out->cputop.processes += !m->roles[r].gone;
	}
	for (unsigned i = 0; i < MEASURE_DATABASES; i++) {
		ns += m->idle[i].keeper_ns;
		out->cputop.processes += m->idle[i].present && !m->idle[i].gone;
	}
	out->cputop.cpu_ns = value_of((int64_t)ns);
	machine_read(&m->machine, m->proc_root, clock_now_ns());
	out->machine_busy_ns = m->machine.busy_ns;
	out->machine_steal_ns = m->machine.steal_ns;
}

/* What follows the moment itself. */
static void finish_track(struct track *t, unsigned flags, struct sample *out)
{
	bool edge = flags & MEASURE_EDGE;
	bool extras = flags & (MEASURE_EDGE | MEASURE_EXTRAS);

	if (!t->present || t->gone)
		return;
	/* The counters of threads that are new begin with this reading, too. */
	if (track_titles(t, flags))
		read_parts(t, false);
	if (extras)
		track_extras(t);
	if (find_gap(t, edge) && !track_is_under(t))
		out->gap = true;
	fill_role(t, extras, out);
}

int measure_sample(struct measure *m, unsigned flags, struct sample *out, struct err *err)
{
	uint64_t begin = clock_now_ns(), end;
	int result = 0;

	memset(out, 0, sizeof(*out));
	for (int r = 0; r < ROLE_COUNT; r++) {
		struct track *t = &m->roles[r];

		if (t->present && read_track(t, flags & MEASURE_EDGE) != 0)
			result = err_set(err, -ESRCH, "the keeper of the %s is gone",
					 role_name(t->role));
	}
	databases_read_idle(m);
	fill_own(m, out);
	out->idle_servers_ns = m->idle_ns;
	end = clock_now_ns();
	out->taken_ns = begin + (end - begin) / 2;
	out->wall_ns = clock_wall_ns();
	for (int r = 0; r < ROLE_COUNT; r++)
		finish_track(&m->roles[r], flags, out);
	if (m->roles[ROLE_DATABASE].present)
		m->pending.len = 0;
	measure_remove_leftovers(m);
	out->cost_ns = clock_now_ns() - begin;
	return result;
}
