/* Per-job and per-second figures of a window or of any stretch: the only place where counters are
 * divided by jobs. */
#ifndef CPUTOP_FIGURES_H
#define CPUTOP_FIGURES_H

#include <stdbool.h>

#include "model/model.h"
#include "model/result.h"
#include "model/window.h"

/* The value of a counter of a usage. */
struct value usage_counter(const struct usage *u, enum counter c);

/* The work of a window; why (may be NULL) gets the reason of one that is missing, else NULL. */
struct value window_work(const struct window *w, enum work k, const char **why);
/* The same per job, or per second of a window in which no job was meant to be. */
struct figure window_work_per(const struct window *w, enum work k, bool per_second);

/* out[ROLE_TOTAL] is the sum of the three roles before rounding; missing when one of them is. jobs
 * 0: all NONE. */
void figures_per_job(const struct usage_diff *d, uint64_t jobs,
		     struct figure out[ROLE_COUNT + 1][COUNTER_COUNT]);
void figures_per_second(const struct usage_diff *d,
			struct figure out[ROLE_COUNT + 1][COUNTER_COUNT]);

/* Per second; NONE when the time is too short for a rate (SAMPLE_RATE_NS). */
struct figure figure_rate(struct value v, uint64_t length_ns);

/* a / b; NONE when one of them is not known or b is not positive, otherwise the weaker state. */
struct figure figure_ratio(struct figure a, struct figure b);

/* Whether the backlog changed by more than max(concurrency, 2 % of the completed jobs). */
bool backlog_is_unbalanced(const struct jobs_counts *before, const struct jobs_counts *after,
			   uint64_t completed, unsigned concurrency);
bool window_is_unbalanced(const struct window *w, unsigned concurrency);
/* Jobs per second that were enqueued in it; 0 when it has no length. */
double window_reached_rate(const struct window *w);
/* The producer fell behind: at least 5 % and 2 jobs fewer were enqueued than the rate asks for. */
bool window_is_late(const struct window *w);
/* Fewer jobs completed than the live screen would divide by (MODEL_MIN_JOBS); not when the queue
 * was meant to be idle. */
bool window_has_few_jobs(const struct window *w);

/* Fills m->rows, nrows, enough_jobs, moves_apart, statements and commits from a stretch: roles in
 * order, after the database its parts that are there (never the monitor), the total. Exited and
 * other become one row when each is below 1 % of the total: then its part is PART_OTHER and there
 * is no row PART_EXITED. The shares of all rows are of one counter: instructions when the total has
 * them, else CPU time; so are the ratios to the base. With m->per_second figures are per second and
 * nothing is compared. base is the result of the base variant on this dialect, NULL when it has
 * none; its per-job medians give vs_base (of roles and total; parts have none). Below
 * MODEL_MIN_JOBS jobs, or per second below SAMPLE_RATE_NS, no figure is there. spread_ns is not
 * filled: see result/stretch.h.
 */
void figures_fill_rows(struct model *m, const struct usage_diff *d, const struct jobs_counts *jobs,
		       const struct result *base);

#endif
