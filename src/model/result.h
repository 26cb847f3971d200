/* What the windows of one variant on one dialect come to. */
#ifndef CPUTOP_RESULT_H
#define CPUTOP_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/histogram.h"
#include "model/dialect.h"
#include "model/plans.h"
#include "model/sample.h"
#include "model/value.h"

/* Work that can be counted exactly on any machine. */
enum work {
	WORK_STATEMENTS, /* of worker and producer */
	WORK_COMMITS,
	WORK_LOG_BYTES, /* WAL, or the binary log; from here on counted by the server */
	WORK_ROWS,      /* examined */
	WORK_BUFFERS,   /* pages asked for */
	WORK_COUNT
};

enum counter { COUNTER_INSTRUCTIONS, COUNTER_CYCLES, COUNTER_CPU_NS, COUNTER_COUNT };

#define ROLE_TOTAL ROLE_COUNT /* index of the sum of the three roles in the arrays below */

/* Median, extremes and number of the per-job figures of the valid windows. */
struct spread {
	struct figure median, min, max;
	unsigned n;
};

enum verdict { VERDICT_NONE, VERDICT_UNDECIDED, VERDICT_CHEAPER, VERDICT_DEARER, VERDICT_SAME };

struct change {
	struct figure ratio;        /* of the medians, against the base */
	double ci95_low, ci95_high; /* 0 and 0 when there are too few windows */
	enum verdict verdict;
};

struct result {
	enum dialect dialect;
	char variant[64];
	double rate;      /* jobs per second asked for; below 0 for max */
	unsigned windows; /* valid ones */
	unsigned invalid;
	unsigned left; /* of the invalid ones: ended by a wish */
	uint64_t jobs;
	bool unbalanced, scaled;
	double reached; /* jobs per second enqueued, of the window that was latest; 0: none was */
	bool few_jobs;  /* a window has too few jobs for figures per job to mean much */
	bool events_differ; /* checkpoints or autovacuums fell into windows of one side only */
	uint64_t duplicates, lost, mutex_overlaps, mutex_wrong_keys;
	double queue_empty_s; /* --queued ran out so far into a window; below 0: in none */
	struct spread per_job[ROLE_COUNT + 1][COUNTER_COUNT];
	bool idle; /* no job completed in any valid window: an idle queue, looked at per second */
	struct spread per_second[ROLE_COUNT + 1][COUNTER_COUNT];
	struct spread work_per_job[WORK_COUNT], work_per_second[WORK_COUNT];
	struct histogram latency;         /* of all its windows */
	const char *work_why[WORK_COUNT]; /* of one that is missing in a window; constant */
	struct plan_count anew; /* of the window with most of them; without a name: none was */
	bool is_base;
	bool has_change; /* a base with a valid window on the same dialect is there */
	char base[64];
	struct change change[COUNTER_COUNT]; /* of the total */
};

/* What a table shows of it: per job; of an idle queue per second. */
static inline const struct spread *result_work(const struct result *r, enum work k)
{
	return &(r->idle ? r->work_per_second : r->work_per_job)[k];
}

static inline const struct spread *result_cost(const struct result *r, unsigned role,
					       enum counter c)
{
	return &(r->idle ? r->per_second : r->per_job)[role][c];
}

/* Whether the variant is wrong, whatever it costs. */
static inline bool result_is_broken(const struct result *r)
{
	return r->duplicates || r->lost || r->mutex_overlaps || r->mutex_wrong_keys;
}

#endif
