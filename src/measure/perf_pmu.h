/* Which PMUs there are, and how instructions and cycles are asked of each. */
#ifndef CPUTOP_PERF_PMU_H
#define CPUTOP_PERF_PMU_H

#include <stddef.h>

#include "measure/perf_event.h"

#define PERF_PMUS_MAX 8

enum perf_index { PERF_INSTRUCTIONS, PERF_CYCLES };

struct perf_pmu {
	char name[40]; /* "cpu", "cpu_core", "armv8_cortex_a72" */
	struct perf_event_spec spec[PERF_PAIR];
};

/* One for each cluster of a hybrid x86 or heterogeneous arm64 processor, otherwise the generic
 * events alone. Returns how many, at least 1. */
size_t perf_pmus_find(const char *sys_root, struct perf_pmu out[PERF_PMUS_MAX]);

#endif
