/*
 * The tables are filled: one job a year ahead for each name, the completed jobs of --completed in
 * steps (one statement each, so that there is progress to show), with --mutex-keys the jobs that
 * wait for a key, then what is best made last: indexes.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/dialect.h"
#include "run/run_internal.h"

/* Jobs in one statement: a few seconds. MySQL and MariaDB count the rows up one by one, and keep
 * what a transaction undoes. */
static unsigned step_of(enum dialect d)
{
	return d == DIALECT_POSTGRES ? 1000000 : 100000;
}

static void query(struct run *r, enum statement s, int nparams, const char *const *params, db_cb cb)
{
	r->db_pending++;
	if (nparams)
		db_query_params(r->db, r->sql.text[s], nparams, params, cb, r);
	else
		db_query(r->db, r->sql.text[s], cb, r);
}

/* What the tables need before there are keys, and the jobs that wait for one. */
static const struct fill_step {
	enum statement s;
	const char *detail;
	const char *key;
} key_steps[] = {
	{SQL_ROUTINE_CLAIM, "routines", NULL},
	{SQL_ROUTINE_COMPLETE, "routines", NULL},
	{SQL_HOLD, "a key that is held", WORKLOAD_BLOCKED_KEY},
	{SQL_KEYED, "blocked jobs", WORKLOAD_BLOCKED_KEY},
	{SQL_KEYED, "queued jobs", WORKLOAD_QUEUE_KEY},
};
#define KEY_STEPS (sizeof(key_steps) / sizeof(key_steps[0]))

static void fill_next(struct run *r);

static void key_step_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	if (run_result_ok(r, res, key_steps[r->key_step - 1].s, NULL))
		fill_next(r);
}

/* How many jobs a step adds; what adds none is done once when keys are used at all. */
static unsigned key_step_jobs(const struct workload *w, const struct fill_step *step)
{
	if (!step->key)
		return 1;
	return strcmp(step->key, WORKLOAD_QUEUE_KEY) == 0 ? w->queued : w->blocked;
}

static void send_key_step(struct run *r, const struct fill_step *step, unsigned jobs)
{
	char n[16], names[16];
	const char *params[] = {n, names, step->key};

	snprintf(n, sizeof(n), "%u", jobs);
	snprintf(names, sizeof(names), "%u", r->cfg.workload.names);
	r->cb.phase(r, PHASE_FILLING, step->detail, -1, r->arg);
	r->db_pending++;
	if (step->s == SQL_KEYED)
		db_query_params(r->db, r->sql.text[step->s], 3, params, key_step_cb, r);
	else
		db_query_params(r->db, r->sql.text[step->s], step->key ? 1 : 0, &params[2],
				key_step_cb, r);
}

/* Sends the next of these steps that there is something to do for; false when none is left. */
static bool fill_keys(struct run *r)
{
	const struct workload *w = &r->cfg.workload;

	while (w->mutex_keys && r->key_step < KEY_STEPS) {
		const struct fill_step *step = &key_steps[r->key_step++];
		unsigned jobs = key_step_jobs(w, step);

		if (!r->sql.text[step->s] || !jobs)
			continue;
		send_key_step(r, step, jobs);
		return true;
	}
	return false;
}

static void indexed_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	if (run_result_ok(r, res, SQL_INDEX, NULL))
		run_filled(r);
}

static void completed_cb(struct db *db, const struct db_result *res, void *arg)
{
	(void)db;
	if (run_result_ok(arg, res, SQL_COMPLETED, NULL))
		fill_next(arg);
}

static void fill_completed(struct run *r)
{
	const struct workload *w = &r->cfg.workload;
	unsigned left = w->completed - r->filled, step = step_of(r->dsn.dialect);
	char first[16], n[16], names[16], detail[80];
	const char *params[] = {first, n, names};

	if (step > left)
		step = left;
	snprintf(detail, sizeof(detail), "completed jobs: %u of %u", r->filled, w->completed);
	r->cb.phase(r, PHASE_FILLING, detail, (double)r->filled / w->completed, r->arg);
	snprintf(first, sizeof(first), "%u", r->filled);
	snprintf(n, sizeof(n), "%u", step);
	snprintf(names, sizeof(names), "%u", w->names);
	r->filled += step;
	query(r, SQL_COMPLETED, 3, params, completed_cb);
}

static void fill_next(struct run *r)
{
	if (r->filled < r->cfg.workload.completed) {
		fill_completed(r);
	} else if (fill_keys(r)) {
		return;
	} else if (r->sql.text[SQL_INDEX]) {
		r->cb.phase(r, PHASE_FILLING, "indexes", -1, r->arg);
		query(r, SQL_INDEX, 0, NULL, indexed_cb);
	} else {
		run_filled(r);
	}
}

static void prefilled_cb(struct db *db, const struct db_result *res, void *arg)
{
	(void)db;
	if (run_result_ok(arg, res, SQL_PREFILL, NULL))
		fill_next(arg);
}

void run_fill_begin(struct run *r)
{
	char names[16];
	const char *params[] = {names};

	snprintf(names, sizeof(names), "%u", r->cfg.workload.names);
	run_enter(r, PHASE_FILLING, "one job a year ahead for each name");
	query(r, SQL_PREFILL, 1, params, prefilled_cb);
}
