/*
 * The worker from its connections to its end: a pool, whose first connection listens for wake-ups
 * as well, or a socket for hints where the database has none. Polls lie on the grid start + i *
 * interval, whatever the length of the work between them; one that finds the last still waiting is
 * one with it.
 */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "lib/xalloc.h"
#include "workload/worker.h"

/* The connection that a claim takes first is the one that a wake-up has woken. */
#define LISTENER 0
/* A pid has 22 bits at most, and the columns for it are signed in some variants. */
#define TOKEN_BITS 40

static void pool_failed_cb(void *arg, const char *text)
{
	struct worker *w = arg;

	program_fail(w->program, text);
}

/* ---- wake-ups ---- */

static void hint_cb(void *arg)
{
	struct worker *w = arg;

	if (!w->running)
		return;
	jobs_page_add(&w->page->notifications, 1);
	worker_wake(w);
}

static void notify_cb(struct db *db, void *arg)
{
	(void)db;
	hint_cb(arg);
}

static void listening_cb(struct db *db, const struct db_result *result, void *arg)
{
	struct worker *w = arg;
	struct err err = {0, ""};

	(void)db;
	if (w->pool.closing)
		return;
	if (result->status == DB_OK) {
		pool_give(&w->pool, LISTENER);
		program_ready(w->program);
		return;
	}
	if (result->status == DB_BROKEN)
		err_set(&err, -EIO, "lost a connection to the database: %s", result->error);
	else
		variant_sql_error(&err, &w->program->sql, SQL_LISTEN,
				  w->program->sql.text[SQL_LISTEN], result->error_position,
				  result->error);
	program_fail(w->program, err.text);
}

static void listen_for_hints(struct worker *w)
{
	struct err err = {0, ""};
	int port = hint_receiver_open(&w->hints, &w->program->loop, hint_cb, w, &err);

	if (port < 0) {
		program_fail(w->program, err.text);
		return;
	}
	atomic_store_explicit(&w->page->hint_ports[w->program->options->number], (uint64_t)port,
			      memory_order_relaxed);
	program_ready(w->program);
}

static void freed_cb(void *arg)
{
	worker_step(arg);
}

/* Every connection is idle now: the first one listens, too. */
static void pool_ready_cb(void *arg)
{
	struct worker *w = arg;
	struct db *db = pool_connection(&w->pool, LISTENER);
	unsigned slot = LISTENER;

	if (!dialect_notifies(w->program->options->dialect)) {
		listen_for_hints(w);
		return;
	}
	pool_take(&w->pool, &slot);
	db_on_notify(db, notify_cb, w);
	db_query(db, w->program->sql.text[SQL_LISTEN], listening_cb, w);
}

/* ---- polls ---- */

static void poll_cb(uv_timer_t *timer);

uint64_t worker_grid_next(struct worker *w, uint64_t first_ns, uint64_t interval_ns, uint64_t *tick)
{
	uint64_t now = clock_now_ns(), first = w->start_ns + first_ns;
	uint64_t passed = now < first ? 0 : (now - first) / interval_ns + 1;

	if (*tick < passed)
		*tick = passed;
	/* the loop's clock is what timers count from */
	uv_update_time(&w->program->loop);
	return first + (*tick)++ * interval_ns - now;
}

static void set_poll(struct worker *w)
{
	uint64_t interval_ns = w->program->options->workload.poll_interval_ns;
	uint64_t left = worker_grid_next(w, interval_ns, interval_ns, &w->tick);

	uv_timer_start(&w->poll, poll_cb, (left + NS_PER_MS - 1) / NS_PER_MS, 0);
}

static void poll_cb(uv_timer_t *timer)
{
	struct worker *w = timer->data;

	w->poll_due = true;
	set_poll(w);
	worker_wake(w);
}

/* ---- the role ---- */

static void worker_close(void *state)
{
	struct worker *w = state;

	w->running = false;
	pool_close(&w->pool);
	hint_receiver_close(&w->hints);
	if (uv_is_closing((uv_handle_t *)&w->poll))
		return;
	uv_close((uv_handle_t *)&w->poll, NULL);
	uv_close((uv_handle_t *)&w->flush_timer, NULL);
	uv_close((uv_handle_t *)&w->hold_timer, NULL);
	worker_tasks_close(w);
}

static void free_jobs(struct worker_job *job)
{
	while (job) {
		struct worker_job *older = job->older;

		free(job);
		job = older;
	}
}

