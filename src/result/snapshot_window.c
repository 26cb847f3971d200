/*
 * A window as JSON. A window without its second reading has names and the counts of its beginning;
 * everything that is a difference is null.
 */
#include "config.h"

#include "result/snapshot_window.h"

#include <math.h>
#include <string.h>

#include "lib/clock.h"
#include "result/figures.h"
#include "result/json_out.h"

const char *counter_key(enum counter c)
{
	static const char *const keys[COUNTER_COUNT] = {
		[COUNTER_INSTRUCTIONS] = "instructions",
		[COUNTER_CYCLES] = "cycles",
		[COUNTER_CPU_NS] = "cpu_ns",
	};
	return keys[c];
}

/* A count of a window that has ended. */
static json_t *ended(const struct window *w, uint64_t n)
{
	return w->done ? json_count(n) : json_null();
}

static json_t *usage_json(const struct usage *u)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "instructions",
			 json_value(u->instructions), "instructions_user",
			 json_value(u->instructions_user), "cycles", json_value(u->cycles),
			 "cycles_user", json_value(u->cycles_user), "coverage",
			 u->coverage > 0 ? json_number(u->coverage) : json_null(), "cpu_ns",
			 json_value(u->cpu_ns), "context_switches", json_value(u->context_switches),
			 "read_bytes", json_value(u->read_bytes), "written_bytes",
			 json_value(u->written_bytes), "processes", json_count(u->processes));
}

static json_t *parts_json(const struct usage_diff *d)
{
	json_t *parts = json_object();
	/* the monitor is beside the database, not in it */
	for (unsigned p = PART_NONE; p < PART_COUNT; p++)
		if (d->has_part[p] && p != PART_MONITOR)
			json_object_set_new(parts, part_name(p), usage_json(&d->parts[p]));
	return parts;
}

static json_t *processes_json(const struct window *w)
{
	const struct usage_diff *d = &w->usage;
	json_t *database = usage_json(&d->roles[ROLE_DATABASE]);
	json_object_set_new(database, "parts", parts_json(d));
	json_t *machine = json_pack("{s:o, s:o, s:o}", "busy_ns", ended(w, d->machine_busy_ns),
				    "steal_ns", ended(w, d->machine_steal_ns), "idle_servers_ns",
				    ended(w, d->idle_servers_ns));
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o}", "worker", usage_json(&d->roles[ROLE_WORKER]),
		"producer", usage_json(&d->roles[ROLE_PRODUCER]), "database", database, "monitor",
		usage_json(&w->monitor), "cputop", usage_json(&d->cputop), "machine", machine);
}

static json_t *cost_json(const struct figure cost[COUNTER_COUNT])
{
	json_t *c = json_object();
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		json_object_set_new(c, counter_key(i), json_figure(cost[i]));
	return c;
}

static json_t *costs_json(struct figure costs[ROLE_COUNT + 1][COUNTER_COUNT])
{
	json_t *all = json_object();
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		json_object_set_new(all, role_name(r), cost_json(costs[r]));
	json_object_set_new(all, "total", cost_json(costs[ROLE_TOTAL]));
	return all;
}

static json_t *per_job_json(const struct window *w)
{
	struct figure costs[ROLE_COUNT + 1][COUNTER_COUNT];
	if (!w->done || w->jobs.completed == 0)
		return json_null();
	figures_per_job(&w->usage, w->jobs.completed, costs);
	return costs_json(costs);
}

static json_t *per_second_json(const struct window *w)
{
	struct figure costs[ROLE_COUNT + 1][COUNTER_COUNT];
	figures_per_second(&w->usage, costs);
	return costs_json(costs);
}

static json_t *jobs_json(const struct window *w)
{
	const struct jobs_counts *j = &w->jobs;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "enqueued", ended(w, j->enqueued),
			 "late", ended(w, j->late_jobs), "completed", ended(w, j->completed),
			 "failed", ended(w, j->failed), "retried", ended(w, j->retried),
			 "backlog_before", json_count(jobs_counts_waiting(&w->jobs_before)),
			 "backlog_after", ended(w, jobs_counts_waiting(&w->jobs_after)));
}

static json_t *buckets_json(const struct histogram *h)
{
	json_t *buckets = json_array();
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (h->n[i])
			json_array_append_new(buckets,
					      json_pack("[o, o]", json_count(histogram_upper(i)),
							json_count(h->n[i])));
	return buckets;
}

static json_t *quantile(const struct histogram *h, double p)
{
	return h->count ? json_count(histogram_quantile(h, p)) : json_null();
}

static json_t *rounded(const struct histogram *h, double ns)
{
	return h->count ? json_integer((json_int_t)llround(ns)) : json_null();
}

json_t *snapshot_histogram(const struct histogram *h)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "mean",
			 rounded(h, histogram_mean_ns(h)), "sd", rounded(h, histogram_sd_ns(h)),
			 "p50", quantile(h, 0.5), "p95", quantile(h, 0.95), "p99",
			 quantile(h, 0.99), "max", h->count ? json_count(h->max_ns) : json_null(),
			 "histogram", buckets_json(h));
}

