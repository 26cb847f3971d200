/*
 * The end of a run, step by step; run_end_step is called whenever something has changed and does
 * the next thing that can be done:
 *   producer stopped -> worker drained -> tables counted -> both quit -> connection closed -> ended
 * quick leaves out the first three.
 */
#include "config.h"

#include <stdlib.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "run/run_internal.h"

#define DRAIN_LOOK_MS     20
#define DRAIN_DEADLINE_NS (10 * NS_PER_S)
#define STOP_DEADLINE_MS  5000

static void timer_closed_cb(uv_handle_t *h)
{
	struct run *r = h->data;

	r->timer_open = false;
	run_end_step(r);
}

static void db_closed_cb(void *arg)
{
	struct run *r = arg;

	r->db = NULL;
	run_end_step(r);
}

static bool field_u64(const struct db_result *res, unsigned col, uint64_t *out)
{
	const char *text = res->rows && col < res->cols ? res->field(res, 0, col) : NULL;

	return text && parse_u64(text, out);
}

/* lost = enqueued - (waiting + running by us + completed), as the tables have them. A job that is
 * marked running while the worker runs none is lost, too. */
static void checked_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;
	struct jobs_counts c;
	uint64_t waiting, running, completed;

	(void)db;
	if (!run_result_ok(r, res, SQL_CHECK, NULL)) {
		r->checking = false;
		return;
	}
	jobs_page_read(r->page, &c);
	/* where the tables have no completed jobs, or not all of them */
	completed = c.completed - c.queue_completed;
	if (field_u64(res, 0, &waiting) && field_u64(res, 1, &running) &&
	    (!res->field(res, 0, 2) || r->cfg.workload.history_ns ||
	     field_u64(res, 2, &completed))) {
		r->lost = value_of((int64_t)(c.enqueued - waiting - completed - c.failed));
		if (running || r->lost.v)
			run_say(r, MESSAGE_WARNING,
				"%lld jobs lost: the tables have %llu waiting, %llu running and "
				"%llu completed of %llu enqueued",
				(long long)r->lost.v, (unsigned long long)waiting,
				(unsigned long long)running, (unsigned long long)completed,
				(unsigned long long)c.enqueued);
	}
	r->quick = true;
	r->checking = false;
	run_end_step(r);
}

static void begin_check(struct run *r)
{
	r->checking = true;
	r->db_pending++;
	db_query(r->db, r->sql.text[SQL_CHECK], checked_cb, r);
}

static void drain_cb(uv_timer_t *t)
{
	run_end_step(t->data);
}

static void stop_timeout_cb(uv_timer_t *t)
{
	struct run *r = t->data;

	run_say(r, MESSAGE_WARNING, "the worker did not stop in order; lost jobs were not counted");
	r->quick = true;
	run_end_step(r);
}

/* True once the tables can be counted: nobody enqueues, and the worker has run what it could. */
static bool drained(struct run *r)
{
	struct jobs_counts c;

	if (r->load_stopped[ROLE_WORKER])
		return true;
	if (!r->load_stopped[ROLE_PRODUCER]) {
		if (clock_now_ns() < r->deadline_ns) {
			run_timer(r, DRAIN_LOOK_MS, drain_cb);
			return false;
		}
	}
	jobs_page_read(r->page, &c);
	if (jobs_counts_waiting(&c) && clock_now_ns() < r->deadline_ns) {
		run_timer(r, DRAIN_LOOK_MS, drain_cb);
		return false;
	}
	if (r->deadline_ns) {
		r->deadline_ns = 0;
		load_send(r->load[ROLE_WORKER], "stop");
		run_timer(r, STOP_DEADLINE_MS + r->cfg.workload.hold_ns / NS_PER_MS,
			  stop_timeout_cb);
	}
	return false; /* goes on when the worker says stopped */
}

static bool in_order(const struct run *r)
{
	return !r->quick && r->started_ns && r->load[ROLE_WORKER] && r->load[ROLE_PRODUCER] &&
	       r->db && !db_broken(r->db);
}

void run_end_step(struct run *r)
{
	bool loads = false;

	if (!r->stopping || r->finished)
		return;
	if (in_order(r)) {
		if (!r->checking && !r->db_pending && drained(r))
			begin_check(r);
		return;
	}
	for (int i = 0; i < RUN_ROLES; i++) {
		if (!r->load[i])
			continue;
		loads = true;
		load_quit(r->load[i]);
	}
	if (loads)
		return;
	if (r->db) {
		if (!r->db_closing)
			db_close(r->db, db_closed_cb, r);
		r->db_closing = true;
		return;
	}
	if (r->timer_open) {
		if (!uv_is_closing((uv_handle_t *)&r->timer))
			uv_close((uv_handle_t *)&r->timer, timer_closed_cb);
		return;
	}
	r->finished = true;
	run_enter(r, PHASE_IDLE, NULL);
	r->cb.ended(r, r->failed ? &r->err : NULL, r->lost, r->arg);
}

void run_end_begin(struct run *r)
{
	bool started = r->phase >= PHASE_WARMUP && r->phase <= PHASE_LIVE;

	r->stopping = true;
	if (r->failing)
		r->failed = true; /* its reason is in err already */
	uv_timer_stop(&r->timer);
	run_enter(r, PHASE_STOPPING, NULL);
	if (!started)
		r->quick = true;
	if (in_order(r)) {
		r->deadline_ns = clock_now_ns() + DRAIN_DEADLINE_NS;
		load_send(r->load[ROLE_PRODUCER], "stop");
	}
	run_end_step(r);
}
