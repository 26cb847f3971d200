/*
 * A reading is: the children of each (who is new), every clock, every stat (who is alive). When a
 * ledger (cutime + cstime) is another than it was before, or somebody ended, a child's time was on
 * its way from its clock to its parent's ledger and could count twice or not at all: read again,
 * READ_TRIES times at most.
 *
 * A children file may leave somebody out while siblings end, so a process that is known stays until
 * its own stat file says that it ended, whoever lists it.
 */
#include "config.h"

#include "measure/proctree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/xalloc.h"
#include "measure/fdbudget.h"

#define READ_TRIES   7
#define CHILDREN_MAX (1 << 20)

uint64_t proc_ledger_ns(const struct proc *p)
{
	return procfs_ticks_ns(p->stat.cutime) + procfs_ticks_ns(p->stat.cstime);
}

/* Where pid is, or would be. */
static size_t find_index(const struct proctree *t, pid_t pid)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->procs[mid]->pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct proc *proctree_find(const struct proctree *t, pid_t pid)
{
	size_t i = find_index(t, pid);

	return i < t->n && t->procs[i]->pid == pid ? t->procs[i] : NULL;
}

static void proc_free(struct proc *p)
{
	if (p->stat_fd >= 0) {
		close(p->stat_fd);
		fdbudget_give(1);
	}
	if (p->children_fd >= 0) {
		close(p->children_fd);
		fdbudget_give(1);
	}
	free(p);
}

/* A descriptor to keep, or -1: then the file is opened for each reading. */
static int keep_open(const char *path)
{
	int fd;

	if (!fdbudget_take(1))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fdbudget_give(1);
	return fd;
}

static int read_stat(const struct proctree *t, int fd, pid_t pid, struct procstat *out)
{
	char path[PROCFS_PATH_MAX], text[PROCFS_STAT_MAX];
	ssize_t n;

	if (fd >= 0) {
		n = procfs_pread(fd, text, sizeof(text));
	} else {
		procfs_path(path, t->root_dir, pid, "stat");
		n = procfs_read(path, text, sizeof(text));
	}
	if (n == -ENOENT)
		return -ESRCH;
	if (n < 0)
		return (int)n;
	return procfs_parse_stat(text, (size_t)n, out);
}

/* Without a descriptor of its own left, a reading may fail for want of one: then the old figures
 * stay, and the process too. */
static int proc_refresh(const struct proctree *t, struct proc *p)
{
	struct procstat now;
	int r = read_stat(t, p->stat_fd, p->pid, &now);

	if (r == -EMFILE || r == -ENFILE)
		return 0;
	if (r)
		return r;
	if (now.start != p->start)
		return -ESRCH;
	p->stat = now;
	if (now.threads > 1)
		p->threaded = true;
	return 0;
}

void proctree_read_clock(struct proc *p)
{
	struct timespec ts;
	uint64_t now;

	if (!p->has_clock)
		now = procfs_ticks_ns(p->stat.utime) + procfs_ticks_ns(p->stat.stime);
	else if (clock_gettime(p->clock, &ts) == 0)
		now = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	else
		return; /* it has just ended: the second look at its stat says so */
	if (now > p->cpu_ns)
		p->cpu_ns = now;
}

/* Opens and inserts; parents_only: its parent must be in the tree (the pid may be somebody else's
 * by now). */
static int add_proc(struct proctree *t, pid_t pid, bool parents_only)
{
	char path[PROCFS_PATH_MAX];
	struct proc *p = xcalloc(1, sizeof(*p));
	size_t i = find_index(t, pid);
	int r;

	p->pid = pid;
	p->children_fd = -1;
	procfs_path(path, t->root_dir, pid, "stat");
	p->stat_fd = keep_open(path);
	r = read_stat(t, p->stat_fd, pid, &p->stat);
	if (r == 0 && parents_only && !proctree_find(t, p->stat.ppid))
		r = -ESRCH;
	if (r) {
		proc_free(p);
		return r;
	}
	p->start = p->stat.start;
	p->threaded = p->stat.threads > 1;
	p->has_clock = t->real && clock_getcpuclockid(pid, &p->clock) == 0;
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 16;
		t->procs = xreallocarray(t->procs, t->cap, sizeof(*t->procs));
	}
	memmove(&t->procs[i + 1], &t->procs[i], (t->n - i) * sizeof(*t->procs));
	t->procs[i] = p;
	t->n++;
	return 0;
}

static void drop_proc(struct proctree *t, size_t i)
{
	struct proc *p = t->procs[i];

	t->vanished_ns += p->settled_cpu_ns + p->settled_ledger_ns;
	t->exits++;
	if (t->on_gone)
		t->on_gone(t->arg, p);
	proc_free(p);
	t->n--;
	memmove(&t->procs[i], &t->procs[i + 1], (t->n - i) * sizeof(*t->procs));
}

int proctree_init(struct proctree *t, const char *proc_root, pid_t root)
{
	memset(t, 0, sizeof(*t));
	strbuf_init(&t->text);
	if ((size_t)snprintf(t->root_dir, sizeof(t->root_dir), "%s", proc_root) >=
	    sizeof(t->root_dir))
		return -ENAMETOOLONG;
	t->root = root;
	t->real = strcmp(proc_root, "/proc") == 0;
	return add_proc(t, root, false);
}

