/* What the queue is asked to do, and how a run is timed: the options of the workload. Times in ns.
 */
#ifndef CPUTOP_WORKLOAD_H
#define CPUTOP_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng;

#define WORKLOAD_WORKERS_MAX 64

struct workload {
	unsigned names;     /* job names; each has one pending job a year ahead */
	unsigned hot_names; /* the first hot_names names get hot_share of the jobs */
	double hot_share;   /* 0..1 */
	double rate;        /* jobs enqueued per second; 0: none (an idle queue) */
	bool rate_max; /* as fast as the pool allows, with at most backlog jobs waiting; rate then
			  has no meaning */
	unsigned backlog;
	unsigned workers;     /* worker processes */
	unsigned concurrency; /* jobs that each of them runs at the same time */
	unsigned pool;        /* connections of each worker's and of the producer's pool */
	uint64_t poll_interval_ns;
	uint64_t seed;
	unsigned completed;     /* completed jobs in the table beforehand */
	uint64_t history_ns;    /* completed jobs are deleted after so long; 0: never */
	unsigned payload_bytes; /* of each job */
	bool enqueue_tx;        /* in a transaction with other work; else by itself */
	unsigned enqueue_batch; /* jobs in one statement */
	unsigned mutex_keys;    /* 0: none; each job has one of so many keys */
	uint64_t hold_ns;       /* how long a job with a key runs */
	unsigned blocked;       /* due jobs beforehand that wait for WORKLOAD_BLOCKED_KEY */
	unsigned queued;        /* due jobs beforehand with WORKLOAD_QUEUE_KEY, which is free */
	uint64_t warmup_ns;
	uint64_t measure_ns; /* length of a window */
	unsigned repeat;     /* runs of each variant on each dialect */
};

/* The defaults: the workload of the reference. */
void workload_defaults(struct workload *w);

/* How often a worker prunes, where there is a history, and rescues; and when it does so first:
 * soon, so that a window, which begins right after the slowest, need not wait long for it. */
#define WORKLOAD_PRUNE_FIRST_NS  (4 * UINT64_C(1000000000))
#define WORKLOAD_RESCUE_FIRST_NS (6 * UINT64_C(1000000000))
#define WORKLOAD_PRUNE_NS        (10 * UINT64_C(1000000000))
#define WORKLOAD_RESCUE_NS       (15 * UINT64_C(1000000000))

#define WORKLOAD_KEYS_MAX    10000
#define WORKLOAD_BLOCKED_KEY "blocked"
#define WORKLOAD_QUEUE_KEY   "queue"
#define WORKLOAD_KEY_MAX     16
/* The i-th key: "key-0", "key-1", ... */
void workload_key(unsigned i, char out[WORKLOAD_KEY_MAX]);
/* The number of a key among mutex_keys, or mutex_keys for WORKLOAD_QUEUE_KEY; -1 for another. */
int workload_key_number(const struct workload *w, const char *key);

/* How far the backlog goes up and down with nothing wrong: what the workers take at once, or the
 * producer puts in at once. */
unsigned workload_backlog_swing(const struct workload *w);

#define WORKLOAD_NAME_MAX 24
/* The i-th job name, from 0: "job-0", "job-1", ... (the prefill statement of a variant makes the
 * same). */
void workload_name(unsigned i, char out[WORKLOAD_NAME_MAX]);
/* Draws the index of the next job's name: hot_share of them uniformly from the first hot_names, the
 * others uniformly from the rest (from all where one of the two groups is empty). One generator,
 * seeded with w->seed, so that every variant gets the same jobs. */
unsigned workload_next_name(const struct workload *w, struct rng *rng);

#endif
