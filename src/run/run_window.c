/*
 * Warm-up and windows. Around a window, in this order: the slowest of the worker's ticks, the map
 * by cputop's own connection, the server's counts (run_counts.c), the first reading, measure_ns of
 * silence, the second reading, the counts again.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "measure/parts.h"
#include "result/figures.h"
#include "run/run_internal.h"

#define ALIGN_LOOK_MS 5
/* A producer that is behind sends more than its rate until it is not: windows wait for that. */
#define CATCH_UP_LOOK_MS 1000
#define CATCH_UP_S       0.3
#define CATCH_UP_LOOKS   20

/* The map: which backend is which part. Our own connection is known by its pid. */
static void take_map(struct run *r, const struct db_result *res)
{
	struct part_row *rows = xcalloc(res->rows + 1, sizeof(*rows));
	size_t n = 0;

	for (unsigned i = 0; i < res->rows; i++) {
		const char *pid = res->field(res, i, 0), *type = res->field(res, i, 1);
		enum part part = PART_OTHER;
		bool known;
		uint64_t v;

		if (!pid || !parse_u64(pid, &v))
			continue;
		known = type && part_from_backend_type(type, &part);
		/* The number of a thread says nothing: there it is the server that tells. */
		if ((int64_t)v == db_backend_pid(r->db) && (!known || part == PART_BACKEND))
			part = PART_MONITOR;
		else if (!known)
			continue;
		rows[n++] = (struct part_row){(pid_t)v, (pid_t)v, part};
	}
	measure_set_map(r->cfg.measure, rows, n);
	free(rows);
}

static void refreshed_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	if (run_result_ok(r, res, STATEMENT_COUNT, "reading who is connected"))
		take_map(r, res);
}

void run_refresh_map(struct run *r)
{
	if (!r->db || r->stopping || r->db_pending || r->asking || r->window ||
	    r->phase < PHASE_WARMUP)
		return;
	r->db_pending++;
	db_query(r->db, r->admin->map, refreshed_cb, r);
}

/* Takes both readings of an edge: jobs and counters of the same instant. */
static int read_edge(struct run *r, struct jobs_counts *jobs, struct sample *sample)
{
	struct err err = {0};

	jobs_page_read(r->page, jobs);
	if (measure_sample(r->cfg.measure, MEASURE_EDGE | MEASURE_TITLES, sample, &err) == 0)
		return 0;
	sample_release(sample);
	memset(sample, 0, sizeof(*sample));
	run_fail(r, &err);
	return -1;
}

static void hand_over(struct run *r)
{
	struct window *w = r->window;

	r->window = NULL;
	r->cb.window(r, w, r->arg);
}

void run_window_counted(struct run *r)
{
	hand_over(r);
	if (r->stopping)
		return;
	if (r->cfg.continuous)
		run_enter(r, PHASE_LIVE, NULL);
	else
		run_stop(r, false);
}

/* What could be read at its beginning and not at its end is no figure, and nothing beside it is
 * worth much. */
static void check_readable(struct window *w)
{
	for (int i = 0; i < ROLE_COUNT && !w->invalid_reason[0]; i++) {
		struct value before = w->before.roles[i].total.cpu_ns;
		struct value after = w->after.roles[i].total.cpu_ns;

		if (w->before.roles[i].present && w->after.roles[i].present &&
		    before.state != VALUE_NONE && after.state == VALUE_UNREADABLE)
			snprintf(w->invalid_reason, sizeof(w->invalid_reason),
				 "the CPU time of the %s cannot be read: its cgroup began anew, or "
				 "processes were moved out of it",
				 role_name((enum role)i));
	}
}

/* What was measured before --queued ran out and after it are different things. */
static void note_queue(struct run *r, struct window *w)
{
	uint64_t empty = atomic_load_explicit(&r->page->queue_empty_ns, memory_order_relaxed);

	if (empty <= w->before.taken_ns || empty > w->after.taken_ns)
		return;
	w->queue_empty_ns = empty - w->before.taken_ns;
	run_say(r, MESSAGE_WARNING,
		"window %u: the jobs of --queued ran out at second %.1f; raise it, or shorten "
		"--measure",
		w->index, (double)w->queue_empty_ns / NS_PER_S);
}

