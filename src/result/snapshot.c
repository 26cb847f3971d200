/*
 * The snapshot as JSON: one function for each object, in the order of cputop-snapshot(5). The
 * machine is in snapshot_host.c, the windows are in snapshot_window.c.
 */
#include "config.h"

#include "result/snapshot.h"

#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "model/sample.h"
#include "result/compare.h"
#include "result/json_out.h"
#include "result/snapshot_host.h"
#include "result/snapshot_window.h"

#define SNAPSHOT_VERSION 1

static json_t *counter_state_json(const struct counter_state *s)
{
	const char *reason = s->reason[0] ? s->reason : "not counted";
	return json_pack("{s:b, s:o}", "available", s->available, "reason",
			 s->available ? json_null() : json_text(reason));
}

/* Without what these name, instructions of two sessions cannot be compared. */
static json_t *icount_json(const struct counters_info *c)
{
	const struct icount_facts *i = &c->icount;
	if (c->source != COUNTERS_ICOUNT)
		return json_null();
	json_t *roles = json_array();
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		if (i->roles & 1u << r)
			json_array_append_new(roles, json_text(role_name(r)));
	return json_pack("{s:o, s:o, s:o, s:o}", "valgrind", json_text_or_null(i->valgrind), "libc",
			 json_text_or_null(i->libc), "server_build_id",
			 json_text_or_null(i->server_build_id), "roles", roles);
}

static json_t *counters_json(const struct counters_info *c)
{
	if (!c)
		return json_null();
	json_t *cpu = json_pack("{s:b, s:o}", "available", !c->no_cpu_reason[0], "reason",
				json_text_or_null(c->no_cpu_reason));
	return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:o}", "source",
			 counter_source_name(c->source), "user_only", c->user_only, "cpu_source",
			 cpu_source_name(c->cpu_source), "instructions",
			 counter_state_json(&c->instructions), "cycles",
			 counter_state_json(&c->cycles), "cpu", cpu, "icount", icount_json(c));
}

/* Keys of options that this version does not have yet stand there with the value that is in
 * force. */
static json_t *workload_json(const struct workload *w)
{
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o}",
			      "names", json_count(w->names), "hot_names", json_count(w->hot_names),
			      "hot_share", json_number(w->hot_share), "rate",
			      w->rate_max ? json_string("max") : json_number(w->rate), "backlog",
			      json_count(w->backlog), "concurrency", json_count(w->concurrency),
			      "workers", json_count(w->workers), "pool", json_count(w->pool),
			      "poll_interval_s", json_seconds(w->poll_interval_ns), "enqueue",
			      w->enqueue_tx ? "tx" : "pool", "enqueue_batch",
			      json_count(w->enqueue_batch), "payload_bytes",
			      json_count(w->payload_bytes));
	json_t *rest =
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "warmup_s",
			  json_seconds(w->warmup_ns), "measure_s", json_seconds(w->measure_ns),
			  "repeat", json_count(w->repeat), "completed", json_count(w->completed),
			  "history_s", w->history_ns ? json_seconds(w->history_ns) : json_null(),
			  "mutex_keys", json_count(w->mutex_keys), "hold_s",
			  json_seconds(w->hold_ns), "blocked", json_count(w->blocked), "queued",
			  json_count(w->queued), "seed", json_count(w->seed));
	json_object_update(o, rest);
	json_decref(rest);
	return o;
}

static json_t *names_json(const char *const *names, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_text(names[i]));
	return array;
}

static json_t *database_json(const struct snapshot_database *d)
{
	json_t *settings = json_object();
	struct strbuf name;
	strbuf_init(&name);
	for (size_t i = 0; i < d->nsettings; i++) {
		strbuf_reset(&name);
		escape_text(&name, d->settings[i].name, strlen(d->settings[i].name), true);
		json_object_set_new(settings, name.buf, json_text(d->settings[i].value));
	}
	strbuf_release(&name);
	return json_pack("{s:s, s:o, s:o, s:o}", "dialect", dialect_name(d->dialect), "version",
			 json_text_or_null(d->version), "binary", json_text_or_null(d->binary),
			 "settings", settings);
}

/* A commit belongs to variants that are programs at a git ref; there are only SQL ones. */
static json_t *variant_json(const struct variant *v)
{
	return json_pack("{s:o, s:s, s:n, s:n}", "name", json_text(v->name), "kind", "sql",
			 "commit", "dirty");
}

static json_t *spread_json(const struct spread *s)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "median", json_figure(s->median), "min",
			 json_figure(s->min), "max", json_figure(s->max), "n", json_count(s->n));
}

static json_t *result_work_json(const struct spread work[WORK_COUNT])
{
	json_t *all = json_object();
	for (unsigned k = 0; k < WORK_COUNT; k++)
		json_object_set_new(all, work_key((enum work)k), spread_json(&work[k]));
	return all;
}

static json_t *result_costs_json(const struct spread spreads[ROLE_COUNT + 1][COUNTER_COUNT])
{
	json_t *all = json_object();
	for (unsigned role = 0; role <= ROLE_TOTAL; role++) {
		json_t *costs = json_object();
		for (unsigned c = 0; c < COUNTER_COUNT; c++)
			json_object_set_new(costs, counter_key(c), spread_json(&spreads[role][c]));
		json_object_set_new(all, role == ROLE_TOTAL ? "total" : role_name(role), costs);
	}
	return all;
}

