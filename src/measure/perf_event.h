/*
 * perf_event_open for a pair of events on one process. What is counted is given as type and config,
 * so the same code serves hardware counters, the counters of one processor cluster, and software
 * events where there is no PMU.
 */
#ifndef CPUTOP_PERF_EVENT_H
#define CPUTOP_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_PAIR 2

struct perf_event_spec {
	uint32_t type;
	uint64_t config;
};

/* Two events that are counted together, or each alone where the kernel refuses that. */
struct perf_pair {
	int fd[PERF_PAIR];    /* -1: could not be opened */
	int error[PERF_PAIR]; /* why: negative errno; 0 when open */
	bool grouped;
};

struct perf_mode {
	bool family; /* inherited by everything started later; counts from the next exec on */
	bool user_only;
};

/* One reading of one event: cumulative; the times are sums over the tasks that are counted. */
struct perf_raw {
	bool valid;
	uint64_t value, enabled_ns, running_ns;
};

/* Opens what can be had of the two; wanted[i] false: leaves it out. Returns how many are open. */
int perf_pair_open(struct perf_pair *p, const struct perf_event_spec spec[PERF_PAIR],
		   const bool wanted[PERF_PAIR], pid_t pid, const struct perf_mode *mode);
void perf_pair_read(const struct perf_pair *p, struct perf_raw out[PERF_PAIR]);
void perf_pair_close(struct perf_pair *p);

#endif