/* The difference of the readings, and what it is worth. */
static void close_figures(struct run *r, struct window *w)
{
	struct usage zero = {0};

	w->length_ns = w->after.taken_ns - w->before.taken_ns;
	sample_diff(&w->before, &w->after, &w->usage);
	jobs_counts_diff(&w->jobs_before, &w->jobs_after, &w->jobs);
	w->monitor = w->usage.has_part[PART_MONITOR] ? w->usage.parts[PART_MONITOR] : zero;
	w->unbalanced = window_is_unbalanced(w, workload_backlog_swing(&r->cfg.workload));
	note_queue(r, w);
	w->done = true;
	check_readable(w);
	if (w->after.gap)
		run_say(r, MESSAGE_WARNING,
			"window %u: more than 2 %% of a role's CPU time "
			"belongs to processes that nobody reaped; it is missing",
			w->index);
}

void run_window_finish(struct run *r, const char *invalid_reason)
{
	struct window *w = r->window;

	uv_timer_stop(&r->timer);
	if (read_edge(r, &w->jobs_after, &w->after) < 0)
		return; /* run_fail has dropped the window */
	close_figures(r, w);
	w->valid = !invalid_reason && !w->invalid_reason[0];
	if (invalid_reason && !w->invalid_reason[0])
		snprintf(w->invalid_reason, sizeof(w->invalid_reason), "%s", invalid_reason);
	if (r->db_pending) {
		run_window_counted(r);
		return;
	}
	run_counts_after(r);
}

void run_window_drop(struct run *r, const char *reason)
{
	struct window *w = r->window;
	struct err err = {0};

	uv_timer_stop(&r->timer);
	if (w->done) { /* only its server counts were missing */
		hand_over(r);
		return;
	}
	w->valid = false;
	if (!w->invalid_reason[0])
		snprintf(w->invalid_reason, sizeof(w->invalid_reason), "%.199s", reason);
	/* What was measured until now is kept where it can be read. */
	jobs_page_read(r->page, &w->jobs_after);
	if (measure_sample(r->cfg.measure, MEASURE_EDGE | MEASURE_TITLES, &w->after, &err) < 0) {
		sample_release(&w->after);
		sample_copy(&w->after, &w->before);
		w->jobs_after = w->jobs_before;
	}
	close_figures(r, w);
	hand_over(r);
}

static void window_end_cb(uv_timer_t *t)
{
	run_window_finish(t->data, NULL);
}

void run_window_begin(struct run *r)
{
	struct window *w = xcalloc(1, sizeof(*w));

	w->run = r->cfg.index;
	w->dialect = r->dsn.dialect;
	snprintf(w->variant, sizeof(w->variant), "%s", r->cfg.variant.name);
	w->order = r->cfg.order;
	w->repeat = r->cfg.repeat;
	w->index = r->windows++;
	w->rate = r->cfg.workload.rate_max ? -1 : r->cfg.workload.rate;
	atomic_exchange(&r->page->latency.max_ns, 0);
	atomic_exchange(&r->page->lateness.max_ns, 0);
	if (read_edge(r, &w->jobs_before, &w->before) < 0) {
		window_release(w);
		free(w);
		return;
	}
	w->start_ns = w->before.taken_ns;
	w->start_wall_ns = w->before.wall_ns;
	r->window = w;
	run_enter(r, PHASE_WINDOW, NULL);
	run_timer(r, r->cfg.workload.measure_ns / NS_PER_MS, window_end_cb);
}

static void map_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	r->asking = false;
	if (!run_result_ok(r, res, STATEMENT_COUNT, "reading who is connected"))
		return;
	take_map(r, res);
	if (r->phase == PHASE_ALIGN && r->tick_seen)
		run_counts_before(r);
}

static void align_cb(uv_timer_t *t)
{
	struct run *r = t->data;
	/* of each worker */
	bool due = jobs_page_get(r->align.runs) - r->align_tick >= r->cfg.workload.workers ||
		   clock_now_ns() >= r->deadline_ns;

	if (!due || r->db_pending) {
		run_timer(r, ALIGN_LOOK_MS, align_cb);
		return;
	}
	r->tick_seen = true;
	run_ask(r, r->admin->map, map_cb);
}

/* The slowest of what a worker does at intervals that is not slower than a window: windows that
 * begin right after it have the same number of each. Something slower would only make us wait. */
