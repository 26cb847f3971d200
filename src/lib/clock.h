/* Time. Everything is uint64_t nanoseconds. Tests replace the monotonic clock with
 * clock_set_source. */
#ifndef CPUTOP_CLOCK_H
#define CPUTOP_CLOCK_H

#include <stdint.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S  1000000000ULL

uint64_t clock_now_ns(void);  /* CLOCK_MONOTONIC */
uint64_t clock_wall_ns(void); /* CLOCK_REALTIME */
/* source(arg) is called instead of the system's monotonic clock; NULL goes back to it. */
void clock_set_source(uint64_t (*source)(void *), void *arg);
/* Writes wall time as RFC 3339 in UTC with milliseconds ("2026-11-30T20:43:20.123Z"); out holds at
 * least 32 bytes. */
void clock_rfc3339(uint64_t wall_ns, char out[32]);
/* Cost of one clock_gettime call in ns: the mean of n calls (at least 1). */
uint64_t clock_read_cost_ns(unsigned n);

#endif
