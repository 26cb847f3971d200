/*
 * The object "host". One table tells the fields of one kind, so a new fact is a row here, a field
 * of struct host, and a line in the schema and in the manual.
 */
#include "config.h"

#include "result/snapshot_host.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "result/json_out.h"

enum kind { TEXT, FLAG, INT, INT64, REAL };

/* min: the least value that is one, below it is null. */
struct field {
	const char *name;
	enum kind kind;
	size_t offset;
	int64_t min;
};

#define FIELD(kind, name, min)                                \
	{                                                     \
#name, kind, offsetof(struct host, name), min \
	}

static const struct field fields[] = {
	FIELD(TEXT, kernel, 0),
	FIELD(TEXT, arch, 0),
	FIELD(TEXT, cpu_model, 0),
	FIELD(INT, cpus_online, 0),
	FIELD(TEXT, hypervisor, 0),
	FIELD(TEXT, governor, 0),
	FIELD(TEXT, clocksource, 0),
	FIELD(INT64, clock_read_ns, 0),
	FIELD(FLAG, smt, 0),
	FIELD(FLAG, autogroup, 0),
	FIELD(INT, perf_event_paranoid, -1),
	FIELD(TEXT, thp, 0),
	FIELD(INT, aslr, 0),
	FIELD(TEXT, data_dir_fs, 0),
	FIELD(TEXT, boot_id, 0),
	FIELD(INT64, clock_ticks, 0),
	FIELD(TEXT, microcode, 0),
	FIELD(TEXT, cpus_isolated, 0),
	FIELD(TEXT, cpus_allowed, 0),
	FIELD(TEXT, cpu_clusters, 0),
	FIELD(TEXT, pmus, 0),
	FIELD(TEXT, cpufreq_driver, 0),
	FIELD(INT64, cpufreq_min_khz, 0),
	FIELD(INT64, cpufreq_max_khz, 0),
	FIELD(TEXT, energy_preference, 0),
	FIELD(FLAG, turbo, 0),
	FIELD(TEXT, idle_driver, 0),
	FIELD(TEXT, idle_governor, 0),
	FIELD(TEXT, clocksources, 0),
	FIELD(TEXT, kernel_options, 0),
	FIELD(FLAG, nmi_watchdog, 0),
	FIELD(FLAG, ksm, 0),
	FIELD(INT, numa_balancing, 0),
	FIELD(INT, swappiness, 0),
	FIELD(INT, overcommit_memory, 0),
	FIELD(INT, io_uring_disabled, 0),
	FIELD(INT64, uptime_s, 0),
	FIELD(TEXT, container, 0),
	FIELD(REAL, cgroup_quota_cpus, 0),
	FIELD(INT64, nice, -20),
	FIELD(INT64, timer_slack_ns, 0),
};

static json_t *real_or_null(double v)
{
	return v < 0 ? json_null() : json_number(v);
}

static json_t *field_json(const struct host *h, const struct field *f)
{
	const char *at = (const char *)h + f->offset;
	int64_t wide = -1;
	double real;
	int v;

	switch (f->kind) {
	case TEXT:
		return json_text_or_null(at);
	case FLAG:
		memcpy(&v, at, sizeof(v));
		return v < 0 ? json_null() : json_boolean(v);
	case INT:
		memcpy(&v, at, sizeof(v));
		return json_at_least(v, f->min);
	case INT64:
		memcpy(&wide, at, sizeof(wide));
		return json_at_least(wide, f->min);
	case REAL:
		memcpy(&real, at, sizeof(real));
		return real_or_null(real);
	}
	return json_null();
}

static json_t *mitigations_json(const struct host *h)
{
	json_t *o;

	if (h->nmitigations < 0)
		return json_null();
	o = json_object();
	for (int i = 0; i < h->nmitigations; i++)
		json_object_set_new(o, h->mitigations[i].name, json_text(h->mitigations[i].text));
	return o;
}

static json_t *noise_json(const struct host_noise *n)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "steal_ns", json_at_least(n->steal_ns, 0),
			 "pressure_ns", json_at_least(n->pressure_ns, 0), "throttled_ns",
			 json_at_least(n->throttled_ns, 0), "throttled_runs",
			 json_at_least(n->throttled_runs, 0));
}

json_t *snapshot_host(const struct host *h)
{
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		json_object_set_new(o, fields[i].name, field_json(h, &fields[i]));
	json_object_set_new(o, "loadavg",
			    json_pack("[o, o, o]", real_or_null(h->loadavg[0]),
				      real_or_null(h->loadavg[1]), real_or_null(h->loadavg[2])));
	json_object_set_new(o, "mitigations", mitigations_json(h));
	json_object_set_new(o, "before", noise_json(&h->before));
	json_object_set_new(o, "after", noise_json(&h->after));
	return o;
}
