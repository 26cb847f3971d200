/*
 * What one reading of the machine gives. All values are cumulative; the difference of two samples
 * (sample_diff) is what a window or the sliding live view shows. Rows are identified by pid and
 * start time, never by pid alone.
 */
#ifndef CPUTOP_SAMPLE_H
#define CPUTOP_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/value.h"

enum role { ROLE_WORKER, ROLE_PRODUCER, ROLE_DATABASE, ROLE_COUNT };

/* Parts of a role. PART_NONE is a process of the worker or producer. */
enum part {
	PART_NONE,
	PART_BACKEND,
	PART_PARALLEL, /* parallel worker */
	PART_CHECKPOINTER,
	PART_BGWRITER,
	PART_WALWRITER,
	PART_AV_LAUNCHER,
	PART_AV_WORKER,
	PART_LR_LAUNCHER, /* logical replication launcher */
	PART_POSTMASTER,
	PART_CONNECTION, /* from here on threads of MySQL and MariaDB */
	PART_LOG_WRITER,
	PART_LOG_FLUSHER,
	PART_PAGE_CLEANER,
	PART_PURGE,
	PART_IO,
	PART_SIGNAL,
	PART_BACKGROUND, /* any thread without a name of its own */
	PART_MONITOR,    /* cputop's own connection */
	PART_OTHER,      /* alive, not assigned */
	PART_EXITED,     /* the total minus everything above */
	PART_COUNT
};

const char *role_name(enum role r); /* "worker", "producer", "database" */
const char *
part_name(enum part p); /* "backend", "autovacuum worker", ...; "process" for PART_NONE */

/* P of the snapshot. */
struct usage {
	struct value instructions, instructions_user, cycles, cycles_user;
	struct value cpu_ns;
	struct value context_switches, read_bytes, written_bytes;
	double coverage; /* part of the time that the counters ran, 0..1; 1 when not multiplexed; 0
			    without */
	unsigned processes; /* alive at the reading; in a difference: at its end */
};

/* All values known and 0, coverage 1: what a sum begins with ({0} is missing, not zero). */
void usage_zero(struct usage *u);
/* into += u, value by value; coverage is the smaller one, processes are added. */
void usage_add(struct usage *into, const struct usage *u);
/* into -= u, value by value; coverage and processes stay as they are. */
void usage_sub(struct usage *into, const struct usage *u);

/* One process. Of MySQL and MariaDB one thread; and, with tid 0 and in no part, their process as a
 * whole, threads that ended included. */
struct proc_row {
	pid_t pid;
	pid_t tid;      /* = pid for a process and for its first thread */
	uint64_t start; /* field 22 of /proc/PID/stat */
	enum role role;
	enum part part;
	bool thread;   /* one of several, which are rows too */
	char comm[64]; /* as the kernel has it, not escaped */
	char *title; /* owned by the sample; command line or process title, not escaped, may be NULL
		      */
	struct usage usage; /* of this process or thread alone, children not included */
};

/* A process or thread of the database that ended, as it was last read. */
struct ended_row {
	pid_t pid, tid;
	uint64_t start;
	enum part part; /* a known one, never the monitor */
	bool thread;
	struct usage usage;
};

struct role_sample {
	struct usage total; /* everything below the keeper, dead or alive; of the database without
			       the monitor */
	bool present;
};

struct sample {
	uint64_t taken_ns; /* monotonic, the middle of the reading */
	uint64_t wall_ns;
	uint64_t cost_ns; /* how long the reading took */
	struct role_sample roles[ROLE_COUNT];
	struct usage cputop;      /* cputop itself with its keepers */
	uint64_t machine_busy_ns; /* elapsed x CPUs - idle - iowait - steal, from ticks */
	uint64_t machine_steal_ns;
	uint64_t idle_servers_ns; /* CPU time of the servers that are up beside the database */
	bool gap; /* a role lost more than 2 % of its time to children that nobody reaped (only seen
		     with a cgroup) */
	struct proc_row *rows; /* owned, sorted by role, pid, tid */
	size_t nrows;
	struct ended_row *ended; /* owned: the last ones, in the order of their ends */
	size_t nended;
	uint64_t ended_count; /* how many there were in all */
};

void sample_release(struct sample *s);
/* Frees the titles of the rows, where only differences are made with it from now on. */
void sample_drop_titles(struct sample *s);
/* Makes into a copy that owns its rows; what it held before is not released. */
void sample_copy(struct sample *into, const struct sample *from);

/* The same process in an earlier sample; NULL: it was not there, or another life of its pid was.
 * Both samples' rows are gone through in step: *ia is where a stands, 0 at first. */
const struct proc_row *sample_row_before(const struct sample *a, size_t *ia,
					 const struct proc_row *row);

/* The time between two samples that a rate may be over; 0: it is too short for the clocks of what
 * is running, or one of the readings took so long that its values are not of one time. a NULL: 0.
 */
#define SAMPLE_RATE_NS 95000000ULL /* a tenth of a second, for timers that come a little early */
uint64_t sample_rate_ns(const struct sample *a, const struct sample *b);

/* The difference of two samples. */
struct usage_diff {
	uint64_t length_ns;
	struct usage roles[ROLE_COUNT];
	struct usage parts[PART_COUNT]; /* of the database; PART_EXITED = total - all other parts
					   but the monitor, which is not in the total */
	bool has_part[PART_COUNT];      /* a process of this part was there */
	struct usage cputop;
	uint64_t machine_busy_ns, machine_steal_ns;
	uint64_t idle_servers_ns;
};

/* d = b - a. Rows that are in b only count from 0. What ended meanwhile counts for its part as far
 * as it was read; the rest, and what is not among b's ended any more, is in PART_EXITED. */
void sample_diff(const struct sample *a, const struct sample *b, struct usage_diff *d);

#endif
