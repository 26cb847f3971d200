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
#include "model/value.h"

struct counters;    /* a source that is open */
struct counter_set; /* the counters of one family or process */
struct err;

struct counter_reading {
	struct value instructions, cycles;
	double coverage;     /* since the last edge: part of the time that they ran */
	bool multiplexed;    /* they did not run all the time since the reading before */
	uint64_t enabled_ns; /* time that the counted were running; 0: nothing was ever counted */
};

struct counter_roots {
	const char *proc, *sys;
};

struct counter_ops {
	const char *name;
	/* Probes and fills info (user_only, instructions, cycles, parts). NULL with err: nothing
	 * can be counted; info then has the reasons. */
	struct counters *(*open)(const struct counter_roots *roots, struct counters_info *info,
				 struct err *err);
	void (*close)(struct counters *);
	/* family: with everything that pid starts later, from its exec on; otherwise this process
	 * alone, from now on. NULL with err. */
	struct counter_set *(*set_open)(struct counters *, pid_t pid, bool family, struct err *err);
	/* edge: coverage begins anew after this reading. */
	void (*set_read)(struct counter_set *, bool edge, struct counter_reading *out);
	void (*set_close)(struct counter_set *);
};

extern const struct counter_ops counters_perf, counters_none;

#endif
