/* The made-up session. Numbers are those of the sketch in the manual where it has any. */
#include "config.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/xalloc.h"

/* Messages of long ago are not news. */
#define WALL_NS (1600000000ULL * NS_PER_S)

static void set_cost(struct cost *c, double instr_m, double cycles_m, double cpu_ms)
{
	c->counters[COUNTER_INSTRUCTIONS] = fixture_figure(instr_m * 1e6);
	c->counters[COUNTER_CYCLES] = fixture_figure(cycles_m * 1e6);
	c->counters[COUNTER_CPU_NS] = fixture_figure(cpu_ms * 1e6);
	c->ipc = fixture_figure(instr_m / cycles_m);
	c->ghz = fixture_figure(cycles_m / cpu_ms);
	c->cpu_pct = fixture_figure(cpu_ms * 2);
	c->csw = fixture_figure(cpu_ms * 3);
	c->read_bytes = fixture_figure(0);
	c->written_bytes = fixture_figure(cpu_ms * 700);
	c->spread_ns = fixture_figure(cpu_ms * 80000);
	c->share = fixture_figure(instr_m / 4.00);
	c->processes = 1;
}

static struct cost_row *add_row(struct model *m, int kind, enum role role, enum part part)
{
	struct cost_row *r = &m->rows[m->nrows++];

	memset(r, 0, sizeof(*r));
	r->role = role;
	r->part = part;
	r->kind = kind == 0 ? ROW_ROLE : kind == 1 ? ROW_PART : ROW_TOTAL;
	return r;
}

static void set_rows(struct model *m)
{
	struct cost_row *r;

	m->nrows = 0;
	r = add_row(m, 0, ROLE_WORKER, PART_NONE);
	set_cost(&r->cost, 1.18, 2.34, 1.48);
	r->cost.vs_base = fixture_figure(0.05);
	r = add_row(m, 0, ROLE_PRODUCER, PART_NONE);
	set_cost(&r->cost, 0.61, 2.48, 1.55);
	r->cost.vs_base = fixture_figure(0.64);
	r = add_row(m, 0, ROLE_DATABASE, PART_NONE);
	set_cost(&r->cost, 2.21, 4.00, 2.55);
	r->cost.vs_base = fixture_figure(0.02);
	r->cost.processes = 17;
	r = add_row(m, 1, ROLE_DATABASE, PART_BACKEND);
	set_cost(&r->cost, 2.02, 3.61, 2.20);
	r->cost.processes = 13;
	r = add_row(m, 1, ROLE_DATABASE, PART_WALWRITER);
	set_cost(&r->cost, 0.11, 0.22, 0.18);
	r = add_row(m, 1, ROLE_DATABASE, PART_OTHER);
	set_cost(&r->cost, 0.08, 0.17, 0.17);
	r = add_row(m, 2, ROLE_WORKER, PART_NONE);
	set_cost(&r->cost, 4.00, 8.82, 5.58);
	r->cost.vs_base = fixture_figure(0.03);
	r->cost.processes = 19;
}

static void without_counters(struct fixture *f)
{
	struct model *m = &f->model;
	struct figure none = {0, VALUE_NONE};

	f->counters.source = COUNTERS_NONE;
	f->counters.instructions.available = f->counters.cycles.available = false;
	snprintf(f->counters.instructions.reason, sizeof(f->counters.instructions.reason),
		 "this user may not open counters (perf_event_paranoid 3)");
	snprintf(f->counters.instructions.remedy, sizeof(f->counters.instructions.remedy),
		 "sudo sysctl kernel.perf_event_paranoid=1");
	for (size_t i = 0; i < m->nrows; i++) {
		struct cost *c = &m->rows[i].cost;

		c->counters[COUNTER_INSTRUCTIONS] = c->counters[COUNTER_CYCLES] = none;
		c->ipc = c->ghz = none;
	}
	for (size_t i = 0; i < m->nprocesses; i++)
		f->processes[i].instructions_s = f->processes[i].cycles_s = none;
	for (size_t i = 0; i < m->nresults; i++) {
		struct result *r = &f->results[i].result;

		for (int role = 0; role <= ROLE_TOTAL; role++) {
			r->per_job[role][COUNTER_INSTRUCTIONS].median = none;
			r->per_job[role][COUNTER_CYCLES].median = none;
		}
	}
}

