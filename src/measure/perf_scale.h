/*
 * From cumulative raw readings to a cumulative value that only grows, although the counter may have
 * run only part of the time: each difference is scaled on its own, by its own times. Where it did
 * not run at all between two readings there is nothing to scale: then it is the stretch so far that
 * says how much that was, or what is counted next. What was counted on several PMUs (clusters of a
 * hybrid processor) is added raw before: each of them runs only where its cluster does, and
 * together they run all the time.
 */
#ifndef CPUTOP_PERF_SCALE_H
#define CPUTOP_PERF_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/perf_event.h"
#include "model/value.h"

#define PERF_COVERAGE_MIN 0.95

struct perf_accum {
	struct perf_raw last; /* sums over the PMUs */
	uint64_t value;       /* scaled, cumulative */
	/* since the last edge */
	uint64_t enabled_ns, running_ns;
	uint64_t edge_value;
	uint64_t owed_ns; /* enabled time that is not in the value yet */
	bool scaled;      /* some difference was not covered in full */
	bool multiplexed; /* the last one was not */
	bool lost;        /* a reading since the last edge failed for good, or fell */
};

/* Adds raw readings of n PMUs: values and running times add up, the enabled time is the same for
 * all. Not valid when one of them is not. */
struct perf_raw perf_raw_sum(const struct perf_raw *raw, size_t n);
/* hybrid: running times of several PMUs never meet the enabled time exactly. Returns the value
 * with its state; a reading that is not valid gives UNREADABLE and changes nothing. */
struct value perf_accum_add(struct perf_accum *a, const struct perf_raw *now, bool hybrid);
/* Part of the time since the last edge that it ran; 1 when nothing was to be counted. */
double perf_accum_coverage(const struct perf_accum *a);
void perf_accum_edge(struct perf_accum *a);

#endif
