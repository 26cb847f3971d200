/*
 * Context switches and I/O, which cost a file per process. I/O follows the ledger: the io file of a
 * parent holds its reaped children, so the sum over the living is everything. Switches of a process
 * or thread that ended are lost. A perf event of the family would have them, but makes each switch
 * dearer by half of what the hardware counters cost there.
 */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "measure/threads.h"
#include "measure/track.h"

#define EXTRAS_TRIES 3

/* Threads that end meanwhile are left out; false when none could be read. */
static bool thread_switches(const char *proc_root, pid_t pid, uint64_t *out)
{
	char dir[PROCFS_PATH_MAX], path[PROCFS_PATH_MAX], name[48];
	bool any = false;
	struct dirent *e;
	DIR *d;

	*out = 0;
	procfs_path(dir, proc_root, pid, "task");
	d = opendir(dir);
	if (!d)
		return false;
	while ((e = readdir(d))) {
		const char *digits = e->d_name;
		uint64_t one;
		pid_t tid;

		if (!procfs_next_pid(&digits, &tid))
			continue;
		snprintf(name, sizeof(name), "task/%d/status", (int)tid);
		procfs_path(path, proc_root, pid, name);
		if (procfs_read_switches(path, &one) != 0)
			continue;
		*out += one;
		any = true;
	}
	closedir(d);
	return any;
}

static struct value read_switches(const struct track *t, const struct proc *p)
{
	char path[PROCFS_PATH_MAX];
	uint64_t v;
	bool ok;

	if (p->stat.threads > 1) {
		ok = thread_switches(t->measure->proc_root, p->pid, &v);
	} else {
		procfs_path(path, t->measure->proc_root, p->pid, "status");
		ok = procfs_read_switches(path, &v) == 0;
	}
	if (!ok)
		return (struct value){0, VALUE_UNREADABLE};
	/* Threads that ended have taken theirs along. */
	return (struct value){(int64_t)v, p->threaded ? VALUE_AT_LEAST : VALUE_OK};
}

static void read_io(const struct track *t, const struct proc *p, struct value out[2])
{
	char path[PROCFS_PATH_MAX];
	struct procio io;

	out[0] = out[1] = (struct value){0, VALUE_UNREADABLE};
	procfs_path(path, t->measure->proc_root, p->pid, "io");
	if (procfs_read_io(path, &io) != 0)
		return;
	out[0] = value_of((int64_t)io.read_bytes);
	out[1] = value_of((int64_t)io.write_bytes);
}

void track_extras(struct track *t)
{
	for (int tries = 0; tries < EXTRAS_TRIES; tries++) {
		for (size_t n = 0; n < t->tree.n; n++) {
			struct proc *p = t->tree.procs[n];
			struct procinfo *i = track_info(p);

			if (i->threads)
				threads_extras(t, p);
			else
				i->switches = read_switches(t, p);
			read_io(t, p, i->io);
		}
		/* What somebody did who ended meanwhile was on its way to its parent. */
		if (proctree_same(&t->tree))
			break;
	}
}

/* The living, without the monitors, and the last that was seen of the dead. */
struct value track_switches(const struct track *t)
{
	struct value sum = value_of(t->switches_gone);
	bool some_lost = t->tree.exits > 0;

	for (size_t n = 0; n < t->tree.n; n++) {
		const struct proc *p = t->tree.procs[n];
		const struct procinfo *i = p->data;

		if (proc_ledger_ns(p) > 0)
			some_lost = true;
		if (!i || p->pid == t->tree.root || i->part == PART_MONITOR)
			continue;
		sum = value_add(sum, i->switches);
	}
	if (some_lost && sum.state == VALUE_OK)
		sum.state = VALUE_AT_LEAST;
	return sum;
}

struct value track_io(struct track *t, unsigned which)
{
	uint64_t before = which ? t->keeper_io.write_bytes : t->keeper_io.read_bytes;
	struct value sum = value_of(-(int64_t)before);

	for (size_t n = 0; n < t->tree.n; n++) {
		const struct procinfo *i = t->tree.procs[n]->data;

		sum = value_add(sum, i ? i->io[which] : (struct value){0, VALUE_UNREADABLE});
	}
	if (!value_known(sum))
		return sum;
	/* Children that nobody reaped took theirs along. */
	if (sum.v < t->io_held[which])
		return (struct value){t->io_held[which], VALUE_AT_LEAST};
	t->io_held[which] = sum.v;
	return sum;
}