static void set_processes(struct fixture *f)
{
	static const enum part parts[] = {
		PART_BACKEND,      PART_BACKEND,  PART_BACKEND,   PART_BACKEND,
		PART_BACKEND,      PART_BACKEND,  PART_BACKEND,   PART_BACKEND,
		PART_BACKEND,      PART_BACKEND,  PART_BACKEND,   PART_BACKEND,
		PART_CHECKPOINTER, PART_BGWRITER, PART_WALWRITER, PART_POSTMASTER};

	for (int i = 0; i < FIXTURE_PROCESSES; i++) {
		struct process_line *p = &f->processes[i];

		p->pid = p->tid = 4001 + i;
		p->role = i == 0 ? ROLE_WORKER : i == 1 ? ROLE_PRODUCER : ROLE_DATABASE;
		p->part = i < 2 ? PART_NONE : parts[i - 2];
		p->cpu_ns_s = fixture_figure(3.1e7 / (i + 1));
		p->instructions_s = fixture_figure(2.4e7 / (i + 1));
		p->cycles_s = fixture_figure(4.9e7 / (i + 1));
		p->csw_s = fixture_figure(60.0 / (i + 1));
		p->read_bytes_s = fixture_figure(0);
		p->written_bytes_s = fixture_figure(9000.0 / (i + 1));
		if (i < 2)
			snprintf(p->title, sizeof(p->title),
				 "/usr/libexec/cputop/cputop-load %s --variant skiplocked",
				 role_name(p->role));
		else if (p->part == PART_BACKEND)
			snprintf(p->title, sizeof(p->title),
				 "postgres: cputop cputop 127.0.0.1(%d) idle", 50000 + i);
		else
			snprintf(p->title, sizeof(p->title), "postgres: %s ", part_name(p->part));
	}
	f->model.processes = f->processes;
	f->model.nprocesses = FIXTURE_PROCESSES;
}

static void add_progress(struct model *m, uint64_t second)
{
	struct progress_line *p = &m->progress_lines[m->progress_next];
	double wave = 1 + 0.4 * sin((double)second / 3);

	memset(p, 0, sizeof(*p));
	p->at_ns = second * NS_PER_S;
	p->jobs_s = floor(20 * wave);
	p->enqueued_s = 20;
	p->latency_mean_ns = 1.31e6 * wave;
	p->latency_sd_ns = 0.4e6 * wave;
	p->latency_p50_ns = (uint64_t)(1.2e6 * wave);
	p->latency_p99_ns = (uint64_t)(4.0e6 * wave);
	p->latency_max_ns = (uint64_t)(7.1e6 * wave);
	p->late_mean_ns = 120000;
	p->waiting = second % 3;
	for (int r = 0; r < ROLE_COUNT; r++)
		p->cpu_pct[r] = fixture_figure((r + 1) * 1.7 * wave);
	p->in_window = second > 8;
	m->progress_next = (m->progress_next + 1) % MODEL_PROGRESS_MAX;
	if (m->nprogress < MODEL_PROGRESS_MAX)
		m->nprogress++;
}

static void add_message(struct model *m, enum message_level level, const char *text)
{
	size_t at = m->messages.next;

	messages_add(&m->messages, level, "%s", text);
	m->messages.ring[at].wall_ns = WALL_NS + m->messages.total * 7 * NS_PER_S;
}

static void add_fact(struct model *m, const char *group, const char *name, const char *value)
{
	struct fact *f = &m->facts[m->nfacts++];

	snprintf(f->group, sizeof(f->group), "%s", group);
	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(f->value, sizeof(f->value), "%s", value);
}

