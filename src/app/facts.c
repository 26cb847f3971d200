/* The environment screen: what a figure depends on, as lines of text. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session_internal.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

static void fact(struct session *s, const char *group, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void fact(struct session *s, const char *group, const char *name, const char *fmt, ...)
{
	struct model *m = &s->model;
	struct strbuf sb;
	struct fact *f;
	va_list ap;
	char *text;

	if (m->nfacts == MODEL_FACTS_MAX)
		return;
	f = &m->facts[m->nfacts++];
	memset(f, 0, sizeof(*f));
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	strbuf_init(&sb);
	escape_text(&sb, text, strlen(text), true);
	free(text);
	snprintf(f->group, sizeof(f->group), "%s", group);
	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(f->value, sizeof(f->value), "%s", sb.len ? sb.buf : "-");
	strbuf_release(&sb);
}

static const char *yes_no(int v)
{
	return v < 0 ? "-" : v ? "on" : "off";
}

static void host_facts(struct session *s)
{
	const struct host *h = &s->host;
	const char *g = "host";

	fact(s, g, "kernel", "%s %s", h->kernel, h->arch);
	fact(s, g, "CPU", "%s", h->cpu_model);
	fact(s, g, "CPUs online", "%d", h->cpus_online);
	fact(s, g, "hypervisor", "%s", h->hypervisor);
	fact(s, g, "frequency governor", "%s", h->governor);
	fact(s, g, "clock source", "%s, %lld ns a reading", h->clocksource,
	     (long long)h->clock_read_ns);
	fact(s, g, "SMT", "%s", yes_no(h->smt));
	fact(s, g, "scheduler autogroup", "%s", yes_no(h->autogroup));
	if (h->perf_event_paranoid == -2)
		fact(s, g, "perf_event_paranoid", "-");
	else
		fact(s, g, "perf_event_paranoid", "%d", h->perf_event_paranoid);
	fact(s, g, "transparent huge pages", "%s", h->thp);
	fact(s, g, "ASLR", "%d", h->aslr);
	fact(s, g, "load at the start", "%.2f %.2f %.2f", h->loadavg[0], h->loadavg[1],
	     h->loadavg[2]);
	fact(s, g, "file system of the data", "%s", h->data_dir_fs);
}

/* -1: not there. */
static void number_fact(struct session *s, const char *name, int64_t v, const char *unit)
{
	if (v < 0)
		fact(s, "host", name, "-");
	else
		fact(s, "host", name, "%lld%s", (long long)v, unit);
}

static void processor_facts(struct session *s)
{
	const struct host *h = &s->host;
	const char *g = "host";

	fact(s, g, "microcode", "%s", h->microcode);
	fact(s, g, "CPUs isolated", "%s", h->cpus_isolated);
	fact(s, g, "CPUs allowed", "%s", h->cpus_allowed);
	fact(s, g, "kinds of CPU", "%s", h->cpu_clusters);
	fact(s, g, "event sources", "%s", h->pmus);
	fact(s, g, "frequency driver", "%s", h->cpufreq_driver);
	number_fact(s, "lowest frequency", h->cpufreq_min_khz, " kHz");
	number_fact(s, "highest frequency", h->cpufreq_max_khz, " kHz");
	fact(s, g, "energy preference", "%s", h->energy_preference);
	fact(s, g, "turbo", "%s", yes_no(h->turbo));
	fact(s, g, "idle driver, governor", "%s%s%s", h->idle_driver,
	     h->idle_driver[0] && h->idle_governor[0] ? ", " : "", h->idle_governor);
	fact(s, g, "clock sources", "%s", h->clocksources);
	for (int i = 0; i < h->nmitigations; i++)
		fact(s, g, h->mitigations[i].name, "%s", h->mitigations[i].text);
}

