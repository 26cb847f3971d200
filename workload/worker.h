/* The worker's state, shared by worker.c (claims), worker_complete.c (completions),
 * worker_keys.c (mutex keys) and worker_open.c (how it begins and ends). */
#ifndef CPUTOP_WORKER_H
#define CPUTOP_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "workload/hint.h"
#include "workload/pool.h"
#include "workload/program.h"

struct worker;

/* A job that was claimed and whose completion is not acknowledged. */
struct worker_job {
	struct worker_job *next;  /* in the queue of those to complete, or of those to use again */
	struct worker_job *older; /* in the list of all */
	struct worker *worker;    /* borrowed */
	char id[POOL_PARAM_MAX];
	uint64_t due_ns; /* 0: not known */
	int key;         /* its number; below 0: none */
	bool queued;     /* of --queued */
	uint64_t end_ns; /* when it lets go of its key */
};

/* What is done now and then; without text it is not. */
struct worker_task {
	struct worker *worker; /* borrowed */
	struct pool_statement statement;
	uv_timer_t timer;
	uint64_t first_ns, interval_ns, tick;
	bool due, running;
	_Atomic uint64_t *runs; /* in the page */
};
#define WORKER_TASKS 2

struct worker {
	struct program *program; /* borrowed, as is its page */
	struct jobs_page *page;
	struct pool pool;
	struct pool_statement complete;
	struct pool_statement claimed; /* without text: claims return their rows themselves */
	struct hint_receiver hints;    /* closed where the database wakes */
	/* index by limit, from 1 to concurrency; a statement without text is made when needed */
	struct pool_statement *claims; /* owned, with name and text */
	enum statement claim_kind;
	bool numbered; /* claims get a number that no other claim has */

	bool running, stopping;
	unsigned active;                  /* jobs claimed and not yet acknowledged */
	struct worker_job *first, **last; /* those that have run: their completion is not sent */
	unsigned waiting;                 /* how many these are */
	struct worker_job *unused;
	struct worker_job *newest; /* owned: all of them, by older */
	/* --mutex-keys */
	bool keyed;
	struct worker_job *held, **held_last; /* those that run, in the order of their ends */
	uv_timer_t hold_timer;
	/* complete = batch */
	uv_timer_t flush_timer;
	bool flush; /* those that wait are to be completed now */
	struct strbuf list;

	/* A sweep makes one claim for each name (or one for all), and waits while no slot is
	 * free. */
	bool wanted; /* a sweep is to be made, after the one under way */
	bool sweeping;
	bool claiming; /* its claim is under way, with the statement that reads what it took */
	unsigned name; /* of its next claim */
	unsigned limit;
	uint64_t token; /* the number of the last claim */
	bool has_slot;  /* it has kept its connection */
	unsigned slot;

	/* polls: on the grid start + i * interval */
	uv_timer_t poll;
	uint64_t start_ns, tick;
	struct worker_task tasks[WORKER_TASKS];
	char history[32];          /* --history, in seconds */
	bool poll_due, poll_swept; /* one came; the sweep under way is for it */
};

/* The claim with a limit, 1 to concurrency; made when it is first asked for. */
const struct pool_statement *worker_claim_statement(struct worker *w, unsigned limit);
void worker_set_active(struct worker *w, unsigned active);

/* A claimed job begins, with what the claim gave; worker_ran follows. */
void worker_hold(struct worker *w, struct worker_job *job, const char *key, const char *payload);
void worker_hold_cb(uv_timer_t *timer);
/* The tasks, from their handles to their end. */
void worker_tasks_open(struct worker *w);
void worker_tasks_start(struct worker *w);
void worker_tasks_step(struct worker *w); /* runs those that are due and find a connection */
void worker_tasks_stop(struct worker *w);
bool worker_tasks_running(const struct worker *w);
void worker_tasks_close(struct worker *w);
/* The next instant of the grid start + first + i * interval, after the tick that were there before;
 * those that were missed are not made up for. Counts it in tick, and returns how far away it is. */
uint64_t worker_grid_next(struct worker *w, uint64_t first_ns, uint64_t interval_ns,
			  uint64_t *tick);
/* How many jobs a claim may take. */
unsigned worker_free_slots(const struct worker *w);
/* A job has run: it is completed as soon as it may be. */
void worker_ran(struct worker *w, struct worker_job *job);
/* Completions wait for nothing but a connection. */
bool worker_completions_due(const struct worker *w);
void worker_send_completions(struct worker *w);

/* Does whatever can be done now: completions first, then claims. Call after each change. */
void worker_step(struct worker *w);
/* Asks for a sweep: a wake-up has arrived. */
void worker_wake(struct worker *w);

#endif
