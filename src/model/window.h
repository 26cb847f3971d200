/* A window: a stretch of time with readings at both edges. Everything printed is a difference over
 * one. */
#ifndef CPUTOP_WINDOW_H
#define CPUTOP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dialect.h"
#include "model/jobs_page.h"
#include "model/plans.h"
#include "model/sample.h"

/* Counts that the database keeps of itself, read by cputop's own connection before the first and
 * after the second reading, never between. */
enum server_count {
	SERVER_WAL_BYTES, /* of the binary log where there is one */
	SERVER_ROWS_EXAMINED,
	SERVER_BUFFERS, /* pages asked for, in memory or not */
	SERVER_CHECKPOINTS,
	SERVER_AUTOVACUUMS,
	SERVER_COUNTS
};
struct server_counts {
	struct value wal_bytes, rows_examined, buffers, checkpoints, autovacuums;
	const char *why[SERVER_COUNTS]; /* of those that are missing; borrowed, constant */
};
struct value *server_count(struct server_counts *c, enum server_count which);

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
	bool left;                /* not valid because it was ended by a wish, not by a fault */
	uint64_t queue_empty_ns;  /* --queued ran out, so long after the start; 0: not within it */
	bool unbalanced; /* the backlog changed by more than max(concurrency, 2 % of the jobs) */
	struct sample before, after;
	struct usage_diff usage; /* after - before */
	struct usage monitor;    /* cputop's own connection within the window */
	struct jobs_counts jobs_before, jobs_after;
	struct jobs_counts jobs;     /* after - before */
	struct server_counts server; /* differences */
	struct plan_counts plans;    /* differences */
	struct plan_count anew;      /* plan_counts_anew of it; without a name: none was */
	struct value lost; /* enqueued jobs that the tables no longer have as waiting, running or
			      completed; set after the run */
};

void window_release(struct window *w);

#endif
