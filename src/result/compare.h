/*
 * Results from windows: medians, extremes, the change against the base with its interval and
 * verdict. Only valid windows count. With one window each there is a ratio and no verdict. Medians
 * of the per-job figures; the interval is a bootstrap of the ratio of medians from 4 windows each
 * (below that none can be given: the exact two-sided Mann-Whitney test cannot reach 0.05 with
 * fewer), floor 1 % for instructions, 5 % for cycles and CPU time.
 */
#ifndef CPUTOP_COMPARE_H
#define CPUTOP_COMPARE_H

#include <stddef.h>

#include "model/result.h"
#include "model/window.h"

#define COMPARE_MIN_WINDOWS 4 /* of each side, for an interval and a verdict */

/* One result for each (dialect, variant) in order of first appearance. base is the name of the base
 * variant. Returns how many were filled, at most max. */
size_t results_from_windows(const struct window *const *windows, size_t n, const char *base,
			    struct result *out, size_t max);
const char *
verdict_name(enum verdict v); /* "cheaper", "dearer", "same", "undecided"; "-" for NONE */

#endif
