/* One function for each object, in the order of the schema. */
#include "config.h"

#include "result/check_json.h"

#include "lib/clock.h"
#include "result/json_out.h"
#include "result/snapshot_host.h"

#define CHECK_VERSION 1

static json_t *state_json(const struct counter_state *s)
{
	return json_pack("{s:b, s:o, s:o}", "available", s->available, "reason",
			 s->available ? json_null()
				      : json_text(s->reason[0] ? s->reason : "not counted"),
			 "remedy", s->available ? json_null() : json_text_or_null(s->remedy));
}

static json_t *clock_json(const struct check *c)
{
	const struct check_clock *k = &c->clock;
	json_t *buckets = json_array();

	for (unsigned i = 0; i < CHECK_CLOCK_BUCKETS; i++)
		if (k->buckets[i])
			json_array_append_new(buckets, json_pack("[o, o]", json_count(1ULL << i),
								 json_count(k->buckets[i])));
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o}", "source",
			 json_text_or_null(c->host.clocksource), "readings",
			 json_count(k->readings), "median_ns", json_count(k->median_ns), "mean_ns",
			 json_count(k->mean_ns), "slow", k->median_ns > CHECK_SLOW_CLOCK_NS,
			 "histogram", buckets);
}

static json_t *counters_json(const struct check *c)
{
	const struct counters_info *i = &c->counters;
	json_t *perf = json_pack("{s:b, s:o, s:o}", "user_only", i->user_only, "instructions",
				 state_json(&i->instructions), "cycles", state_json(&i->cycles));
	json_t *icount = state_json(&c->icount);

	json_object_set_new(icount, "tool", json_text_or_null(c->icount_tool));
	return json_pack("{s:o, s:o}", "perf", perf, "icount", icount);
}

static json_t *cpu_json(const struct check *c)
{
	json_t *o = state_json(&c->cpu);

	json_object_set_new(o, "source", json_string(cpu_source_name(c->counters.cpu_source)));
	json_object_set_new(o, "no_cgroup", json_text_or_null(c->counters.cpu_reason));
	json_object_set_new(o, "used_ns", json_count(c->used_ns));
	json_object_set_new(o, "measured_ns", json_value(c->measured_ns));
	return o;
}

static json_t *loop_json(const struct check_loop *l)
{
	return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o}", "turns", json_count(l->turns), "cpu_ns",
			 json_count(l->cpu_ns), "expected_instructions",
			 l->expected ? json_count(l->expected) : json_null(), "user_only",
			 l->user_only, "instructions", json_value(l->instructions), "cycles",
			 json_value(l->cycles));
}

static json_t *readings_json(const struct check *c)
{
	json_t *a = json_array();

	for (int i = 0; i < CHECK_READINGS; i++)
		json_array_append_new(a, json_pack("{s:o, s:o}", "processes",
						   json_count(c->reading[i].processes), "cpu_ns",
						   json_value(c->reading[i].cpu_ns)));
	return a;
}

static json_t *share_json(double share)
{
	return share < 0 ? json_null() : json_number(share);
}

static void add_databases(json_t *root, const struct check *c)
{
	json_t *servers = json_array(), *clients = json_array();

	for (unsigned d = 0; d < DIALECT_COUNT; d++) {
		const char *dialect = dialect_name((enum dialect)d);
		json_t *server = state_json(&c->servers[d].found);

		json_object_set_new(server, "dialect", json_string(dialect));
		json_object_set_new(server, "version", json_text_or_null(c->servers[d].version));
		json_object_set_new(server, "binary", json_text_or_null(c->servers[d].binary));
		json_array_append_new(servers, server);
		if (c->clients[d].name[0])
			json_array_append_new(
				clients, json_pack("{s:s, s:o, s:o}", "dialect", dialect, "name",
						   json_text(c->clients[d].name), "version",
						   json_text_or_null(c->clients[d].version)));
	}
	json_object_set_new(root, "servers", servers);
	json_object_set_new(root, "clients", clients);
}

static void add_judgement(json_t *root, const struct check *c)
{
	json_t *notes = json_array(), *needs = json_array();

	for (size_t i = 0; i < c->nnotes; i++)
		json_array_append_new(notes, json_text(c->notes[i]));
	for (size_t i = 0; i < c->nneeds; i++) {
		json_t *need = state_json(&c->needs[i].state);

		json_object_set_new(need, "name", json_text(c->needs[i].name));
		json_array_append_new(needs, need);
	}
	json_object_set_new(root, "notes", notes);
	json_object_set_new(root, "needs", needs);
	json_object_set_new(root, "ok", json_boolean(c->ok));
}

int check_json_write(const struct check *c, const char *path, struct err *err)
{
	char created[32];
	json_t *root;

	json_out_init();
	clock_rfc3339(clock_wall_ns(), created);
	root = json_pack("{s:s, s:i, s:{s:s, s:s}, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
			 "cputop.check", "version", CHECK_VERSION, "tool", "name", "cputop",
			 "version", PACKAGE_VERSION, "created", created, "host",
			 snapshot_host(&c->host), "clock", clock_json(c), "counters",
			 counters_json(c), "cpu", cpu_json(c), "known_loop", loop_json(&c->loop),
			 "reading", readings_json(c));
	json_object_set_new(root, "steal",
			    json_pack("{s:o, s:o}", "since_boot", share_json(c->steal_boot), "now",
				      share_json(c->steal_now)));
	add_databases(root, c);
	add_judgement(root, c);
	return json_out_write(root, path, err);
}