static void free_claims(struct worker *w)
{
	for (unsigned i = 0; i <= w->program->options->workload.concurrency; i++) {
		free((char *)w->claims[i].name);
		free((char *)w->claims[i].text);
	}
	free(w->claims);
}

static void worker_release(void *state)
{
	struct worker *w = state;

	pool_release(&w->pool);
	free_jobs(w->newest);
	free_claims(w);
	strbuf_release(&w->list);
	free(w);
}

/* It is prepared on each connection before that is ready, when there is such a statement. */
static void first(struct pool_spec *spec, const struct pool_statement *st)
{
	if (st->text)
		spec->first[spec->nfirst++] = st;
}

static int open_connections(struct worker *w, struct err *err)
{
	struct program *p = w->program;
	const struct workload *load = &p->options->workload;
	struct pool_spec spec = {
		.loop = &p->loop,
		.dsn = &p->dsn,
		.application = "cputop worker",
		.sql = &p->sql,
		.prepare = p->variant.prepared,
		.connections = load->pool,
		.statements = load->concurrency + 2 + WORKER_TASKS,
		.count_statements = &w->page->worker_statements,
		.count_commits = &w->page->worker_commits,
		.count_retried = &w->page->retried,
		.ready = pool_ready_cb,
		.freed = freed_cb,
		.failed = pool_failed_cb,
		.arg = w,
	};

	first(&spec, &w->complete);
	first(&spec, worker_claim_statement(w, load->concurrency));
	first(&spec, &w->claimed);
	for (unsigned i = 0; i < WORKER_TASKS; i++)
		first(&spec, &w->tasks[i].statement);
	return pool_open(&w->pool, &spec, err);
}

static void open_statements(struct worker *w)
{
	const struct variant_sql *sql = &w->program->sql;
	const struct workload *load = &w->program->options->workload;
	enum statement complete, claimed;
	int names = w->program->variant.claim == CLAIM_PER_NAME ? 1 : 0;

	w->keyed = load->mutex_keys > 0;
	w->claim_kind = w->keyed ? SQL_CLAIM_KEYS : SQL_CLAIM;
	claimed = w->keyed ? SQL_CLAIMED_KEYS : SQL_CLAIMED;
	complete = w->keyed ? SQL_COMPLETE_KEYS : SQL_COMPLETE;
	w->numbered = sql->text[claimed] || variant_sql_parameters(sql, w->claim_kind) > names;
	w->complete = (struct pool_statement){
		.index = 0,
		.kind = complete,
		.name = "complete",
		.text = sql->text[complete],
	};
	w->claimed = (struct pool_statement){
		.index = load->concurrency + 1,
		.kind = claimed,
		.name = "claimed",
		.text = sql->text[claimed],
	};
}

static void worker_open(struct program *p)
{
	struct worker *w = xcalloc(1, sizeof(*w));
	struct err err = {0, ""};

	w->program = p;
	w->page = p->page;
	w->last = &w->first;
	w->claims = xcalloc(p->options->workload.concurrency + 1, sizeof(*w->claims));
	open_statements(w);
	worker_tasks_open(w);
	/* no other worker's claims have its numbers */
	w->token = (uint64_t)uv_os_getpid() << TOKEN_BITS;
	w->hints.fd = -1;
	uv_timer_init(&p->loop, &w->poll);
	w->poll.data = w;
	uv_timer_init(&p->loop, &w->flush_timer);
	w->flush_timer.data = w;
	strbuf_init(&w->list);
	uv_timer_init(&p->loop, &w->hold_timer);
	w->hold_timer.data = w;
	w->held_last = &w->held;
	p->role = w;
	if (open_connections(w, &err) < 0)
		program_fail(p, err.text);
}

static void worker_start(void *state)
{
	struct worker *w = state;

	w->running = true;
	w->start_ns = clock_now_ns();
	set_poll(w);
	worker_tasks_start(w);
}

static void worker_rate(void *state)
{
	(void)state;
}

static void worker_stop(void *state)
{
	struct worker *w = state;

	w->running = false;
	w->stopping = true;
	uv_timer_stop(&w->poll);
	worker_tasks_stop(w);
	worker_step(w);
}

static struct pool *worker_pool(void *state)
{
	struct worker *w = state;

	return &w->pool;
}

const struct role_ops worker_ops = {
	.name = "worker",
	.open = worker_open,
	.start = worker_start,
	.rate = worker_rate,
	.stop = worker_stop,
	.pool = worker_pool,
	.close = worker_close,
	.release = worker_release,
};
