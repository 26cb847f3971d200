/*
 * The processes below a root (a keeper), and what they used. A process is pid and start time; a pid
 * that is in use again is another process. Each one keeps its stat file open: the kernel answers
 * ESRCH there after the end, even when the pid number lives again, which a CPU clock does not.
 *
 * proctree_read makes one guarded reading. Afterwards procs holds every process of the tree that
 * was alive or a zombie, sorted by pid, the root included, with its stat and its CPU clock.
 */
#ifndef CPUTOP_PROCTREE_H
#define CPUTOP_PROCTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "lib/strbuf.h"
#include "measure/procfs.h"

struct proc {
	pid_t pid;
	uint64_t start;
	struct procstat stat; /* of the last reading */
	uint64_t cpu_ns;      /* its own clock, threads that ended included */
	bool threaded;        /* had more than one thread when it was read */
	/* of the last finished reading, kept by cputime */
	uint64_t settled_cpu_ns, settled_ledger_ns;
	void *data; /* the owner's, see on_gone */
	/* private */
	int stat_fd, children_fd; /* owned; -1 when not kept */
	clockid_t clock;
	bool has_clock;
};

struct proctree {
	char root_dir[PROCFS_PATH_MAX]; /* "/proc" */
	pid_t root;
	struct proc **procs; /* owned, sorted by pid */
	size_t n, cap;
	uint64_t vanished_ns; /* settled clocks and ledgers of processes that ended; taken by
				 cputime */
	uint64_t exits;       /* processes that were in the tree and ended */
	bool unsettled;       /* the last reading changed under the hand until the end */
	/* Called before a process that ended is freed. May be NULL. */
	void (*on_gone)(void *arg, struct proc *p);
	void *arg;
	/* private */
	bool scan;          /* no children files: find children by their ppid */
	bool real;          /* the pids are those of this system */
	struct strbuf text; /* of children files */
};

/* Begins with the root. Returns 0 or a negative errno. */
int proctree_init(struct proctree *t, const char *proc_root, pid_t root);
void proctree_release(struct proctree *t); /* on_gone is called for each that is left */

/* Returns 0, or -ESRCH when the root is gone. */
int proctree_read(struct proctree *t);
/* Its clock again, for one that is alive. */
void proctree_read_clock(struct proc *p);
/* Reads every stat again. True when nobody ended and no ledger moved since they were read last. */
bool proctree_same(struct proctree *t);

struct proc *proctree_find(const struct proctree *t, pid_t pid);
/* The time of its reaped children, and of theirs. */
uint64_t proc_ledger_ns(const struct proc *p);

#endif
