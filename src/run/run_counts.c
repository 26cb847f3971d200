/*
 * What the server counts of itself, around a window and never inside:
 *
 *   worker and producer hand in their statistics -> the counts -> first reading ... second reading
 *   -> they hand in again -> the counts
 *
 * The counts so cover a few ms more than the window. What cputop's own statements add to them was
 * learnt while nothing else ran, and is taken out.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "run/run_internal.h"

#define ANSWER_MS 30000
#define LOOKS     3 /* at the counts, to learn what a look adds */

static const struct admin_counts *counting(const struct run *r)
{
	const char *text = server_version(r->cfg.server);
	const struct admin_counts *c = r->admin->counts;
	char version[8];
	uint64_t major = 0;

	snprintf(version, sizeof(version), "%.*s", (int)strcspn(text, "."), text);
	if (!parse_u64(version, &major))
		major = 0;
	while (c->since > major)
		c++;
	return c;
}

static void read_counts(const struct db_result *res, struct value out[SERVER_COUNTS])
{
	for (unsigned i = 0; i < SERVER_COUNTS; i++) {
		const char *text = i < res->cols && res->rows ? res->field(res, 0, i) : NULL;
		uint64_t v;

		out[i] = text && parse_u64(text, &v) ? value_of((int64_t)v) : (struct value){0};
	}
}

/* ---- asking, for so long and no longer ---- */

static void unanswered_cb(uv_timer_t *t)
{
	struct run *r = t->data;

	if (!r->asking)
		return;
	run_failf(r, "%s has not answered%s for %d s: it hangs, or this machine is far too busy",
		  dialect_name(r->dsn.dialect),
		  r->db_pending ? "" : " a connection of worker or producer", ANSWER_MS / 1000);
}

void run_ask(struct run *r, const char *sql, db_cb cb)
{
	r->db_pending++;
	r->asking = true;
	run_timer(r, ANSWER_MS, unanswered_cb);
	db_query(r->db, sql, cb, r);
}

/* All connections of worker and producer; then, which may find that it is not wanted any more. */
static void ask_load(struct run *r, void (*then)(struct run *))
{
	const char *sql = counting(r)->ask;

	plan_counts_clear(&r->plans);
	if (!sql) {
		then(r);
		return;
	}
	r->plans.known = true;
	r->question++;
	r->question_then = then;
	r->asking = true;
	run_timer(r, ANSWER_MS, unanswered_cb);
	for (int i = 0; i < RUN_ROLES; i++) {
		r->answered[i] = false;
		load_ask(r->load[i], r->question, sql);
	}
}

void run_counts_answer(struct run *r, unsigned number, const char *name, const uint64_t v[2])
{
	if (number == r->question)
		plan_counts_add(&r->plans, name, v[0], v[1]);
}

void run_counts_answered(struct run *r, enum role role, unsigned number)
{
	if (number != r->question || run_ending(r))
		return;
	r->answered[role] = true;
	for (int i = 0; i < RUN_ROLES; i++) {
		if (!r->answered[i])
			return;
	}
	r->asking = false;
	r->question_then(r);
}

/* ---- before a window ---- */

static void before_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	r->asking = false;
	if (!run_result_ok(r, res, STATEMENT_COUNT, "reading the server's counts"))
		return;
	read_counts(res, r->counts);
	if (r->phase == PHASE_ALIGN && r->tick_seen)
		run_window_begin(r);
}

static void count_before(struct run *r)
{
	if (r->phase != PHASE_ALIGN || !r->tick_seen || r->db_pending)
		return;
	plan_counts_clear(&r->plans_before);
	r->plans_before = r->plans;
	r->plans = (struct plan_counts){.n = 0};
	run_ask(r, counting(r)->sql, before_cb);
}

void run_counts_before(struct run *r)
{
	ask_load(r, count_before);
}

/* ---- after a window ---- */

/* What fell has been reset by somebody: nobody knows how far it had come. */
static struct value growth(struct value before, struct value after, int64_t own)
{
	struct value d = value_sub(after, before);

