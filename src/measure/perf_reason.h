/* Why a counter cannot be had, in words for the user, and the least that would change it. */
#ifndef CPUTOP_PERF_REASON_H
#define CPUTOP_PERF_REASON_H

struct counter_roots;
struct counter_state;

/* error: the negative errno that opening it gave. */
void perf_reason(struct counter_state *out, int error, const struct counter_roots *roots);

#endif
