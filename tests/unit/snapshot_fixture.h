/* A session with everything that a snapshot may hold, and one with as little as there can be. */
#ifndef CPUTOP_TESTS_SNAPSHOT_FIXTURE_H
#define CPUTOP_TESTS_SNAPSHOT_FIXTURE_H

#include "lib/xalloc.h"
#include "result/compare.h"
#include "result/snapshot.h"
#include "result_fixture.h"

#define WINDOWS 12

struct session_fixture {
	struct window windows[WINDOWS];
	const struct window *list[WINDOWS];
	struct result results[4];
	struct host host;
	struct counters_info counters;
	struct workload workload;
	struct variant variants[2];
	struct snapshot_setting settings[2];
	struct snapshot_database database;
	const char *environment[2];
	struct snapshot snapshot;
};

static inline void fill_host(struct host *h)
{
	*h = (struct host){.kernel = "6.1.0-18-amd64",
			   .arch = "x86_64",
			   .cpu_model = "A \"CPU\" \xc2\xb5 \xff\x1b[0m",
			   .cpus_online = 2,
			   .hypervisor = "KVM",
			   .clocksource = "tsc",
			   .clock_read_ns = 21,
			   .smt = 1,
			   .autogroup = 0,
			   .perf_event_paranoid = -1,
			   .thp = "madvise",
			   .aslr = 2,
			   .loadavg = {0.25, 1.5, 2},
			   .data_dir_fs = "ext2/ext3",
			   .boot_id = "3b1f",
			   .clock_ticks = 100,
			   .microcode = "0x1",
			   .cpus_isolated = "none",
			   .cpus_allowed = "0-1",
			   .pmus = "cpu software",
			   .cpufreq_min_khz = 800000,
			   .cpufreq_max_khz = -1,
			   .turbo = 1,
			   .clocksources = "tsc hpet",
			   .nmitigations = 2,
			   .mitigations = {{"meltdown", "Mitigation: PTI"}, {"mds", "V\x1b"}},
			   .ksm = 0,
			   .nmi_watchdog = -1,
			   .swappiness = 60,
			   .uptime_s = 4590,
			   .cgroup_quota_cpus = 1.5,
			   .nice = -5,
			   .timer_slack_ns = 50000,
			   .before = {10, 20, -1, -1},
			   .after = {11, 25, -1, -1}};
}

static inline void fill_parts(struct usage_diff *d)
{
	d->parts[PART_BACKEND] = usage_of(800, 1400, 900);
	d->parts[PART_MONITOR] = usage_of(1, 1, 1);
	d->parts[PART_EXITED] = usage_of(-2, -3, -1);
	without_counters(&d->parts[PART_EXITED]);
	d->has_part[PART_BACKEND] = d->has_part[PART_MONITOR] = d->has_part[PART_EXITED] = true;
	d->cputop = usage_of(10, 20, 8);
	d->machine_busy_ns = 12 * NS_PER_S;
	d->machine_steal_ns = 1000;
}

static inline void fill_window(struct window *w, unsigned i)
{
	static struct plan_count plans[] = {{"claim_8", 2, 380}, {"complete", 400, 0}};
	static const double noise[] = {1, 1.01, 0.99, 1.005, 0.995};
	*w = window_of(i % 2 ? "skiplocked" : "pername", 400, noise[i / 2 % 5] * (i % 2 ? 1 : 3));
	w->index = i;
	w->order = i % 2;
	fill_parts(&w->usage);
	w->monitor = usage_of(1, 1, 1);
	w->jobs_before.enqueued = 100;
	w->jobs_before.completed = 98;
	w->jobs_after.enqueued = 500;
	w->jobs_after.completed = 497;
	w->jobs.prunes = 3;
	w->jobs.rescues = 1;
	if (i == 9) { /* invalid anyway: not in the results */
		w->rate = 50;
		w->jobs.completed = 19;
	}
	w->server.checkpoints = value_of(i == 1);
	w->server.autovacuums = value_of(i == 2);
	w->server.buffers = (struct value){0, VALUE_UNREADABLE};
	w->server.why[SERVER_BUFFERS] = "the server began to count anew";
	w->lost = i < 8 ? value_of(0) : (struct value){0, VALUE_NONE};
	for (uint64_t k = 0; k < 400; k++)
		histogram_add(&w->jobs.latency, 900000 + 1000 * k);
	for (uint64_t k = 0; k < 400; k++)
		histogram_add(&w->jobs.lateness, 50000 + 100 * k);
	w->jobs.late_jobs = 3;
	if (i != 1)
		return;
	w->plans = (struct plan_counts){plans, 2, true};
	w->anew = w->plans.v[0];
}

