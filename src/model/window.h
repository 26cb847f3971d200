/* A window: a stretch of time with readings at both edges. Everything printed is a difference over
 * one. */
#ifndef CPUTOP_WINDOW_H
#define CPUTOP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/dialect.h"
#include "model/jobs_page.h"
#include "model/sample.h"

/* Counts that the database keeps of itself, read by cputop's own connection before the first and
 * after the second reading, never between. */
struct server_counts {
	struct value wal_bytes, rows_examined, buffers, checkpoints, autovacuums;
};

struct window {
	unsigned index; /* in the session, from 0 */
	unsigned run;   /* which run of the plan, from 0 */
	enum dialect dialect;
	char variant[64];
	unsigned order;  /* position of the run within its repeat block, from 0 */
	double rate;     /* jobs per second asked for; below 0 for max */
	unsigned repeat; /* from 0 */
	uint64_t start_wall_ns;
	uint64_t start_ns; /* monotonic */
	uint64_t length_ns;
	bool done; /* the second reading was taken */
	bool valid;
	char invalid_reason[200]; /* empty when valid */
	bool unbalanced; /* the backlog changed by more than max(concurrency, 2 % of the jobs) */
	struct sample before, after;
	struct usage_diff usage; /* after - before */
	struct usage monitor;    /* cputop's own connection within the window */
	struct jobs_counts jobs_before, jobs_after;
	struct jobs_counts jobs;     /* after - before */
	struct server_counts server; /* differences */
	struct value lost; /* enqueued jobs that the tables no longer have as waiting, running or
			      completed; set after the run */
};

void window_release(struct window *w);

#endif