static void set_facts(struct model *m)
{
	m->nfacts = 0;
	add_fact(m, "host", "kernel", "6.1.0-28-amd64");
	add_fact(m, "host", "cpu", "AMD EPYC 9254 24-Core Processor");
	add_fact(m, "host", "cpus online", "2");
	add_fact(m, "host", "hypervisor", "kvm");
	add_fact(m, "host", "governor", "-");
	add_fact(m, "counters", "source", "perf");
	add_fact(m, "counters", "cpu source", "cgroup");
	add_fact(m, "database", "version", "PostgreSQL 15.18 (Debian 15.18-0+deb12u1)");
	add_fact(m, "database", "data directory", "/tmp/cputop-4711/postgres");
	add_fact(m, "tables", "read", "after the last window");
	add_fact(m, "tables", "job", "96 KB, 402 dead rows");
	add_fact(m, "tables", "job_due", "48 KB, index of job");
	add_fact(m, "workload", "rate", "20 jobs/s");
	m->facts[m->nfacts - 1].from_environment = true;
	add_fact(m, "workload", "names", "1000, 10 of them hot with 90 % of the jobs");
	add_fact(m, "cputop", "snapshot", "/root/.local/state/cputop/last.json");
}

static void set_latency(struct model *m)
{
	histogram_clear(&m->latency);
	for (unsigned i = 0; i < 280; i++)
		histogram_add(&m->latency, 600000 + (uint64_t)i * i * 55);
	histogram_clear(&m->lateness);
	for (unsigned i = 0; i < 280; i++)
		histogram_add(&m->lateness, 40000 + (uint64_t)i * i * (i > 277 ? 20 : 1));
	m->late_jobs = 2;
	m->latency_p50_ns = histogram_quantile(&m->latency, 0.50);
	m->latency_p95_ns = histogram_quantile(&m->latency, 0.95);
	m->latency_p99_ns = histogram_quantile(&m->latency, 0.99);
	m->latency_max_ns = m->latency.max_ns;
}

static void set_what(struct fixture *f)
{
	struct model *m = &f->model;

	workload_defaults(&m->workload);
	m->dialect = DIALECT_POSTGRES;
	snprintf(m->server_version, sizeof(m->server_version), "15.18 (Debian 15.18-0+deb12u1)");
	snprintf(m->variant.name, sizeof(m->variant.name), "skiplocked");
	snprintf(m->base, sizeof(m->base), "pername");
	m->rate = 20;
	m->delay_s = 1;
	m->phase_since_ns = NS_PER_S;
	m->progress = -1;
	m->counters = &f->counters;
	f->counters.source = COUNTERS_PERF;
	f->counters.cpu_source = CPU_CGROUP;
	f->counters.instructions.available = f->counters.cycles.available = true;
	f->counters.parts = true;
}

static void set_figures(struct fixture *f)
{
	struct model *m = &f->model;

	m->phase = PHASE_WINDOW;
	m->window_open = true;
	m->window_elapsed_ns = 14 * NS_PER_S;
	m->window_length_ns = 20 * NS_PER_S;
	m->basis_ns = m->window_elapsed_ns;
	m->enough_jobs = true;
	m->cputop_ns_s = fixture_figure(0.4e6);
	m->monitor_ns_s = fixture_figure(0);
	m->machine_ns_s = fixture_figure(12e6);
	m->statements = fixture_figure(3);
	m->commits = fixture_figure(2);
	m->wal_bytes = fixture_figure(1331);
	m->rows_examined = fixture_figure(4.98);
	m->buffers = fixture_figure(29.3);
	m->jobs_completed = 280;
	set_rows(m);
	set_processes(f);
	fixture_results(f);
	set_latency(m);
	for (uint64_t s = 1; s <= 22; s++)
		add_progress(m, s);
	add_message(m, MESSAGE_INFO, "postgres 15.18 is up on 127.0.0.1:55433");
	add_message(m, MESSAGE_WARNING, "a checkpoint ran inside window 2");
	add_message(m, MESSAGE_INFO, "window 3 began");
	set_facts(m);
}