static inline void spoil_windows(struct window *w)
{
	/* the worker died */
	w[9].valid = false;
	snprintf(w[9].invalid_reason, sizeof(w[9].invalid_reason), "the worker ended: \x01");
	/* no job completed */
	w[10].jobs.completed = 0;
	memset(&w[10].jobs.latency, 0, sizeof(w[10].jobs.latency));
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		without_counters(&w[10].usage.roles[r]);
	/* never ended */
	struct window open = {
		.index = 11, .dialect = DIALECT_POSTGRES, .variant = "skiplocked", .valid = true};
	w[11] = open;
}

static inline struct session_fixture *fixture(void)
{
	struct session_fixture *f = xcalloc(1, sizeof(*f));
	fill_host(&f->host);
	for (unsigned i = 0; i < WINDOWS; i++) {
		fill_window(&f->windows[i], i);
		f->list[i] = &f->windows[i];
	}
	spoil_windows(f->windows);
	f->counters = (struct counters_info){.source = COUNTERS_PERF,
					     .cpu_source = CPU_CLOCKS,
					     .instructions = {.available = true},
					     .cycles = {.reason = "too few counters"}};
	workload_defaults(&f->workload);
	snprintf(f->variants[0].name, sizeof(f->variants[0].name), "pername");
	snprintf(f->variants[1].name, sizeof(f->variants[1].name), "skiplocked");
	f->settings[0] = (struct snapshot_setting){"max_connections", "150"};
	f->settings[1] = (struct snapshot_setting){"odd\xfe name", "\xc3\xa9\x80"};
	f->database = (struct snapshot_database){DIALECT_POSTGRES, "15.18", "/usr/bin/postgres",
						 f->settings, 2};
	f->environment[0] = "RATE";
	f->environment[1] = "CPUTOP_NAMES";
	f->snapshot = (struct snapshot){.created_wall_ns = 1764535400123456789ULL,
					.host = &f->host,
					.counters = &f->counters,
					.workload = &f->workload,
					.from_environment = f->environment,
					.nfrom_environment = 2,
					.databases = &f->database,
					.ndatabases = 1,
					.variants = f->variants,
					.nvariants = 2,
					.windows = f->list,
					.nwindows = WINDOWS,
					.results = f->results};
	f->snapshot.nresults = results_from_windows(f->list, WINDOWS, "pername", f->results, 4);
	return f;
}

/* As little as there can be: nothing was known, nothing measured. */
static inline void empty_session(struct session_fixture *f)
{
	f->host = (struct host){.cpus_online = -1,
				.clock_read_ns = -1,
				.smt = -1,
				.autogroup = -1,
				.perf_event_paranoid = -2,
				.aslr = -1,
				.loadavg = {-1, -1, -1},
				.clock_ticks = -1,
				.cpufreq_min_khz = -1,
				.cpufreq_max_khz = -1,
				.turbo = -1,
				.nmitigations = -1,
				.nmi_watchdog = -1,
				.ksm = -1,
				.numa_balancing = -1,
				.swappiness = -1,
				.overcommit_memory = -1,
				.io_uring_disabled = -1,
				.uptime_s = -1,
				.cgroup_quota_cpus = -1,
				.nice = INT64_MIN,
				.timer_slack_ns = -1,
				.before = {-1, -1, -1, -1},
				.after = {-1, -1, -1, -1}};
	f->workload.rate_max = true;
	f->snapshot =
		(struct snapshot){.created_wall_ns = 1, .host = &f->host, .workload = &f->workload};
}

static inline struct sample sample_of(struct proc_row rows[2])
{
	rows[0] = (struct proc_row){.pid = 41,
				    .tid = 41,
				    .start = 1000,
				    .role = ROLE_DATABASE,
				    .part = PART_BACKEND,
				    .comm = "postgres",
				    .title = (char *)"postgres: \xe2\x82\xac \x1b]0;x\x07 idle",
				    .usage = usage_of(1, 2, 3)};
	rows[1] = (struct proc_row){.pid = 42, .start = 1001, .comm = "load\xff"};
	rows[1].usage = usage_of(1, 2, 3);
	without_counters(&rows[1].usage);
	return (struct sample){.taken_ns = 123456789, .rows = rows, .nrows = 2};
}

static const struct snapshot_index fixture_indexes[] = {{"jobs_pkey", 8192}, {"jobs_due", 16384}};
static const struct snapshot_table fixture_tables[] = {
	{"jobs", 81920, fixture_indexes, 2, {7, VALUE_OK}},
	{"names", 8192, NULL, 0, {0, VALUE_NONE}}};

static inline void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

#endif
