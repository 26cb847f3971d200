/*
 * What a worker does now and then beside its jobs: completed jobs that are older than --history are
 * deleted, and jobs that somebody has claimed and never completed become due again. Each task is a
 * statement on a grid of its own, start + first + i * interval, as polls are; one that finds the
 * last still waiting is one with it. They take a connection like everything else, and cost like it.
 */
#include "config.h"

#include <stdio.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "workload/worker.h"

static void task_cb(uv_timer_t *timer);

static void set_timer(struct worker_task *t)
{
	struct worker *w = t->worker;
	uint64_t due_ns = worker_grid_next(w, t->first_ns, t->interval_ns, &t->tick);

	uv_timer_start(&t->timer, task_cb, due_ns / NS_PER_MS + 1, 0);
}

static void task_cb(uv_timer_t *timer)
{
	struct worker_task *t = timer->data;

	t->due = true;
	set_timer(t);
	worker_step(t->worker);
}

static void open_task(struct worker *w, unsigned i, enum statement s, uint64_t first_ns,
		      uint64_t interval_ns, _Atomic uint64_t *runs)
{
	struct worker_task *t = &w->tasks[i];

	t->worker = w;
	t->first_ns = first_ns;
	t->interval_ns = interval_ns;
	t->runs = runs;
	t->statement = (struct pool_statement){
		.index = w->program->options->workload.concurrency + 2 + i,
		.kind = s,
		.name = statement_name(s),
		.text = w->program->sql.text[s],
	};
	uv_timer_init(&w->program->loop, &t->timer);
	t->timer.data = t;
}

void worker_tasks_open(struct worker *w)
{
	const struct workload *load = &w->program->options->workload;

	snprintf(w->history, sizeof(w->history), "%.9g", (double)load->history_ns / NS_PER_S);
	open_task(w, 0, SQL_PRUNE, WORKLOAD_PRUNE_FIRST_NS, WORKLOAD_PRUNE_NS, &w->page->prunes);
	open_task(w, 1, SQL_RESCUE, WORKLOAD_RESCUE_FIRST_NS, WORKLOAD_RESCUE_NS,
		  &w->page->rescues);
	if (!load->history_ns)
		w->tasks[0].statement.text = NULL;
}

void worker_tasks_start(struct worker *w)
{
	for (unsigned i = 0; i < WORKER_TASKS; i++)
		if (w->tasks[i].statement.text)
			set_timer(&w->tasks[i]);
}

void worker_tasks_stop(struct worker *w)
{
	for (unsigned i = 0; i < WORKER_TASKS; i++) {
		uv_timer_stop(&w->tasks[i].timer);
		w->tasks[i].due = false;
	}
}

void worker_tasks_close(struct worker *w)
{
	for (unsigned i = 0; i < WORKER_TASKS; i++)
		uv_close((uv_handle_t *)&w->tasks[i].timer, NULL);
}

bool worker_tasks_running(const struct worker *w)
{
	for (unsigned i = 0; i < WORKER_TASKS; i++)
		if (w->tasks[i].running)
			return true;
	return false;
}

/* What it has changed may be due now. */
static void ran_cb(struct pool *pool, unsigned slot, const struct db_result *result, void *arg)
{
	struct worker_task *t = arg;
	struct worker *w = t->worker;
	struct err err = {0, ""};

	t->running = false;
	jobs_page_add(t->runs, 1);
	if (result->status != DB_OK) {
		pool_error(pool, &t->statement, result, &err);
		program_note(w->program, err.text);
	}
	pool_give(pool, slot);
	if (t->statement.kind == SQL_RESCUE && result->status == DB_OK && result->affected > 0)
		w->wanted = true;
	worker_step(w);
}

void worker_tasks_step(struct worker *w)
{
	unsigned slot;

	for (unsigned i = 0; i < WORKER_TASKS; i++) {
		struct worker_task *t = &w->tasks[i];

		/* first: this is looked at many times a job */
		if (!t->due || t->running || !pool_take(&w->pool, &slot))
			continue;
		t->due = false;
		t->running = true;
		pool_run(&w->pool, slot,
			 &(struct pool_call){
				 .statement = &t->statement,
				 .nparams = variant_sql_parameters(&w->program->sql,
								   t->statement.kind),
				 .params = {w->history},
				 .cb = ran_cb,
				 .arg = t,
			 });
	}
}