static const char *const work_keys[WORK_COUNT] = {
	[WORK_STATEMENTS] = "statements", [WORK_COMMITS] = "commits",
	[WORK_LOG_BYTES] = "wal_bytes",   [WORK_ROWS] = "rows_examined",
	[WORK_BUFFERS] = "buffers",
};

const char *work_key(enum work k)
{
	return work_keys[k];
}

static void add_missing(json_t *missing, const char *key, struct value v, const char *why)
{
	if (!value_known(v))
		json_object_set_new(missing, key,
				    json_string(why ? why : "not measured to its end"));
}

static json_t *work_json(const struct window *w)
{
	const struct server_counts *s = &w->server;
	json_t *o = json_object(), *missing = json_object();
	for (unsigned k = 0; k < WORK_COUNT; k++) {
		const char *why = NULL;
		struct value v = {0, VALUE_NONE};
		if (w->done)
			v = window_work(w, (enum work)k, &why);
		json_object_set_new(o, work_keys[k], json_value(v));
		add_missing(missing, work_keys[k], v, why);
	}
	json_object_set_new(o, "maintenance_runs", ended(w, w->jobs.prunes + w->jobs.rescues));
	json_object_set_new(o, "checkpoints", json_value(s->checkpoints));
	add_missing(missing, "checkpoints", s->checkpoints, s->why[SERVER_CHECKPOINTS]);
	json_object_set_new(o, "autovacuums", json_value(s->autovacuums));
	add_missing(missing, "autovacuums", s->autovacuums, s->why[SERVER_AUTOVACUUMS]);
	json_object_set_new(o, "missing", missing);
	return o;
}

static json_t *plans_json(const struct window *w)
{
	json_t *plans = json_array();
	if (!w->plans.known) {
		json_decref(plans);
		return json_null();
	}
	for (size_t i = 0; i < w->plans.n; i++) {
		const struct plan_count *p = &w->plans.v[i];
		json_array_append_new(plans, json_pack("{s:o, s:o, s:o, s:b}", "statement",
						       json_text(p->name), "generic",
						       json_count(p->generic), "custom",
						       json_count(p->custom), "anew",
						       strcmp(p->name, w->anew.name) == 0));
	}
	return plans;
}

/* What the server did of its own accord within the window, and what its figures lack. */
static json_t *events_json(const struct window *w)
{
	const struct server_counts *s = &w->server;
	json_t *events = json_array();
	if (value_known(s->checkpoints) && s->checkpoints.v > 0)
		json_array_append_new(events, json_string("checkpoint"));
	if (value_known(s->autovacuums) && s->autovacuums.v > 0)
		json_array_append_new(events, json_string("autovacuum"));
	if (w->done && w->after.gap)
		json_array_append_new(events, json_string("unreaped"));
	if (window_is_late(w))
		json_array_append_new(events, json_string("late"));
	if (window_has_few_jobs(w))
		json_array_append_new(events, json_string("few jobs"));
	if (w->queue_empty_ns)
		json_array_append_new(events, json_string("queue empty"));
	return events;
}

static json_t *checks_json(const struct window *w)
{
	const struct jobs_counts *j = &w->jobs;
	return json_pack("{s:o, s:o, s:o, s:o}", "duplicates", ended(w, j->duplicates), "lost",
			 json_value(w->lost), "mutex_overlaps", ended(w, j->mutex_overlaps),
			 "mutex_wrong_keys", ended(w, j->mutex_wrong_keys));
}

json_t *snapshot_window(const struct window *w)
{
	static const struct histogram empty;
	char start[32];
	clock_rfc3339(w->start_wall_ns, start);
	bool valid = w->done && w->valid;
	json_t *o = json_pack("{s:o, s:s, s:o, s:o, s:s, s:o, s:b, s:o, s:b, s:o}", "index",
			      json_count(w->index), "dialect", dialect_name(w->dialect), "variant",
			      json_text(w->variant), "order", json_count(w->order), "start", start,
			      "length_ns", ended(w, w->length_ns), "valid", valid, "invalid_reason",
			      valid ? json_null()
				    : json_text(w->invalid_reason[0] ? w->invalid_reason
								     : "not measured to its end"),
			      "unbalanced", w->unbalanced, "events", events_json(w));
	json_object_set_new(o, "rate", w->rate < 0 ? json_string("max") : json_number(w->rate));
	json_object_set_new(o, "jobs", jobs_json(w));
	json_object_set_new(o, "checks", checks_json(w));
	json_object_set_new(o, "latency_ns",
			    snapshot_histogram(w->done ? &w->jobs.latency : &empty));
	json_object_set_new(o, "lateness_ns",
			    snapshot_histogram(w->done ? &w->jobs.lateness : &empty));
	json_object_set_new(o, "work", work_json(w));
	json_object_set_new(o, "plans", plans_json(w));
	json_object_set_new(o, "processes", processes_json(w));
	json_object_set_new(o, "per_job", per_job_json(w));
	json_object_set_new(o, "per_second", per_second_json(w));
	return o;
}