	if (!value_known(d))
		return d;
	if (d.v < 0)
		return (struct value){0, VALUE_UNREADABLE};
	d.v -= own < d.v ? own : d.v;
	return d;
}

static void fill_counts(struct run *r, struct server_counts *c, struct value after[SERVER_COUNTS])
{
	const struct admin_counts *k = counting(r);

	for (unsigned i = 0; i < SERVER_COUNTS; i++) {
		struct value v = growth(r->counts[i], after[i], r->own_counts[i]);
		const char *why = v.state == VALUE_UNREADABLE ? k->fell[i] : k->missing[i];

		*server_count(c, (enum server_count)i) = v;
		if (!value_known(v))
			c->why[i] = why                           ? why
				    : v.state == VALUE_UNREADABLE ? "the server began to count anew"
								  : "the server did not tell";
	}
}

static void after_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;
	struct value after[SERVER_COUNTS];

	(void)db;
	r->asking = false;
	if (!r->window) {
		run_result_ok(r, res, STATEMENT_COUNT, NULL);
		return;
	}
	if (!run_result_ok(r, res, STATEMENT_COUNT, "reading the server's counts"))
		return;
	read_counts(res, after);
	fill_counts(r, &r->window->server, after);
	run_sizes_after_window(r);
}

/* A plan for each execution where one plan would do costs more than the execution. */
static void say_anew(struct run *r, struct window *w)
{
	const struct plan_count *c =
		plan_counts_anew(&w->plans, r->cfg.workload.pool * r->cfg.workload.workers);

	if (!c)
		return;
	w->anew = *c;
	run_say(r, MESSAGE_WARNING,
		"%s: %s was planned anew %llu times, and took its one plan "
		"for all %llu times: write constants as literals (LIMIT above all), or "
		"set plan_cache_mode to force_generic_plan",
		w->variant, c->name, (unsigned long long)c->custom, (unsigned long long)c->generic);
}

static void count_after(struct run *r)
{
	struct window *w = r->window;

	if (!w || !w->done || r->db_pending)
		return;
	plan_counts_clear(&w->plans);
	w->plans = r->plans;
	r->plans = (struct plan_counts){.n = 0};
	plan_counts_sub(&w->plans, &r->plans_before);
	say_anew(r, w);
	run_ask(r, counting(r)->sql, after_cb);
}

void run_counts_after(struct run *r)
{
	for (unsigned i = 0; i < SERVER_COUNTS; i++)
		r->window->server.why[i] = "the run ended before the server was asked";
	ask_load(r, count_after);
}

void run_counts_release(struct run *r)
{
	plan_counts_clear(&r->plans);
	plan_counts_clear(&r->plans_before);
}

/* ---- what a look adds ---- */

static void learn_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;
	struct value now[SERVER_COUNTS];

	if (!run_result_ok(r, res, STATEMENT_COUNT, "reading the server's counts"))
		return;
	read_counts(res, now);
	if (r->looks > 0) {
		struct value d =
			growth(r->counts[SERVER_ROWS_EXAMINED], now[SERVER_ROWS_EXAMINED], 0);
		int64_t *own = &r->own_counts[SERVER_ROWS_EXAMINED];

		/* Pages are asked for by the server's own threads, too, and none by the look. */
		if (value_known(d) && (r->looks == 1 || d.v < *own))
			*own = d.v;
	}
	memcpy(r->counts, now, sizeof(now));
	if (++r->looks == LOOKS) {
		run_start_load(r);
		return;
	}
	r->db_pending++;
	db_query(db, counting(r)->sql, learn_cb, r);
}

static void handed_in_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	if (!run_result_ok(r, res, STATEMENT_COUNT, "handing in the statistics"))
		return;
	r->db_pending++;
	db_query(db, counting(r)->sql, learn_cb, r);
}

void run_counts_learn(struct run *r)
{
	const struct admin_counts *k = counting(r);

	/* What filling the tables has cost is told now, and not within a window. */
	r->db_pending++;
	db_query(r->db, k->ask ? k->ask : k->sql, handed_in_cb, r);
}