static void kernel_facts(struct session *s)
{
	const struct host *h = &s->host;
	const char *g = "host";

	fact(s, g, "kernel options", "%s", h->kernel_options);
	fact(s, g, "NMI watchdog", "%s", yes_no(h->nmi_watchdog));
	fact(s, g, "KSM", "%s", yes_no(h->ksm));
	number_fact(s, "NUMA balancing", h->numa_balancing, "");
	number_fact(s, "swappiness", h->swappiness, "");
	number_fact(s, "overcommit_memory", h->overcommit_memory, "");
	number_fact(s, "io_uring_disabled", h->io_uring_disabled, "");
	number_fact(s, "uptime at the start", h->uptime_s, " s");
	fact(s, g, "container", "%s", h->container);
	if (h->cgroup_quota_cpus < 0)
		fact(s, g, "cgroup quota", "-");
	else
		fact(s, g, "cgroup quota", "%.2f CPUs", h->cgroup_quota_cpus);
	number_fact(s, "throttled at the start", h->before.throttled_runs, " periods");
	fact(s, g, "nice", h->nice < -20 ? "-" : "%lld", (long long)h->nice);
	number_fact(s, "timer slack", h->timer_slack_ns, " ns");
}

static void counter_facts(struct session *s)
{
	const struct counters_info *c = measure_counters(s->measure);
	const char *g = "counters";

	fact(s, g, "source", "%s%s", counter_source_name(c->source),
	     c->source == COUNTERS_NONE ? ""
	     : c->user_only             ? ", user only"
					: ", user and kernel");
	fact(s, g, "instructions", "%s",
	     c->instructions.available ? "counted" : c->instructions.reason);
	fact(s, g, "cycles", "%s", c->cycles.available ? "counted" : c->cycles.reason);
	if (c->instructions.remedy[0])
		fact(s, g, "what would help", "%s", c->instructions.remedy);
	if (c->source == COUNTERS_ICOUNT) {
		fact(s, g, "Valgrind", "%s", c->icount.valgrind);
		fact(s, g, "C library", "%s", c->icount.libc);
		fact(s, g, "server's build-id", "%s", c->icount.server_build_id);
	}
	fact(s, g, "CPU time", "%s", cpu_source_name(c->cpu_source));
	if (c->no_cpu_reason[0])
		fact(s, g, "no CPU time", "%s", c->no_cpu_reason);
	if (c->cpu_reason[0])
		fact(s, g, "no cgroup", "%s", c->cpu_reason);
}

/* Whether an option's value came from this variable, plain or with CPUTOP_ before it. */
static bool from_variable(const struct session *s, const char *variable)
{
	for (size_t i = 0; i < s->opt->from_environment.len; i++) {
		const char *name = s->opt->from_environment.items[i];

		if (!strncmp(name, "CPUTOP_", 7))
			name += 7;
		if (!strcmp(name, variable))
			return true;
	}
	return false;
}

/* Names of options whose value came from a variable are marked. */
static void mark_environment(struct session *s)
{
	static const struct {
		const char *fact, *variable;
	} from[] = {
		{"names", "NAMES"},
		{"rate", "RATE"},
		{"warm-up", "WARMUP"},
		{"window", "MEASURE"},
		{"completed jobs beforehand", "COMPLETED"},
		{"history", "HISTORY"},
		{"mutex keys", "MUTEX_KEYS"},
		{"mutex keys", "BLOCKED"},
		{"mutex keys", "QUEUED"},
	};

	for (size_t i = 0; i < s->model.nfacts; i++) {
		struct fact *f = &s->model.facts[i];

		for (size_t k = 0; k < sizeof(from) / sizeof(*from); k++) {
			if (!strcmp(f->name, from[k].fact) && from_variable(s, from[k].variable))
				f->from_environment = true;
		}
	}
}

static void database_facts(struct session *s)
{
	static const char *const variables[DIALECT_COUNT] = {
		[DIALECT_POSTGRES] = "PG_BIN",
		[DIALECT_MARIADB] = "MARIADB_BIN",
		[DIALECT_MYSQL] = "MYSQL_BIN",
	};
	const char *g = "database";

	for (size_t i = 0; i < s->ndialects; i++) {
		const struct server_facts *f = &s->facts[s->dialects[i]];
		const char *name = dialect_name(s->dialects[i]);

		fact(s, g, name, "%s", f->known ? f->version : "not started yet");
		if (!f->known)
			continue;
		fact(s, g, "binary", "%s", f->binary);
		if (s->model.nfacts)
			s->model.facts[s->model.nfacts - 1].from_environment =
				from_variable(s, variables[s->dialects[i]]);
		for (size_t k = 0; k < f->settings.len; k++)
			fact(s, g, f->settings.items[k].name, "%s", f->settings.items[k].value);
	}
}

