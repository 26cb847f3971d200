/*
 * The producer: an open loop. Jobs are due at the instants of their pace, whatever the database
 * does; each is sent when it is due, or as soon as a connection is idle, with the instant it was
 * due as its own. So a database that is slow makes latency, and not fewer jobs. At the rate max
 * there is no pace: each idle connection sends as long as fewer than --backlog jobs wait. With
 * --enqueue-batch N the first of each N that are due makes them all be sent.
 *
 * Jobs are numbered from 1 in the order in which they are sent, and their names are drawn in that
 * order from the seeded generator. A job that the database refuses is gone; its number is not used
 * again.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "lib/rng.h"
#include "lib/xalloc.h"
#include "workload/alarm.h"
#include "workload/enqueue.h"
#include "workload/hint.h"
#include "workload/pacing.h"
#include "workload/pool.h"
#include "workload/program.h"

#define LATE_NS    NS_PER_MS
#define RECHECK_MS 1
#define KEYS_SEED  0x6b657973u

struct producer {
	struct program *program; /* borrowed, as is its page */
	struct jobs_page *page;
	struct pool pool;
	struct enqueue_statements statements;
	struct enqueue *enqueues; /* owned: for each connection */
	struct rng rng, keys;
	struct pacing pacing;
	struct alarm alarm;
	struct hint_sender hints; /* to nobody where the database wakes, or nobody listens */
	uv_timer_t recheck;       /* at the limit of --rate max */
	bool running, stopping;
	bool max;
	uint64_t seq;
	unsigned in_flight;
};

static void producer_step(struct producer *pr);

static void enqueued_cb(struct enqueue *e, bool ok, void *arg)
{
	struct producer *pr = arg;

	if (ok) {
		jobs_page_add(&pr->page->enqueued, e->jobs);
		hint_send(&pr->hints);
	} else {
		jobs_page_add(&pr->page->enqueue_failed, e->jobs);
		program_note(pr->program, e->err.text);
	}
	pr->in_flight -= e->jobs;
	pool_give(&pr->pool, e->slot);
	producer_step(pr);
}

static void count_lateness(struct producer *pr, uint64_t late_ns, unsigned jobs)
{
	if (late_ns > LATE_NS)
		jobs_page_add(&pr->page->late_jobs, jobs);
	for (unsigned i = 0; i < jobs; i++)
		shared_histogram_add(&pr->page->lateness, late_ns);
}

static unsigned at_once(const struct producer *pr)
{
	return pr->program->options->workload.enqueue_batch;
}

/* Drawn by a generator of their own: names are the same with and without keys. */
static int next_key(struct producer *pr)
{
	unsigned keys = pr->program->options->workload.mutex_keys;

	return keys ? (int)rng_below(&pr->keys, keys) : -1;
}

static void send_jobs(struct producer *pr, unsigned slot, uint64_t due_ns)
{
	const struct workload *w = &pr->program->options->workload;
	struct enqueue *e = &pr->enqueues[slot];

	enqueue_reset(e);
	for (unsigned i = 0; i < at_once(pr); i++)
		enqueue_add(e, workload_next_name(w, &pr->rng), next_key(pr), ++pr->seq, due_ns);
	pr->in_flight += e->jobs;
	enqueue_send(e);
}

/* ---- at a pace ---- */

static void send_due(struct producer *pr)
{
	uint64_t due = pacing_due_ns(&pr->pacing), now = clock_now_ns();
	unsigned slot;

	while (due <= now && pool_take(&pr->pool, &slot)) {
		count_lateness(pr, now - due, at_once(pr));
		send_jobs(pr, slot, due);
		pacing_advance(&pr->pacing, at_once(pr));
		due = pacing_due_ns(&pr->pacing);
		now = clock_now_ns();
	}
	/* without an idle connection the next answer goes on */
	if (due > now && due != PACING_NEVER)
		alarm_set(&pr->alarm, due);
}

/* ---- as fast as it goes ---- */

/* Jobs that wait for the worker, with those on their way. */
static uint64_t waiting(const struct producer *pr)
{
	uint64_t in = jobs_page_get(&pr->page->enqueued) + pr->in_flight;
	uint64_t out = jobs_page_get(&pr->page->completed) + jobs_page_get(&pr->page->failed) -
		       jobs_page_get(&pr->page->queue_completed);

	return in > out ? in - out : 0;
}

static void recheck_cb(uv_timer_t *timer)
{
	producer_step(timer->data);
}

static void send_max(struct producer *pr)
{
	uint64_t backlog = pr->program->options->workload.backlog;
	unsigned slot;

	while (waiting(pr) + at_once(pr) <= backlog) {
		if (!pool_take(&pr->pool, &slot))
			return;
		send_jobs(pr, slot, clock_now_ns());
	}
	/* the worker makes room without telling */
	if (!uv_is_active((uv_handle_t *)&pr->recheck))
		uv_timer_start(&pr->recheck, recheck_cb, RECHECK_MS, 0);
}

