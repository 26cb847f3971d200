/* What the counters say about the loop of known length: for those who want to see it. */
#ifndef CPUTOP_PERF_TRY_H
#define CPUTOP_PERF_TRY_H

#include <stdbool.h>
#include <stdint.h>

#include "model/value.h"

struct counter_roots;

struct perf_trial {
	uint32_t turns;
	uint64_t expected; /* instructions of the loop alone; 0: not known on this processor */
	uint64_t cpu_ns;   /* of this thread */
	bool user_only;
	struct value instructions, cycles; /* NONE: cannot be counted */
};

/* Runs the loop once, with both counters where they can be opened. */
void perf_try_loop(struct perf_trial *out, const struct counter_roots *roots);

#endif