static void workload_facts(struct session *s)
{
	const struct workload *w = &s->model.workload;
	const char *g = "workload";

	if (w->rate_max)
		fact(s, g, "rate", "max, at most %u waiting", w->backlog);
	else
		fact(s, g, "rate", "%.9g jobs/s", w->rate);
	fact(s, g, "names", "%u, %u of them hot with %.9g %% of the jobs", w->names, w->hot_names,
	     w->hot_share * 100);
	if (w->workers > 1)
		fact(s, g, "workers", "%u", w->workers);
	fact(s, g, "concurrency", "%u", w->concurrency);
	fact(s, g, "connections", "worker %u%s; producer %u", w->pool,
	     dialect_notifies(s->model.dialect) ? ", the first of them listens" : "", w->pool);
	fact(s, g, "poll interval", "%.9g s", (double)w->poll_interval_ns / 1e9);
	fact(s, g, "warm-up", "%.9g s", (double)w->warmup_ns / 1e9);
	fact(s, g, "window", "%.9g s", (double)w->measure_ns / 1e9);
	if (w->completed)
		fact(s, g, "completed jobs beforehand", "%u", w->completed);
	if (w->payload_bytes)
		fact(s, g, "payload", "%u bytes", w->payload_bytes);
	if (w->history_ns)
		fact(s, g, "history", "%.9g s", (double)w->history_ns / 1e9);
	if (w->mutex_keys)
		fact(s, g, "mutex keys", "%u, held for %.9g s; %u jobs blocked, %u queued",
		     w->mutex_keys, (double)w->hold_ns / 1e9, w->blocked, w->queued);
	if (w->enqueue_tx || w->enqueue_batch > 1)
		fact(s, g, "enqueued", "%u at once%s", w->enqueue_batch,
		     w->enqueue_tx ? ", in a transaction with other work" : "");
	fact(s, g, "seed", "%llu", (unsigned long long)w->seed);
}

void session_keep_sizes(struct session *s, const struct snapshot_table *tables, size_t n,
			bool after_window)
{
	s->relations.len = 0;
	s->relations_used = after_window;
	for (size_t i = 0; i < n; i++) {
		const struct snapshot_table *t = &tables[i];
		struct relation *r = vec_push(&s->relations);

		*r = (struct relation){.bytes = t->bytes, .dead_rows = t->dead_rows};
		text_copy(r->name, sizeof(r->name), t->name);
		for (size_t k = 0; k < t->nindexes; k++) {
			r = vec_push(&s->relations);
			*r = (struct relation){.bytes = t->indexes[k].bytes};
			text_copy(r->name, sizeof(r->name), t->indexes[k].name);
			text_copy(r->table, sizeof(r->table), t->name);
		}
	}
	session_fill_facts(s);
}

static void table_facts(struct session *s)
{
	const char *g = "tables";

	if (!s->relations.len)
		return;
	fact(s, g, "read", "%s", s->relations_used ? "after the last window" : "after the set-up");
	for (size_t i = 0; i < s->relations.len; i++) {
		const struct relation *r = &s->relations.items[i];
		char bytes[FORMAT_CELL_MAX];

		format_bytes(bytes, r->bytes);
		if (r->table[0])
			fact(s, g, r->name, "%s, index of %s", bytes, r->table);
		else if (value_known(r->dead_rows))
			fact(s, g, r->name, "%s, %lld dead rows", bytes, (long long)r->dead_rows.v);
		else
			fact(s, g, r->name, "%s", bytes);
	}
}

void session_fill_facts(struct session *s)
{
	s->model.nfacts = 0;
	host_facts(s);
	processor_facts(s);
	kernel_facts(s);
	counter_facts(s);
	database_facts(s);
	table_facts(s);
	workload_facts(s);
	fact(s, "cputop", "version", "%s", PACKAGE_VERSION);
	fact(s, "cputop", "temporary directory", "%s", s->tmp.path);
	fact(s, "cputop", "runs as", "%s", s->drop ? "worker and producer as another user" : "you");
	mark_environment(s);
}