static void only_few(struct fixture *f)
{
	struct model *m = &f->model;

	m->phase = PHASE_WARMUP;
	m->window_open = m->enough_jobs = false;
	histogram_clear(&m->latency);
	for (int i = 0; i < 12; i++)
		histogram_add(&m->latency, 1500000);
	for (size_t i = 0; i < m->nrows; i++) {
		unsigned processes = m->rows[i].cost.processes;

		memset(&m->rows[i].cost, 0, sizeof(m->rows[i].cost));
		m->rows[i].cost.processes = processes;
	}
}

static void hostile(struct fixture *f)
{
	static const char text[] = "\033[2J\033]0;x\a evil \xe2\x80\xae nur \xff\xfe \xe6\xbc\xa2"
				   "\xe5\xad\x97 e\xcc\x81\xcc\x82\xcc\x83 \xcc\x81 \x9b 1\r\n\t|";
	struct model *m = &f->model;

	snprintf(m->server_version, sizeof(m->server_version), "%s", text);
	snprintf(m->variant.name, sizeof(m->variant.name), "%.40s", text);
	snprintf(m->base, sizeof(m->base), "%.40s", text);
	snprintf(m->phase_detail, sizeof(m->phase_detail), "%s", text);
	snprintf(m->failure, sizeof(m->failure), "%s", text);
	for (int i = 0; i < FIXTURE_PROCESSES; i++)
		snprintf(f->processes[i].title, sizeof(f->processes[i].title), "%s%s",
			 i % 2 ? "/" : "", text);
	for (int i = 0; i < FIXTURE_RESULTS; i++)
		snprintf(f->results[i].result.variant, sizeof(f->results[i].result.variant),
			 "%.50s", text);
	for (size_t i = 0; i < m->nfacts; i++) {
		snprintf(m->facts[i].group, sizeof(m->facts[i].group), "%.20s", text);
		snprintf(m->facts[i].name, sizeof(m->facts[i].name), "%.30s", text);
		snprintf(m->facts[i].value, sizeof(m->facts[i].value), "%s", text);
	}
	for (size_t i = 0; i < m->messages.len; i++)
		snprintf(m->messages.ring[i].text, sizeof(m->messages.ring[i].text), "%s", text);
	snprintf(f->counters.instructions.reason, sizeof(f->counters.instructions.reason), "%s",
		 text);
	snprintf(f->counters.instructions.remedy, sizeof(f->counters.instructions.remedy), "%s",
		 text);
	f->counters.instructions.available = false;
	m->moves_apart = text;
}

static void starting(struct fixture *f)
{
	struct model *m = &f->model;

	m->server_version[0] = 0;
	m->counters = NULL;
	m->phase = PHASE_SERVER;
	m->phase_since_ns = 600 * NS_PER_MS;
	snprintf(m->phase_detail, sizeof(m->phase_detail), "initialising the data directory");
	fixture_next(&f->results[0], "pername");
	fixture_next(&f->results[1], "skiplocked");
	f->results[1].state = RESULT_STARTING;
	f->results[1].current = true;
	m->results = f->results;
	m->nresults = 2;
}

static void failed(struct fixture *f)
{
	struct model *m = &f->model;

	m->phase = PHASE_IDLE;
	m->window_open = false;
	f->results[1].state = RESULT_FAILED;
	snprintf(m->failure, sizeof(m->failure),
		 "the worker ended (signal 9) inside window 3; r starts again");
	add_message(m, MESSAGE_ERROR, m->failure);
}

/* Parts that do next to nothing, before the total. */
static void idle_parts(struct model *m)
{
	static const enum part parts[] = {PART_CHECKPOINTER, PART_BGWRITER, PART_LR_LAUNCHER};
	struct cost_row total = m->rows[--m->nrows];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		set_cost(&add_row(m, 1, ROLE_DATABASE, parts[i])->cost, 0.004, 0.002, 0.004);
	m->rows[m->nrows++] = total;
}

