/*
 * The worker's work. Jobs have empty handlers, so a claimed job is run by marking it in the page's
 * bitmap (a second time is seen there); its completion is worker_complete.c's.
 *
 * One claim is under way at a time. Completions take idle connections before claims do: under load
 * slots thus gather, and claims become larger instead of more. When no more jobs are left than
 * there are connections the claim goes first: they would soon be idle, and wait for it.
 */
#include "config.h"

#include "workload/worker.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

void worker_set_active(struct worker *w, unsigned active)
{
	/* what the others run is in it, too */
	if (active > w->active)
		jobs_page_add(&w->page->running, active - w->active);
	else
		atomic_fetch_sub_explicit(&w->page->running, w->active - active,
					  memory_order_relaxed);
	w->active = active;
}

static void note_failure(struct worker *w, const struct pool_statement *st,
			 const struct db_result *result)
{
	struct err err = {0, ""};

	pool_error(&w->pool, st, result, &err);
	program_note(w->program, err.text);
}

/* ---- jobs ---- */

static struct worker_job *new_job(struct worker *w)
{
	struct worker_job *job = w->unused;

	if (job) {
		w->unused = job->next;
	} else {
		job = xcalloc(1, sizeof(*job));
		job->worker = w;
		job->older = w->newest;
		w->newest = job;
	}
	job->next = NULL;
	return job;
}

/* Whether the id of a claimed job, n characters, can be handed back when it is completed. */
static bool id_fits(struct worker *w, size_t n)
{
	struct err err = {0, ""};

	if (n < POOL_PARAM_MAX)
		return true;
	err_set(&err, -E2BIG, "an id of %zu characters is too long; cputop takes up to %d", n,
		POOL_PARAM_MAX - 1);
	program_fail(w->program, err.text);
	return false;
}

static bool not_a_number(struct worker *w, const char *seq)
{
	struct err err = {0, ""};

	err_set(&err, -EINVAL,
		"the claim returned '%.40s' as seq, its third column, which must be the number "
		"that the job was enqueued with",
		seq);
	program_fail(w->program, err.text);
	return false;
}

/* Runs a claimed job: id, name, seq, due_ns[, payload, key]. False when it cannot be. */
static bool run_job(struct worker *w, const struct db_result *r, unsigned row)
{
	struct worker_job *job;
	const char *id = r->field(r, row, 0);
	const char *seq = r->field(r, row, 2), *due = r->field(r, row, 3);
	size_t n = id ? strlen(id) : 0;
	uint64_t number;

	if (!id_fits(w, n))
		return false;
	job = new_job(w);
	memcpy(job->id, id ? id : "", n + 1);
	if (!due || !parse_u64(due, &job->due_ns))
		job->due_ns = 0;
	if (seq && !parse_u64(seq, &number))
		return not_a_number(w, seq);
	if (seq && !jobs_page_mark(w->page, number))
		jobs_page_add(&w->page->duplicates, 1);
	job->key = -1;
	job->queued = false;
	if (w->keyed)
		worker_hold(w, job, r->field(r, row, 5), r->field(r, row, 4));
	else
		worker_ran(w, job);
	return true;
}

/* ---- claims ----
 *
 * Where a statement that changes rows cannot return them, a claim is two statements on one
 * connection: it leaves its number on what it takes, and that is read when there is any. */

static unsigned names(const struct worker *w)
{
	return w->program->variant.claim == CLAIM_PER_NAME ? w->program->options->workload.names
							   : 1;
}

static void sweep_ended(struct worker *w)
{
	w->sweeping = false;
	if (w->has_slot)
		pool_give(&w->pool, w->slot);
	w->has_slot = false;
	if (w->poll_swept)
		jobs_page_add(&w->page->polls, 1);
	w->poll_swept = false;
}

/* Whether the claim, or the statement that reads what it took, has succeeded, or may be forgotten;
 * else this is the end. */
static bool claim_allowed(struct worker *w, const struct pool_statement *st,
			  const struct db_result *result)
{
	struct err err = {0, ""};

	if (result->status == DB_OK && result->rows > 0 && result->cols < (w->keyed ? 6 : 4)) {
		program_fail(w->program, w->keyed ? "the claim must return id, name, seq, due_ns, "
						    "payload and key"
						  : "the claim must return id, name, seq and "
						    "due_ns");
		return false;
	}
	if (result->status == DB_ERROR) {
		pool_error(&w->pool, st, result, &err);
		program_fail(w->program, err.text);
		return false;
	}
	if (result->status != DB_OK)
		note_failure(w, st, result);
	return true;
}

/* The rows of a claim have come. */
static void take_rows(struct worker *w, const struct db_result *result)
{
	w->claiming = false;
	if (result->status == DB_OK && result->rows == 0)
		jobs_page_add(&w->page->claims_empty, 1);
	for (unsigned i = 0; i < result->rows; i++) {
		if (!run_job(w, result, i))
			return;
	}
	worker_set_active(w, w->active + result->rows);
	/* a claim that was filled may have left more of the same */
	if (result->rows >= w->limit)
		w->wanted = true;
	if (++w->name >= names(w))
		sweep_ended(w);
	worker_step(w);
}

