/*
 * When jobs are due: an open loop. Job i of a pace is due at origin + i / rate, computed from the
 * origin each time, so that the rate does not drift and a late producer catches up.
 */
#ifndef CPUTOP_PACING_H
#define CPUTOP_PACING_H

#include <stdint.h>

#define PACING_NEVER UINT64_MAX

struct pacing {
	uint64_t origin_ns;
	uint64_t next;  /* number of the job that is due next */
	uint64_t mjobs; /* rate in jobs per 1000 s; 0: none is ever due */
};

/* Begins a pace at now. first is the number of its first job: 0 is due at once, 1 after one
 * interval (a rate that is changed again and again must not make jobs of its own). */
void pacing_start(struct pacing *p, uint64_t now_ns, uint64_t mjobs, uint64_t first);
/* When the next job is due; PACING_NEVER at rate 0. */
uint64_t pacing_due_ns(const struct pacing *p);
void pacing_advance(struct pacing *p, unsigned jobs);

#endif
