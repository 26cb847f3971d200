/*
 * Counter sources. Each is a table of functions; what they count is instructions and cycles of a
 * family (everything below a keeper, dead or alive) or of one process. Readings are cumulative.
 */
#ifndef CPUTOP_MEASURE_COUNTERS_H
#define CPUTOP_MEASURE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/counters.h"
#include "model/sample.h"
#include "model/value.h"

struct counters;    /* a source that is open */
struct counter_set; /* the counters of one family or process */
struct err;
struct icount_options;
struct run_prefix;

struct counter_reading {
	struct value instructions, cycles;
	double coverage;     /* since the last edge: part of the time that they ran */
	bool multiplexed;    /* they did not run all the time since the reading before */
	uint64_t enabled_ns; /* time that the counted were running; 0: nothing was ever counted */
};

struct counter_roots {
	const char *proc, *sys;
	const struct icount_options *icount; /* NULL: there is none */
};

struct counter_ops {
	const char *name;
	bool whole_process; /* the set of a process has all its threads, and from its beginning */
	bool no_cpu;        /* what it counts runs so differently that CPU time means nothing */
	/* Probes and fills info (user_only, instructions, cycles, parts). NULL with err: nothing
	 * can be counted; info then has the reasons. */
	struct counters *(*open)(const struct counter_roots *roots, struct counters_info *info,
				 struct err *err);
	void (*close)(struct counters *);
	/* What the sets of this role are to be opened with; NULL: this role is not counted. A
	 * source without this function counts all roles alike. */
	struct counters *(*of_role)(struct counters *, enum role role);
	/* How the programs of that role are to be started, for it to be counted; may be NULL. */
	const struct run_prefix *(*prefix)(const struct counters *of_role);
	/* family: with everything that pid starts later, from its exec on; otherwise this process
	 * alone, from now on. NULL with err. */
	struct counter_set *(*set_open)(struct counters *, pid_t pid, bool family, struct err *err);
	/* A thread of that process. NULL: a thread is a pid to set_open, or with whole_process
	 * nothing is known of single threads. */
	struct counter_set *(*thread_open)(struct counters *, pid_t pid, pid_t tid);
	/* edge: coverage begins anew after this reading. */
	void (*set_read)(struct counter_set *, bool edge, struct counter_reading *out);
	void (*set_close)(struct counter_set *);
};

extern const struct counter_ops counters_perf, counters_icount, counters_none;

#endif
