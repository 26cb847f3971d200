/*
 * Completions. With "complete = single" a job that has run is completed by a statement of its own,
 * as soon as a connection is idle. With "complete = batch" those that have run wait for each other:
 * until there are as many as the worker runs at once, or the first of them has waited FLUSH_MS;
 * then one statement completes them all. While they wait they take no slot.
 */
#include "config.h"

#include "lib/clock.h"
#include "lib/err.h"
#include "workload/list.h"
#include "workload/worker.h"

#define FLUSH_MS 250

static unsigned concurrency(const struct worker *w)
{
	return w->program->options->workload.concurrency;
}

static bool in_batches(const struct worker *w)
{
	return w->program->variant.complete == COMPLETE_BATCH;
}

unsigned worker_free_slots(const struct worker *w)
{
	unsigned taken = w->active - (in_batches(w) ? w->waiting : 0);

	return taken < concurrency(w) ? concurrency(w) - taken : 0;
}

bool worker_completions_due(const struct worker *w)
{
	return w->first &&
	       (!in_batches(w) || w->flush || w->stopping || w->waiting >= concurrency(w));
}

static void flush_cb(uv_timer_t *timer)
{
	struct worker *w = timer->data;

	w->flush = true;
	worker_step(w);
}

void worker_ran(struct worker *w, struct worker_job *job)
{
	*w->last = job;
	w->last = &job->next;
	w->waiting++;
	if (in_batches(w) && !uv_is_active((uv_handle_t *)&w->flush_timer))
		uv_timer_start(&w->flush_timer, flush_cb, FLUSH_MS, 0);
}

static void count_completed(struct worker *w, const struct worker_job *job, uint64_t now)
{
	if (job->due_ns && now > job->due_ns)
		shared_histogram_add(&w->page->latency, now - job->due_ns);
	jobs_page_add(&w->page->completed, 1);
	if (job->queued)
		jobs_page_queue(w->page, now);
}

/* A statement that returns rows must return one for each job, another must change as many. */
static uint64_t changed(const struct db_result *result)
{
	return result->cols ? result->rows : result->affected;
}

/* The completion of a list of jobs, most often of one, is acknowledged. */
static void completed_cb(struct pool *pool, unsigned slot, const struct db_result *result,
			 void *arg)
{
	struct worker_job *job = arg, *next;
	struct worker *w = job->worker;
	uint64_t now = clock_now_ns(), n = 0, ok = changed(result);
	struct err err = {0, ""};

	for (; job; job = next) {
		next = job->next;
		if (result->status == DB_OK && n < ok)
			count_completed(w, job, now);
		n++;
		job->next = w->unused;
		w->unused = job;
	}
	if (result->status != DB_OK) {
		jobs_page_add(&w->page->failed, n);
		pool_error(pool, &w->complete, result, &err);
		program_note(w->program, err.text);
	} else if (ok != n) {
		jobs_page_add(&w->page->duplicates, ok < n ? n - ok : ok - n);
	}
	worker_set_active(w, w->active - (unsigned)n);
	/* somebody may have waited for the key */
	w->wanted |= w->keyed;
	pool_give(pool, slot);
	worker_step(w);
}

static void send_batch(struct worker *w, unsigned slot)
{
	struct pool_call call = {
		.statement = &w->complete, .nparams = 1, .cb = completed_cb, .arg = w->first};
	enum dialect dialect = w->program->options->dialect;

	list_begin(&w->list, dialect);
	for (struct worker_job *job = w->first; job; job = job->next)
		list_add(&w->list, job->id);
	list_end(&w->list, dialect);
	call.params[0] = w->list.buf;
	w->first = NULL;
	w->last = &w->first;
	w->waiting = 0;
	w->flush = false;
	uv_timer_stop(&w->flush_timer);
	pool_run(&w->pool, slot, &call);
}

static void send_one(struct worker *w, unsigned slot)
{
	struct worker_job *job = w->first;
	const struct pool_call call = {
		.statement = &w->complete,
		.nparams = 1,
		.params = {job->id},
		.cb = completed_cb,
		.arg = job,
	};

	w->first = job->next;
	if (!w->first)
		w->last = &w->first;
	w->waiting--;
	job->next = NULL;
	pool_run(&w->pool, slot, &call);
}

void worker_send_completions(struct worker *w)
{
	unsigned slot;

	while (worker_completions_due(w) && pool_take(&w->pool, &slot)) {
		if (in_batches(w))
			send_batch(w, slot);
		else
			send_one(w, slot);
	}
}
