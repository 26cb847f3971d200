/*
 * The tables are filled: one job a year ahead for each name, the completed jobs of --completed in
 * steps (one statement each, so that there is progress to show), then what is best made last:
 * indexes.
 */
#include "config.h"

#include <stdio.h>

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

static void indexed_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	if (run_result_ok(r, res, SQL_INDEX, NULL))
		run_filled(r);
}

static void fill_next(struct run *r);

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
