/*
 * The threads of a database server that is one process (MySQL, MariaDB). A thread is tid and start
 * time: a tid that is in use again is another thread. What threads used that have ended is in the
 * clock of their process, and in no thread.
 */
#ifndef CPUTOP_MEASURE_THREADS_H
#define CPUTOP_MEASURE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/track.h"

struct thread {
	pid_t tid;
	uint64_t start;
	char comm[64];        /* its name as of the last reading */
	uint64_t cpu_ns;      /* never falls */
	struct procinfo info; /* without title */
	/* private */
	int stat_fd, schedstat_fd; /* owned; -1 when not kept */
};

struct threads {
	struct thread **items; /* owned, sorted by tid */
	size_t n, cap;
	pid_t pid;             /* whose they are */
	int64_t switches_gone; /* the last that was seen of those that ended or became a monitor */
};

/* Begins to follow the threads of p. */
void threads_begin(struct track *t, struct proc *p);
/* Who is there, and what each used so far; the clock of the process, read afterwards, holds all of
 * it. */
void threads_read(struct track *t, struct proc *p);
/* Gives each the part that its name tells, where the map has not told. */
void threads_find_parts(struct track *t, struct proc *p);
/* Context switches and I/O of each; the switches of the process are their sum. */
void threads_extras(struct track *t, struct proc *p);
struct thread *threads_find(const struct threads *ts, pid_t tid);
/* Ends with the process; NULL is fine. */
void threads_free(struct track *t, struct threads *ts);

#endif