void proctree_release(struct proctree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->on_gone)
			t->on_gone(t->arg, t->procs[i]);
		proc_free(t->procs[i]);
	}
	free(t->procs);
	t->procs = NULL;
	t->n = t->cap = 0;
	strbuf_release(&t->text);
}

bool proctree_same(struct proctree *t)
{
	bool same = true;

	for (size_t i = 0; i < t->n;) {
		struct proc *p = t->procs[i];
		uint64_t before = p->stat.cutime + p->stat.cstime;

		if (proc_refresh(t, p) != 0) {
			same = false;
			drop_proc(t, i);
			continue;
		}
		if (p->stat.cutime + p->stat.cstime != before)
			same = false;
		i++;
	}
	return same;
}

/* The whole file, in pieces of a page as the kernel gives them. One call where there are no
 * children. */
static int read_list(int fd, struct strbuf *out)
{
	char page[4096];
	off_t at = 0;
	ssize_t n;

	do {
		n = pread(fd, page, sizeof(page), at);
		if (n < 0)
			return -errno;
		strbuf_add(out, page, (size_t)n);
		at += n;
	} while (n > 0 && at < CHILDREN_MAX);
	return 0;
}

/* Appends the children of one thread. */
static int read_children(struct proctree *t, pid_t pid, pid_t tid)
{
	char name[48], path[PROCFS_PATH_MAX];
	int fd, r;

	snprintf(name, sizeof(name), "task/%d/children", (int)tid);
	procfs_path(path, t->root_dir, pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = read_list(fd, &t->text);
	close(fd);
	return r;
}

static void read_children_of_threads(struct proctree *t, pid_t pid)
{
	char path[PROCFS_PATH_MAX];
	struct dirent *e;
	DIR *d;

	procfs_path(path, t->root_dir, pid, "task");
	d = opendir(path);
	if (!d)
		return;
	while ((e = readdir(d))) {
		const char *name = e->d_name;
		pid_t tid;

		/* A thread that ended meanwhile has handed its children on. */
		if (procfs_next_pid(&name, &tid))
			read_children(t, pid, tid);
	}
	closedir(d);
}

/* Fills t->text with the pids of its children. */
static void list_children(struct proctree *t, struct proc *p)
{
	int r;

	strbuf_reset(&t->text);
	if (p->stat.threads > 1) {
		read_children_of_threads(t, p->pid);
		return;
	}
	if (p->children_fd < 0) {
		char name[48], path[PROCFS_PATH_MAX];

		snprintf(name, sizeof(name), "task/%d/children", (int)p->pid);
		procfs_path(path, t->root_dir, p->pid, name);
		p->children_fd = keep_open(path);
	}
	if (p->children_fd >= 0)
		r = read_list(p->children_fd, &t->text);
	else
		r = read_children(t, p->pid, p->pid);
	/* A kernel without these files: the process is there, the file is not. */
	if (r == -ENOENT && proc_refresh(t, p) == 0)
		t->scan = true;
}

/* Adds the children of procs[i] that are new. True when there were any. */
static bool add_children(struct proctree *t, struct proc *p)
{
	const char *at;
	bool added = false;
	pid_t pid;

	list_children(t, p);
	at = t->text.buf;
	while (procfs_next_pid(&at, &pid))
		if (!proctree_find(t, pid) && add_proc(t, pid, true) == 0)
			added = true;
	return added;
}

static void find_by_lists(struct proctree *t)
{
	struct proc **todo = NULL;
	size_t n, cap = 0;

	/* Adding moves the array, so a round works on a copy; the next one on all again only when
	 * somebody was added. */
	bool again = true;

	while (again && !t->scan) {
		again = false;
		n = t->n;
		if (n > cap) {
			cap = n * 2;
			todo = xreallocarray(todo, cap, sizeof(*todo));
		}
		memcpy(todo, t->procs, n * sizeof(*todo));
		for (size_t i = 0; i < n; i++)
			if (add_children(t, todo[i]))
				again = true;
	}
	free(todo);
}

/* One pass over all processes: true when a child of the tree was added, whose own children may have
 * passed already. */
static bool scan_once(struct proctree *t)
{
	bool added = false;
	struct dirent *e;
	DIR *d = opendir(t->root_dir);

	if (!d)
		return false;
	while ((e = readdir(d))) {
		const char *name = e->d_name;
		pid_t pid;

		if (!procfs_next_pid(&name, &pid) || *name || proctree_find(t, pid))
			continue;
		if (add_proc(t, pid, true) == 0)
			added = true;
	}
	closedir(d);
	return added;
}

static void find_new(struct proctree *t)
{
	if (!t->scan)
		find_by_lists(t);
	if (t->scan)
		while (scan_once(t))
			;
}

int proctree_read(struct proctree *t)
{
	bool same = false;

	/* What was read last time is the "before": where nothing has moved since, one round does.
	 */
	for (int i = 0; i < READ_TRIES && !same && proctree_find(t, t->root); i++) {
		find_new(t);
		for (size_t j = 0; j < t->n; j++)
			proctree_read_clock(t->procs[j]);
		same = proctree_same(t);
	}
	t->unsettled = !same;
	return proctree_find(t, t->root) ? 0 : -ESRCH;
}