static struct run_align slowest(const struct run *r, uint64_t up_to_ns)
{
	const struct workload *w = &r->cfg.workload;
	const struct run_align all[] = {
		{r->sql.text[SQL_RESCUE] ? WORKLOAD_RESCUE_NS : 0, &r->page->rescues,
		 "from the worker's next rescue of stalled jobs on"},
		{w->history_ns ? WORKLOAD_PRUNE_NS : 0, &r->page->prunes,
		 "from the next deletion of old jobs on"},
		{w->poll_interval_ns, &r->page->polls, "from the worker's next poll on"},
	};
	struct run_align found = {0, &r->page->polls, NULL};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].interval_ns <= up_to_ns && all[i].interval_ns > found.interval_ns)
			found = all[i];
	return found;
}

/* With a large table one such task more or less in a window is seen in its figures. */
static void warn_of_tasks(struct run *r)
{
	const struct workload *w = &r->cfg.workload;
	bool large = w->completed || w->history_ns || w->blocked || w->queued;
	uint64_t interval = w->history_ns ? WORKLOAD_PRUNE_NS : 0;

	if (r->sql.text[SQL_RESCUE])
		interval = WORKLOAD_RESCUE_NS;
	if (!large || r->tasks_said || 2 * interval <= w->measure_ns)
		return;
	r->tasks_said = true;
	run_say(r, MESSAGE_WARNING,
		"a window of %.9g s has fewer than two of the worker's tasks, one each %.9g s; "
		"with a large table use --measure %.9g or more",
		(double)w->measure_ns / NS_PER_S, (double)interval / NS_PER_S,
		2.0 * (double)interval / NS_PER_S + 10);
}

void run_align_begin(struct run *r)
{
	if (run_ending(r))
		return;
	warn_of_tasks(r);
	r->tick_seen = false;
	r->align = slowest(r, r->cfg.workload.measure_ns);
	r->align_tick = jobs_page_get(r->align.runs);
	r->deadline_ns =
		clock_now_ns() + (r->align.interval_ns ? r->align.interval_ns + NS_PER_S : 0);
	run_enter(r, PHASE_ALIGN, r->align.detail);
	run_timer(r, 0, align_cb);
}

static uint64_t jobs_sent(const struct jobs_page *page)
{
	return atomic_load_explicit(&page->enqueued, memory_order_relaxed) +
	       atomic_load_explicit(&page->enqueue_failed, memory_order_relaxed);
}

/* Jobs that the producer owes since the warm-up began; 0 without a pace. */
static double jobs_behind(const struct run *r)
{
	const struct workload *w = &r->cfg.workload;
	double due = w->rate * (double)(clock_now_ns() - r->warmup_ns) / NS_PER_S;

	return w->rate_max ? 0 : due - (double)(jobs_sent(r->page) - r->warmup_sent);
}

/* Not for ever. */
static bool catching_up(struct run *r)
{
	double behind = jobs_behind(r);

	if (behind <= 1 + CATCH_UP_S * r->cfg.workload.rate)
		return false;
	if (r->catch_up++ < CATCH_UP_LOOKS)
		return true;
	run_say(r, MESSAGE_WARNING,
		"the producer is %.0f jobs behind: this machine is too slow, or too busy, for the "
		"rate",
		behind);
	return false;
}

static void warmup_cb(uv_timer_t *t)
{
	struct run *r = t->data;

	if (catching_up(r)) {
		run_timer(r, CATCH_UP_LOOK_MS, warmup_cb);
		return;
	}
	if (r->window_wanted)
		run_align_begin(r);
	else
		run_enter(r, PHASE_LIVE, NULL);
}

/* Counters of single processes begin when these are first seen. They begin here, so that the
 * reading before the window can tell whether there is room for them. */
static void begin_counting(struct run *r)
{
	struct err err = {0};
	struct sample s;

	measure_sample(r->cfg.measure, 0, &s, &err);
	sample_release(&s);
}

void run_warmup_begin(struct run *r)
{
	begin_counting(r);
	r->catch_up = 0;
	r->warmup_ns = clock_now_ns();
	r->warmup_sent = jobs_sent(r->page);
	run_enter(r, PHASE_WARMUP, NULL);
	run_timer(r, r->cfg.workload.warmup_ns / NS_PER_MS, warmup_cb);
	run_refresh_map(r);
}
