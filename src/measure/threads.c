/*
 * The CPU time of a foreign thread is in its schedstat only: its clock answers to its own process
 * alone. All threads are read before the clock of their process, which is the sum of the same
 * numbers and of what the dead had, so what the process has beyond its threads never is negative.
 */
#include "config.h"

#include "measure/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/format.h"
#include "lib/xalloc.h"
#include "measure/fdbudget.h"
#include "measure/parts.h"

static void thread_path(char path[PROCFS_PATH_MAX], const struct track *t, pid_t pid, pid_t tid,
			const char *file)
{
	char name[64];

	snprintf(name, sizeof(name), "task/%d/%s", (int)tid, file);
	procfs_path(path, t->measure->proc_root, pid, name);
}

/* -1: the file is opened for each reading. */
static int keep_open(const struct track *t, pid_t pid, pid_t tid, const char *file)
{
	char path[PROCFS_PATH_MAX];
	int fd;

	if (!t->tree.real || !fdbudget_take(1))
		return -1;
	thread_path(path, t, pid, tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fdbudget_give(1);
	return fd;
}

static void close_kept(int fd)
{
	if (fd < 0)
		return;
	close(fd);
	fdbudget_give(1);
}

/* fd -1: it was not kept open. */
static ssize_t read_kept(int fd, const char *path, char *text, size_t size)
{
	return fd >= 0 ? procfs_pread(fd, text, size) : procfs_read(path, text, size);
}

static size_t find_index(const struct threads *ts, pid_t tid)
{
	size_t low = 0, high = ts->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ts->items[mid]->tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct thread *threads_find(const struct threads *ts, pid_t tid)
{
	size_t i = find_index(ts, tid);

	return i < ts->n && ts->items[i]->tid == tid ? ts->items[i] : NULL;
}

static void thread_free(struct track *t, struct threads *ts, struct thread *th)
{
	const struct procinfo *i = &th->info;

	if (i->part == PART_MONITOR)
		track_add_out(t->out, i);
	else
		ts->switches_gone += i->last[Q_SWITCHES];
	ended_note(t, i,
		   &(struct ended){
			   .pid = ts->pid, .tid = th->tid, .start = th->start, .thread = true});
	track_close_set(t, &th->info);
	close_kept(th->stat_fd);
	close_kept(th->schedstat_fd);
	free(th);
}

static void remove_at(struct track *t, struct threads *ts, size_t at)
{
	struct thread *th = ts->items[at];

	ts->n--;
	memmove(&ts->items[at], &ts->items[at + 1], (ts->n - at) * sizeof(struct thread *));
	thread_free(t, ts, th);
}

void threads_free(struct track *t, struct threads *ts)
{
	if (!ts)
		return;
	while (ts->n > 0)
		remove_at(t, ts, ts->n - 1);
	free(ts->items);
	free(ts);
}

/* What is there first is what the kernel has in ns; 0 where it keeps no such account. */
static uint64_t schedstat_ns(const char *text)
{
	char *end;
	unsigned long long v = strtoull(text, &end, 10);

	return end == text ? 0 : v;
}

/* Time first, then whether it still is the same: so the time is not another's. Returns 0, or a
 * negative errno when it has ended. */
static int refresh(const struct track *t, pid_t pid, struct thread *th, struct procstat *now)
{
	char path[PROCFS_PATH_MAX], sched[128] = "", text[PROCFS_STAT_MAX];
	uint64_t ns, ticks;
	ssize_t n;
	int r;

	thread_path(path, t, pid, th->tid, "schedstat");
	if (read_kept(th->schedstat_fd, path, sched, sizeof(sched)) < 0)
		sched[0] = '\0';
	thread_path(path, t, pid, th->tid, "stat");
	n = read_kept(th->stat_fd, path, text, sizeof(text));
	r = n < 0 ? (int)n : procfs_parse_stat(text, (size_t)n, now);
	if (r)
		return r;
	if (th->start && now->start != th->start)
		return -ESRCH;
	ns = schedstat_ns(sched);
	ticks = procfs_ticks_ns(now->utime + now->stime);
	if (ns == 0)
		ns = ticks;
	if (ns > th->cpu_ns)
		th->cpu_ns = ns;
	th->start = now->start;
	text_copy(th->comm, sizeof(th->comm), now->comm);
	return 0;
}

static void add_thread(struct track *t, struct proc *p, struct threads *ts, pid_t tid)
{
	struct thread *th = xcalloc(1, sizeof(*th));
	size_t at = find_index(ts, tid);
	struct procstat now;

	th->tid = tid;
	th->stat_fd = keep_open(t, p->pid, tid, "stat");
	th->schedstat_fd = keep_open(t, p->pid, tid, "schedstat");
	th->info.part = PART_OTHER;
	if (refresh(t, p->pid, th, &now) != 0) {
		thread_free(t, ts, th);
		return;
	}
	if (ts->n == ts->cap) {
		ts->cap = ts->cap ? ts->cap * 2 : 32;
		ts->items = xreallocarray(ts->items, ts->cap, sizeof(struct thread *));
	}
	memmove(&ts->items[at + 1], &ts->items[at], (ts->n - at) * sizeof(struct thread *));
	ts->items[at] = th;
	ts->n++;
}

/* Threads that are there, known ones first: a tid in use again is then free for its new owner. */
static void refresh_known(struct track *t, struct proc *p, struct threads *ts)
{
	for (size_t i = 0; i < ts->n;) {
		struct procstat now;
		int r = refresh(t, p->pid, ts->items[i], &now);

		/* For want of a descriptor the old figures stay. */
		if (r && r != -EMFILE && r != -ENFILE)
			remove_at(t, ts, i);
		else
			i++;
	}
}

static void add_new(struct track *t, struct proc *p, struct threads *ts)
{
	char path[PROCFS_PATH_MAX];
	struct dirent *e;
	DIR *d;

	procfs_path(path, t->measure->proc_root, p->pid, "task");
	d = opendir(path);
	if (!d)
		return;
	while ((e = readdir(d))) {
		const char *name = e->d_name;
		pid_t tid;

		if (procfs_next_pid(&name, &tid) && !*name && !threads_find(ts, tid))
			add_thread(t, p, ts, tid);
	}
	closedir(d);
}

void threads_begin(struct track *t, struct proc *p)
{
	struct procinfo *i = track_info(p);

	if (i->threads)
		return;
	i->threads = xcalloc(1, sizeof(*i->threads));
	i->threads->pid = p->pid;
	track_close_set(t, i); /* of its first thread, which gets one like the others */
	threads_read(t, p);
}

void threads_read(struct track *t, struct proc *p)
{
	struct threads *ts = track_info(p)->threads;

	refresh_known(t, p, ts);
	add_new(t, p, ts);
}

/* MariaDB's have the name of the process, but for a few of newer versions; those of MySQL have it
 * until they name themselves. */
void threads_find_parts(struct track *t, struct proc *p)
{
	struct threads *ts = track_info(p)->threads;

	for (size_t n = 0; n < ts->n; n++) {
		struct thread *th = ts->items[n];

		if (th->info.part_known || part_from_thread_name(th->comm, &th->info.part))
			continue;
		if (strcmp(th->comm, p->stat.comm) != 0)
			continue; /* it is other */
		th->info.part = PART_BACKGROUND;
		if (th->tid != p->pid && !th->info.asked)
			t->measure->wants_map = true;
	}
}

static struct value switches_of(const struct track *t, pid_t pid, pid_t tid)
{
	char path[PROCFS_PATH_MAX];
	uint64_t v;

	thread_path(path, t, pid, tid, "status");
	if (procfs_read_switches(path, &v) != 0)
		return (struct value){0, VALUE_UNREADABLE};
	return value_of((int64_t)v);
}

static void io_of(const struct track *t, pid_t pid, pid_t tid, struct value out[2])
{
	char path[PROCFS_PATH_MAX];
	struct procio io;

	thread_path(path, t, pid, tid, "io");
	out[0] = out[1] = (struct value){0, VALUE_UNREADABLE};
	if (procfs_read_io(path, &io) != 0)
		return;
	out[0] = value_of((int64_t)io.read_bytes);
	out[1] = value_of((int64_t)io.write_bytes);
}

void threads_extras(struct track *t, struct proc *p)
{
	struct procinfo *i = track_info(p);
	struct threads *ts = i->threads;
	struct value sum = {ts->switches_gone, VALUE_AT_LEAST};

	for (size_t n = 0; n < ts->n; n++) {
		struct thread *th = ts->items[n];

		th->info.switches = switches_of(t, p->pid, th->tid);
		io_of(t, p->pid, th->tid, th->info.io);
		/* One that has just ended leaves what was last seen of it. */
		if (th->info.part == PART_MONITOR)
			continue;
		sum.v += value_known(th->info.switches) ? th->info.switches.v
							: th->info.last[Q_SWITCHES];
	}
	i->switches = sum;
}