static void claimed_cb(struct pool *pool, unsigned slot, const struct db_result *result, void *arg)
{
	struct worker *w = arg;

	struct err err = {0, ""};

	(void)slot;
	/* What was claimed and cannot be read would wait for ever. */
	if (result->status == DB_RETRY) {
		pool_error(pool, &w->claimed, result, &err);
		program_fail(w->program, err.text);
	} else if (claim_allowed(w, &w->claimed, result)) {
		take_rows(w, result);
	}
}

/* Fills the parameters of a claim: its name, its number. name and token are the caller's. */
static void claim_parameters(const struct worker *w, struct pool_call *call,
			     char name[WORKLOAD_NAME_MAX], char token[POOL_PARAM_MAX])
{
	if (w->program->variant.claim == CLAIM_PER_NAME) {
		workload_name(w->name, name);
		call->params[call->nparams++] = name;
	}
	if (w->numbered) {
		format_u64(token, w->token);
		call->params[call->nparams++] = token;
	}
}

static void claim_cb(struct pool *pool, unsigned slot, const struct db_result *result, void *arg)
{
	struct worker *w = arg;
	char name[WORKLOAD_NAME_MAX], token[POOL_PARAM_MAX];
	struct pool_call call = {.statement = &w->claimed, .cb = claimed_cb, .arg = w};

	if (!claim_allowed(w, &w->claims[w->limit], result))
		return;
	if (!w->claimed.text || result->status != DB_OK || result->affected == 0) {
		take_rows(w, result);
		return;
	}
	claim_parameters(w, &call, name, token);
	pool_run(pool, slot, &call);
}

const struct pool_statement *worker_claim_statement(struct worker *w, unsigned limit)
{
	struct pool_statement *st = &w->claims[limit];
	struct strbuf text;

	if (st->text)
		return st;
	strbuf_init(&text);
	variant_sql_claim(&w->program->sql, w->claim_kind, limit, &text);
	st->index = limit;
	st->kind = w->claim_kind;
	st->text = strbuf_detach(&text);
	st->name = xasprintf("claim_%u", limit);
	return st;
}

static void begin_sweep(struct worker *w)
{
	w->wanted = false;
	w->sweeping = true;
	w->name = 0;
	w->poll_swept = w->poll_due;
	w->poll_due = false;
}

static void claim(struct worker *w)
{
	char name[WORKLOAD_NAME_MAX], token[POOL_PARAM_MAX];
	struct pool_call call = {.cb = claim_cb, .arg = w};

	w->token++;
	claim_parameters(w, &call, name, token);
	w->limit = worker_free_slots(w);
	w->claiming = true;
	call.statement = worker_claim_statement(w, w->limit);
	jobs_page_add(&w->page->claims, 1);
	pool_run(&w->pool, w->slot, &call);
}

/* A sweep keeps its connection from claim to claim, unless completions or a lack of slots come
 * between. */
static void step_sweep(struct worker *w)
{
	bool free_slot = worker_free_slots(w) > 0;

	if (w->claiming)
		return;
	if (w->has_slot && (worker_completions_due(w) || !free_slot)) {
		pool_give(&w->pool, w->slot);
		w->has_slot = false;
		worker_send_completions(w);
	}
	if (!free_slot)
		return;
	if (!w->has_slot)
		w->has_slot = pool_take(&w->pool, &w->slot);
	if (w->has_slot)
		claim(w);
}

/* Not before half of the slots are free; and a sweep of many claims lets completions pass. */
static bool claim_goes_first(const struct worker *w)
{
	unsigned connections = w->pool.spec.connections;
	unsigned slots = w->program->options->workload.concurrency;

	return names(w) == 1 && connections > 1 && w->active <= connections &&
	       w->active <= slots / 2;
}

void worker_step(struct worker *w)
{
	if (w->pool.closing)
		return;
	if (!claim_goes_first(w))
		worker_send_completions(w);
	if (w->stopping && w->sweeping && !w->claiming) {
		w->poll_swept = false; /* it was cut short */
		sweep_ended(w);
	}
	worker_tasks_step(w);
	if (!w->sweeping && w->wanted && w->running)
		begin_sweep(w);
	if (w->sweeping && !w->stopping)
		step_sweep(w);
	worker_send_completions(w);
	if (w->stopping && !w->sweeping && w->active == 0 && !worker_tasks_running(w))
		program_stopped(w->program);
}

void worker_wake(struct worker *w)
{
	/* one claim for all names that has yet to be sent will see the new job as well */
	if (w->sweeping && !w->claiming && names(w) == 1) {
		w->poll_swept |= w->poll_due;
		w->poll_due = false;
		return;
	}
	w->wanted = true;
	worker_step(w);
}