static void idle_queue(struct fixture *f)
{
	struct model *m = &f->model;

	m->rate = 0;
	m->per_second = true;
	m->phase = PHASE_LIVE;
	m->window_open = m->enough_jobs = false;
	m->basis_ns = 10 * NS_PER_S;
	histogram_clear(&m->latency);
	histogram_clear(&m->lateness);
	m->late_jobs = 0;
	m->latency_p99_ns = 0;
	m->jobs_completed = 0;
	idle_parts(m);
}

const char *fixture_name(enum fixture_kind kind)
{
	static const char *const names[FIXTURE_COUNT] = {
		"window", "no-counters", "starting", "few", "idle", "failed", "hostile", "empty",
	};

	return names[kind];
}

struct fixture *fixture_new(enum fixture_kind kind)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	if (kind == FIXTURE_EMPTY)
		return f;
	set_what(f);
	if (kind == FIXTURE_STARTING) {
		starting(f);
		return f;
	}
	set_figures(f);
	if (kind == FIXTURE_NO_COUNTERS) {
		without_counters(f);
		f->model.machine_ns_s = fixture_figure(1243.7e6);
	}
	if (kind == FIXTURE_FEW)
		only_few(f);
	if (kind == FIXTURE_IDLE)
		idle_queue(f);
	if (kind == FIXTURE_FAILED)
		failed(f);
	if (kind == FIXTURE_HOSTILE)
		hostile(f);
	return f;
}

static enum phase phase_at(double s, double *since)
{
	static const struct {
		double end;
		enum phase phase;
	} script[] = {
		{2, PHASE_SERVER},   {2.5, PHASE_TABLES},   {5, PHASE_FILLING},
		{6, PHASE_SETTLING}, {6.5, PHASE_STARTING}, {11.5, PHASE_WARMUP},
		{12.5, PHASE_ALIGN}, {32.5, PHASE_WINDOW},
	};

	*since = 0;
	for (size_t i = 0; i < sizeof(script) / sizeof(script[0]); i++) {
		if (s < script[i].end)
			return script[i].phase;
		*since = script[i].end;
	}
	return PHASE_LIVE;
}

static void wobble(struct fixture *f, double s)
{
	struct model *m = &f->model;

	set_rows(m);
	for (size_t i = 0; i < m->nrows; i++) {
		for (int k = 0; k < COUNTER_COUNT; k++)
			m->rows[i].cost.counters[k].v *= 1 + 0.05 * sin(s + (double)i + k);
	}
	if (f->counters.source == COUNTERS_NONE)
		without_counters(f);
}

void fixture_play(struct fixture *f, uint64_t now_ns, uint64_t t_ns)
{
	struct model *m = &f->model;
	double s = (double)t_ns / 1e9, since;
	enum phase phase = phase_at(s, &since);
	uint64_t begin = now_ns - t_ns;

	m->generation++;
	m->phase_since_ns = begin + (uint64_t)(since * 1e9);
	m->progress = phase == PHASE_FILLING ? (s - 2.5) / 2.5 : -1;
	if (phase != m->phase)
		add_message(m, MESSAGE_INFO, phase_name(phase));
	if (phase >= PHASE_TABLES && !m->server_version[0])
		set_what(f);
	m->phase = phase;
	m->phase_detail[0] = 0;
	m->window_open = phase == PHASE_WINDOW;
	m->window_length_ns = 20 * NS_PER_S;
	m->window_elapsed_ns = now_ns - m->phase_since_ns;
	m->basis_ns = m->window_open ? m->window_elapsed_ns : 10 * NS_PER_S;
	if (phase < PHASE_WARMUP)
		return;
	if (!m->nprocesses)
		set_figures(f);
	m->phase = phase;
	m->window_open = phase == PHASE_WINDOW;
	m->window_elapsed_ns = now_ns - m->phase_since_ns;
	m->jobs_completed = (uint64_t)((s - 6.5) * 20);
	m->enough_jobs = s > 8;
	wobble(f, s);
	if (!m->enough_jobs)
		only_few(f);
	else
		set_latency(m);
	m->phase = phase;
	add_progress(m, (uint64_t)s);
}
