/*
 * The jobs page: memory shared by cputop, the worker and the producer of one run, a memfd sealed
 * against resizing. The load counts in it with relaxed atomics, without a system call per job;
 * cputop reads it in the same instant as the counters. Every count only grows, except where said.
 * The writer of each field is named in the comments.
 */
#ifndef CPUTOP_JOBS_PAGE_H
#define CPUTOP_JOBS_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/histogram.h"
#include "model/workload.h"

struct err;

#define JOBS_PAGE_MAGIC   0x4a505443u /* "CTPJ" */
#define JOBS_PAGE_VERSION 5
/* Sequence numbers that the bitmap tells apart: the newest half of it is exact. */
#define JOBS_PAGE_SEQS     (1u << 24)
#define JOBS_PAGE_RATE_MAX UINT64_MAX

/* A histogram that one role writes, all its processes. */
struct shared_histogram {
	_Atomic uint64_t n[HISTOGRAM_BUCKETS];
	_Atomic uint64_t sum_ns;
	_Atomic uint64_t sum2_us; /* sum of squares, us^2 */
	_Atomic uint64_t max_ns;  /* cputop may exchange it with 0 */
};

struct jobs_page {
	uint32_t magic, version;
	uint64_t size;

	/* cputop writes */
	/* wanted rate in jobs per 1000 s; JOBS_PAGE_RATE_MAX for --rate max */
	_Atomic uint64_t rate_mjobs;

	uint64_t queued; /* jobs of --queued; before the load is started */

	/* the producer writes */
	_Atomic uint64_t enqueued; /* acknowledged by the database */
	_Atomic uint64_t enqueue_failed;
	_Atomic uint64_t enqueue_retried;
	_Atomic uint64_t late_jobs; /* sent more than 1 ms after they were due */
	/* how long after they were due jobs were sent, the late ones and the others; nothing at the
	 * rate max */
	struct shared_histogram lateness;
	_Atomic uint64_t producer_statements;
	_Atomic uint64_t producer_commits;

	/* the workers write */
	/* UDP on loopback, where each worker hears of new jobs; 0: by the database */
	_Atomic uint64_t hint_ports[WORKLOAD_WORKERS_MAX];
	_Atomic uint64_t completed;       /* completion acknowledged, exactly one row changed */
	_Atomic uint64_t queue_completed; /* of these: jobs of --queued */
	_Atomic uint64_t queue_empty_ns;  /* when the last of them was completed; 0: not yet */
	/* a job began while another one of its key ran; a job got another key than it was enqueued
	 * with */
	_Atomic uint64_t mutex_overlaps, mutex_wrong_keys;
	_Atomic uint64_t failed;
	_Atomic uint64_t retried;
	_Atomic uint64_t duplicates; /* a job started a second time, or a completion that did not
					change one row */
	_Atomic uint64_t running;    /* jobs being run now (goes up and down) */
	_Atomic uint64_t worker_statements;
	_Atomic uint64_t worker_commits;
	_Atomic uint64_t claims; /* claim statements */
	_Atomic uint64_t claims_empty;
	_Atomic uint64_t polls;           /* that have ended, with every claim they made */
	_Atomic uint64_t prunes, rescues; /* tasks that have ended */
	_Atomic uint64_t notifications;   /* wake-ups that arrived */
	/* latency from the instant a job was due to the acknowledgement of its completion */
	struct shared_histogram latency;

	/* jobs that run with a key, of all workers; the last is the queue's (up and down) */
	_Atomic uint64_t holders[WORKLOAD_KEYS_MAX + 1];
	_Atomic uint64_t
		ran[JOBS_PAGE_SEQS / 64]; /* bit seq % JOBS_PAGE_SEQS: this job was started */
};

/* A plain copy of the counts, taken at one instant: what a window keeps of both its edges. */
struct jobs_counts {
	uint64_t enqueued, enqueue_failed, late_jobs;
	uint64_t completed, failed, retried, duplicates;
	uint64_t queue_completed, mutex_overlaps, mutex_wrong_keys;
	uint64_t worker_statements, worker_commits, producer_statements, producer_commits;
	uint64_t claims, claims_empty, polls, prunes, rescues, notifications;
	struct histogram latency, lateness;
};

static inline uint64_t jobs_page_get(const _Atomic uint64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

static inline void jobs_page_add(_Atomic uint64_t *count, uint64_t n)
{
	atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

/* Makes a sealed page. *fd is close-on-exec and owned by the caller, as is the mapping
 * (jobs_page_unmap). Returns NULL with err when it cannot be made. */
struct jobs_page *jobs_page_create(int *fd, struct err *err);
/* Maps the page of another process; refuses (NULL, err) one that is not sealed, too small or of
 * another version. */
struct jobs_page *jobs_page_map(int fd, struct err *err);
void jobs_page_unmap(struct jobs_page *page); /* NULL is fine */

void jobs_page_read(const struct jobs_page *page, struct jobs_counts *out);
/* out = b - a, field by field; of the histograms max is b's. */
void jobs_counts_diff(const struct jobs_counts *a, const struct jobs_counts *b,
		      struct jobs_counts *out);
/* Jobs that were enqueued and not yet completed or failed; those of --queued are not in it. */
uint64_t jobs_counts_waiting(const struct jobs_counts *c);

/* For the worker. A job with this key begins, or ends. */
void jobs_page_hold(struct jobs_page *page, unsigned key);
void jobs_page_unhold(struct jobs_page *page, unsigned key);
/* A job of --queued is completed. */
void jobs_page_queue(struct jobs_page *page, uint64_t now_ns);
/* Marks seq as started; false when it was already (run twice). */
bool jobs_page_mark(struct jobs_page *page, uint64_t seq);
/* For worker and producer. */
void shared_histogram_add(struct shared_histogram *h, uint64_t ns);

#endif