static json_t *change_json(const struct change *c)
{
	bool decided = c->verdict != VERDICT_NONE;
	bool interval = decided && c->ci95_high > 0;
	return json_pack(
		"{s:o, s:o, s:o}", "ratio", json_figure(c->ratio), "ci95",
		interval ? json_pack("[o, o]", json_number(c->ci95_low), json_number(c->ci95_high))
			 : json_null(),
		"verdict", decided ? json_string(verdict_name(c->verdict)) : json_null());
}

static json_t *changes_json(const struct result *r)
{
	if (!r->has_change)
		return json_null();
	json_t *o = json_pack("{s:o}", "base", json_text(r->base));
	for (unsigned c = 0; c < COUNTER_COUNT; c++)
		json_object_set_new(o, counter_key(c), change_json(&r->change[c]));
	return o;
}

static json_t *result_json(const struct result *r, const struct snapshot *s)
{
	json_t *indexes = json_array();
	for (size_t i = 0; i < s->nwindows; i++) {
		const struct window *w = s->windows[i];
		if (w->done && w->valid && w->dialect == r->dialect &&
		    strcmp(w->variant, r->variant) == 0 && !(w->rate < r->rate) &&
		    !(w->rate > r->rate))
			json_array_append_new(indexes, json_count(w->index));
	}
	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "dialect",
		dialect_name(r->dialect), "variant", json_text(r->variant), "windows", indexes,
		"jobs", json_count(r->jobs), "per_job", result_costs_json(r->per_job), "per_second",
		result_costs_json(r->per_second), "work_per_job", result_work_json(r->work_per_job),
		"work_per_second", result_work_json(r->work_per_second), "latency_ns",
		snapshot_histogram(&r->latency), "change", changes_json(r));
}

static void add_lists(json_t *root, const struct snapshot *s)
{
	json_t *databases = json_array(), *variants = json_array();
	json_t *windows = json_array(), *results = json_array();
	for (size_t i = 0; i < s->ndatabases; i++)
		json_array_append_new(databases, database_json(&s->databases[i]));
	for (size_t i = 0; i < s->nvariants; i++)
		json_array_append_new(variants, variant_json(&s->variants[i]));
	for (size_t i = 0; i < s->nwindows; i++)
		json_array_append_new(windows, snapshot_window(s->windows[i]));
	for (size_t i = 0; i < s->nresults; i++)
		json_array_append_new(results, result_json(&s->results[i], s));
	json_object_set_new(root, "databases", databases);
	json_object_set_new(root, "variants", variants);
	json_object_set_new(root, "windows", windows);
	json_object_set_new(root, "results", results);
}

int snapshot_write(const struct snapshot *s, const char *path, struct err *err)
{
	char created[32];
	json_out_init();
	clock_rfc3339(s->created_wall_ns, created);
	json_t *root =
		json_pack("{s:s, s:i, s:{s:s, s:s}, s:s, s:b, s:o, s:o, s:o, s:o}", "schema",
			  "cputop.snapshot", "version", SNAPSHOT_VERSION, "tool", "name", "cputop",
			  "version", PACKAGE_VERSION, "created", created, "complete", s->complete,
			  "host", snapshot_host(s->host), "counters", counters_json(s->counters),
			  "workload", workload_json(s->workload), "from_environment",
			  names_json(s->from_environment, s->nfrom_environment));
	add_lists(root, s);
	return json_out_write(root, path, err);
}

static json_t *process_json(const struct proc_row *row)
{
	const char *title = row->title && row->title[0] ? row->title : row->comm;
	return json_pack("{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "pid",
			 json_count((uint64_t)row->pid), "tid",
			 row->thread ? json_count((uint64_t)row->tid) : json_null(), "start",
			 json_count(row->start), "role", role_name(row->role), "part",
			 part_name(row->part), "title", json_text_or_null(title), "cpu_ns",
			 json_value(row->usage.cpu_ns), "instructions",
			 json_value(row->usage.instructions), "cycles",
			 json_value(row->usage.cycles));
}

int snapshot_write_sample(const struct sample *s, const char *path, struct err *err)
{
	json_out_init();
	json_t *processes = json_array();
	for (size_t i = 0; i < s->nrows; i++)
		json_array_append_new(processes, process_json(&s->rows[i]));
	return json_out_write(json_pack("{s:o, s:o}", "taken_ns", json_count(s->taken_ns),
					"processes", processes),
			      path, err);
}

int snapshot_write_sizes(const struct snapshot_table *tables, size_t n, const char *path,
			 struct err *err)
{
	json_out_init();
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct snapshot_table *t = &tables[i];
		json_t *indexes = json_array();
		for (size_t k = 0; k < t->nindexes; k++)
			json_array_append_new(indexes,
					      json_pack("{s:o, s:o}", "name",
							json_text(t->indexes[k].name), "bytes",
							json_count(t->indexes[k].bytes)));
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(t->name),
						"bytes", json_count(t->bytes), "dead_rows",
						json_value(t->dead_rows), "indexes", indexes));
	}
	return json_out_write(json_pack("{s:o}", "tables", list), path, err);
}
