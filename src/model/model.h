/*
 * All that a screen shows. The session fills it (src/app), the ui reads it through a const pointer
 * and draws; it keeps no pointer into it between draws. Figures are ready to print: divided and
 * decided, not formatted.
 */
#ifndef CPUTOP_MODEL_H
#define CPUTOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/histogram.h"
#include "model/counters.h"
#include "model/dialect.h"
#include "model/host.h"
#include "model/messages.h"
#include "model/result.h"
#include "model/sample.h"
#include "model/value.h"
#include "model/variant.h"
#include "model/workload.h"

/* What the session is doing now. */
enum phase {
	PHASE_IDLE,     /* nothing runs (a run failed, or the session is about to end) */
	PHASE_SERVER,   /* finding, initialising, starting the server */
	PHASE_TABLES,   /* fresh tables */
	PHASE_FILLING,  /* names, prefill */
	PHASE_SETTLING, /* VACUUM ANALYZE, CHECKPOINT */
	PHASE_STARTING, /* worker and producer */
	PHASE_WARMUP,
	PHASE_ALIGN, /* waiting for the worker's maintenance tick, so that a window starts right
			after it */
	PHASE_WINDOW,
	PHASE_LIVE,     /* between windows: figures of the sliding last 10 s */
	PHASE_STOPPING, /* producer stops, worker drains */
	PHASE_COUNT
};
const char *phase_name(
	enum phase p); /* "initialising the server", "filling tables", "warm-up", "window", ... */

/* Figures over one stretch of time, per job (or per second when the queue is idle). */
struct cost {
	struct figure counters[COUNTER_COUNT]; /* counts and ns */
	struct figure ipc;                     /* instructions per cycle */
	struct figure ghz;                     /* cycles per ns of CPU */
	struct figure cpu_pct;                 /* of one CPU, over elapsed time */
	struct figure csw, read_bytes, written_bytes;
	struct figure share;     /* 0..1 of the total: of instructions, without them of CPU time */
	struct figure spread_ns; /* half of the range of the CPU figure within the stretch, as +- */
	struct figure
		vs_base; /* ratio to the same row of the base variant: instructions, else CPU */
	unsigned processes;
};

/* A row of the live table: a role, one of its parts, or the total. */
struct cost_row {
	enum { ROW_ROLE, ROW_PART, ROW_TOTAL } kind;
	enum role role;
	enum part part;
	struct cost cost;
};
#define MODEL_ROWS_MAX (ROLE_COUNT + PART_COUNT + 1)

/* A process, for the details that Enter opens and for H and c. Figures per second. */
struct process_line {
	pid_t pid, tid; /* tid 0: all threads of a process, each of which is a line too */
	bool thread;
	enum role role;
	enum part part;
	char title[128]; /* escaped */
	struct figure cpu_ns_s, instructions_s, cycles_s, csw_s, read_bytes_s, written_bytes_s;
};

/* A line of the results table. */
struct result_line {
	struct result result;
	enum {
		RESULT_NEXT,
		RESULT_STARTING,
		RESULT_RUNNING,
		RESULT_DONE,
		RESULT_LEFT, /* its only windows were ended by a key */
		RESULT_FAILED
	} state;
	bool current; /* the run that is on screen */
};

/* One second of progress, as pgbench prints it. */
struct progress_line {
	uint64_t at_ns; /* since the run's start */
	double jobs_s;  /* completed */
	double enqueued_s;
	double latency_mean_ns, latency_sd_ns;
	uint64_t latency_p50_ns, latency_p99_ns, latency_max_ns; /* 0 when no job completed */
	double late_mean_ns; /* how long after they were due jobs were sent */
	uint64_t waiting;
	struct figure cpu_pct[ROLE_COUNT];
	bool in_window;
};
#define MODEL_PROGRESS_MAX 600

#define MODEL_MIN_JOBS 20 /* nothing is divided by fewer on the live screen */

/* A fact of the environment screen. */
struct fact {
	char group[24]; /* "host", "counters", "database", "workload", "cputop" */
	char name[40];
	char value[160]; /* escaped; "-" when it does not apply, "?" when it could not be read */
	bool from_environment; /* a setting that came from a variable */
};
#define MODEL_FACTS_MAX 256

struct model {
	uint64_t generation; /* grows with each change */

	/* what runs */
	enum dialect dialect;
	char server_version[64]; /* empty until known */
	struct variant variant;
	char base[64]; /* the base variant */
	struct workload workload;
	double rate;                          /* in force now; < 0 for max */
	const struct counters_info *counters; /* borrowed; NULL until measuring begins */

	/* where it stands */
	enum phase phase;
	char phase_detail[120]; /* what it is waiting for: "initialising the data directory"; may be
				   empty */
	uint64_t phase_since_ns;
	double progress;   /* of the phase, 0..1; < 0 when not known */
	bool plan_running; /* "a": the whole plan */
	unsigned plan_done, plan_total;
	char failure[256]; /* why nothing runs (PHASE_IDLE), with the key that restarts; else empty
			    */

	/* the figures: over the open window from its start, or the last length_ns */
	bool window_open;
	uint64_t window_index;
	uint64_t window_elapsed_ns, window_length_ns;
	uint64_t basis_ns; /* stretch that the figures cover */
	bool per_second;   /* idle queue (rate 0): figures are per second, not per job */
	bool enough_jobs;  /* at least MODEL_MIN_JOBS in the stretch; otherwise the figures are not
			      there */
	struct cost_row rows[MODEL_ROWS_MAX];
	size_t nrows;
	struct figure cputop_ns_s, monitor_ns_s; /* not charged: CPU ns per second */
	struct figure idle_ns_s;    /* servers beside the one measured; VALUE_NONE: none is up */
	struct figure machine_ns_s; /* rest of the machine, tick-sampled */
	struct figure machine_ns_job;
	bool unbalanced;
	const char *moves_apart; /* one line when instructions and CPU move apart by more than 2x;
				    NULL otherwise */

	/* jobs, since the run's start */
	uint64_t jobs_completed, jobs_waiting, jobs_failed, jobs_duplicates, jobs_lost;
	uint64_t mutex_overlaps, mutex_wrong_keys;
	uint64_t latency_p50_ns, latency_p95_ns, latency_p99_ns,
		latency_max_ns;                          /* of the stretch; 0 when none */
	struct figure statements, commits;               /* per job, of the stretch */
	struct figure wal_bytes, rows_examined, buffers; /* the server's: of the last window */

	struct process_line *processes; /* owned by the session */
	size_t nprocesses;

	struct result_line *results; /* owned by the session */
	size_t nresults;

	struct progress_line progress_lines[MODEL_PROGRESS_MAX]; /* ring */
	size_t nprogress, progress_next;
	struct histogram latency;  /* of the stretch: from due to completed */
	struct histogram lateness; /* from due to sent: the producer's share of it */
	uint64_t late_jobs;        /* sent more than 1 ms late */

	struct messages messages;
	struct fact facts[MODEL_FACTS_MAX];
	size_t nfacts;

	double delay_s;
};

#endif