static void producer_step(struct producer *pr)
{
	if (pr->pool.closing)
		return;
	if (pr->running && pr->max)
		send_max(pr);
	else if (pr->running)
		send_due(pr);
	else if (pr->stopping && pr->in_flight == 0)
		program_stopped(pr->program);
}

static void alarm_cb(void *arg)
{
	producer_step(arg);
}

static void set_pace(struct producer *pr, uint64_t mjobs, uint64_t first)
{
	alarm_stop(&pr->alarm);
	uv_timer_stop(&pr->recheck);
	pr->max = mjobs == JOBS_PAGE_RATE_MAX;
	pacing_start(&pr->pacing, clock_now_ns(), pr->max ? 0 : mjobs, first);
	producer_step(pr);
}

/* ---- the role ---- */

static void ready_cb(void *arg)
{
	struct producer *pr = arg;

	program_ready(pr->program);
}

static void freed_cb(void *arg)
{
	producer_step(arg);
}

static void failed_cb(void *arg, const char *text)
{
	struct producer *pr = arg;

	program_fail(pr->program, text);
}

static void producer_close(void *state)
{
	struct producer *pr = state;

	pr->running = false;
	pool_close(&pr->pool);
	alarm_close(&pr->alarm);
	hint_sender_close(&pr->hints);
	if (!uv_is_closing((uv_handle_t *)&pr->recheck))
		uv_close((uv_handle_t *)&pr->recheck, NULL);
}

static void producer_release(void *state)
{
	struct producer *pr = state;

	pool_release(&pr->pool);
	for (unsigned i = 0; i < pr->program->options->workload.pool; i++)
		enqueue_release(&pr->enqueues[i]);
	free(pr->enqueues);
	enqueue_statements_release(&pr->statements);
	free(pr);
}

static int open_pool(struct producer *pr, struct err *err)
{
	struct program *p = pr->program;
	const struct pool_spec spec = {
		.loop = &p->loop,
		.dsn = &p->dsn,
		.application = "cputop producer",
		.sql = &p->sql,
		.prepare = p->variant.prepared,
		.connections = p->options->workload.pool,
		.statements = 2,
		.first = {&pr->statements.enqueue, &pr->statements.other},
		.nfirst = pr->statements.transaction ? 2 : 1,
		.count_statements = &pr->page->producer_statements,
		.count_commits = &pr->page->producer_commits,
		.count_retried = &pr->page->enqueue_retried,
		.ready = ready_cb,
		.freed = freed_cb,
		.failed = failed_cb,
		.arg = pr,
	};

	return pool_open(&pr->pool, &spec, err);
}

static void open_enqueues(struct producer *pr)
{
	unsigned n = pr->program->options->workload.pool;

	pr->enqueues = xcalloc(n, sizeof(*pr->enqueues));
	for (unsigned i = 0; i < n; i++) {
		struct enqueue *e = &pr->enqueues[i];

		enqueue_init(e);
		e->statements = &pr->statements;
		e->pool = &pr->pool;
		e->count_retried = &pr->page->enqueue_retried;
		e->slot = i;
		e->done = enqueued_cb;
		e->arg = pr;
	}
}

static void producer_open(struct program *p)
{
	struct producer *pr = xcalloc(1, sizeof(*pr));
	struct err err = {0, ""};
	int rc;

	pr->program = p;
	pr->page = p->page;
	rng_init(&pr->rng, p->options->workload.seed);
	rng_init(&pr->keys, p->options->workload.seed ^ KEYS_SEED);
	enqueue_statements_init(&pr->statements, p);
	open_enqueues(pr);
	uv_timer_init(&p->loop, &pr->recheck);
	pr->recheck.data = pr;
	p->role = pr;
	rc = alarm_init(&pr->alarm, &p->loop, alarm_cb, pr, &err);
	if (rc == 0)
		rc = open_pool(pr, &err);
	if (rc < 0)
		program_fail(p, err.text);
}

static void producer_start(void *state)
{
	struct producer *pr = state;
	struct err err = {0, ""};

	if (hint_sender_open(&pr->hints, &pr->program->loop, pr->page->hint_ports, &err) < 0) {
		program_fail(pr->program, err.text);
		return;
	}
	pr->running = true;
	set_pace(pr, jobs_page_get(&pr->page->rate_mjobs), 0);
}

static void producer_rate(void *state)
{
	struct producer *pr = state;

	set_pace(pr, jobs_page_get(&pr->page->rate_mjobs), 1);
}

static void producer_stop(void *state)
{
	struct producer *pr = state;

	pr->running = false;
	pr->stopping = true;
	alarm_stop(&pr->alarm);
	uv_timer_stop(&pr->recheck);
	producer_step(pr);
}

static struct pool *producer_pool(void *state)
{
	struct producer *pr = state;

	return &pr->pool;
}

const struct role_ops producer_ops = {
	.name = "producer",
	.open = producer_open,
	.start = producer_start,
	.rate = producer_rate,
	.stop = producer_stop,
	.pool = producer_pool,
	.close = producer_close,
	.release = producer_release,
};
