/* cputop check: what is made of what the machine says. Probes are real only where they start
 * processes of their own. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "app/check.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "measure/counters.h"
#include "measure/perf_loop.h"
#include "measure/perf_try.h"

static void test_clock_buckets(void **state)
{
	struct check_clock c = {.readings = 0};

	(void)state;
	check_clock_add(&c, 0);
	check_clock_add(&c, 1);
	check_clock_add(&c, 2);
	check_clock_add(&c, 3);
	check_clock_add(&c, 4);
	check_clock_add(&c, 33);
	check_clock_add(&c, UINT64_MAX);
	assert_int_equal(c.buckets[0], 2);
	assert_int_equal(c.buckets[1], 1);
	assert_int_equal(c.buckets[2], 2);
	assert_int_equal(c.buckets[6], 1);
	assert_int_equal(c.buckets[CHECK_CLOCK_BUCKETS - 1], 1);
	assert_int_equal(c.readings, 7);
}

static void test_clock(void **state)
{
	struct check_clock c;
	uint64_t n = 0, at_most = 0;
	unsigned i = 0;

	(void)state;
	check_clock_read(&c, 1001);
	for (unsigned b = 0; b < CHECK_CLOCK_BUCKETS; b++)
		n += c.buckets[b];
	assert_int_equal(n, 1001);
	assert_int_equal(c.readings, 1001);
	/* the median lies in the bucket that half of them reach */
	while (at_most + c.buckets[i] < 501)
		at_most += c.buckets[i++];
	assert_true(c.median_ns <= 1ULL << i);
	assert_true(i == 0 || c.median_ns > 1ULL << (i - 1));
}

static void test_versions(void **state)
{
	static const struct {
		const char *text, *version;
	} cases[] = {
		{"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", "15.18"},
		{"mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu", "10.11.19"},
		{"/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64", "8.0.36"},
		{"postgres (PostgreSQL) 18beta1", "18"},
		{"libpq 17.", "17"},
		{"x86 only", ""},
		{"", ""},
		{"1111111111111111111111111111111111111111", ""},
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(check_version_number(out, sizeof(out), cases[i].text),
				 cases[i].version[0] != '\0');
		assert_string_equal(out, cases[i].version);
	}
}

/* A machine that can do everything and that nothing disturbs. */
static struct check *fine(void)
{
	struct check *c = xcalloc(1, sizeof(*c));

	c->host = (struct host){.kernel = "6.1",
				.arch = "x86_64",
				.cpu_model = "CPU",
				.cpus_online = 4,
				.governor = "performance",
				.clocksource = "tsc",
				.clocksources = "tsc hpet",
				.loadavg = {0.5, 0.5, 0.5},
				.cgroup_quota_cpus = -1,
				.nmi_watchdog = 0};
	c->clock = (struct check_clock){.readings = 10, .median_ns = 25, .mean_ns = 25};
	c->clock.buckets[5] = 10;
	c->counters.source = COUNTERS_PERF;
	c->counters.cpu_source = CPU_CGROUP;
	c->counters.instructions.available = true;
	c->counters.cycles.available = true;
	c->cpu.available = true;
	c->used_ns = 30000000;
	c->measured_ns = value_of(30100000);
	c->icount.available = true;
	c->servers[DIALECT_POSTGRES].found.available = true;
	snprintf(c->servers[DIALECT_POSTGRES].version, 64, "15.18");
	snprintf(c->clients[DIALECT_POSTGRES].name, 32, "libpq");
	return c;
}

static void need(struct check *c, const char *name)
{
	const char *known = check_need_name(name);

	assert_non_null(known);
	assert_string_equal(known, name);
	c->nneeds = 1;
	c->needs[0].name = known;
	check_judge(c);
}

static void test_needs(void **state)
{
	static const char *const all[] = {"cpu",    "clock", "cgroup", "instructions",
					  "cycles", "perf",  "icount", "postgres"};
	struct check *c = fine();

	(void)state;
	assert_null(check_need_name("oracle"));
	assert_null(check_need_name(""));
	assert_null(check_need_name("cp"));
	check_judge(c);
	assert_true(c->ok);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		need(c, all[i]);
		assert_true(c->ok);
		assert_true(c->needs[0].state.available);
	}
	free(c);
}

static void assert_missing(struct check *c, const char *name, const char *reason)
{
	need(c, name);
	assert_false(c->ok);
	assert_false(c->needs[0].state.available);
	assert_non_null(strstr(c->needs[0].state.reason, reason));
}

static void test_missing(void **state)
{
	struct check *c = fine();

	(void)state;
	c->counters.cycles = (struct counter_state){.reason = "too few counters"};
	assert_missing(c, "cycles", "too few counters");
	need(c, "perf"); /* one of the two will do */
	assert_true(c->ok);
	c->counters.instructions = (struct counter_state){.reason = "no PMU"};
	need(c, "instructions"); /* by icount */
	assert_true(c->ok);
	assert_missing(c, "perf", "no PMU");
	c->icount = (struct counter_state){.reason = "no valgrind"};
	assert_missing(c, "instructions", "no PMU");
	assert_missing(c, "icount", "no valgrind");
	c->counters.cpu_source = CPU_CLOCKS;
	snprintf(c->counters.cpu_reason, sizeof(c->counters.cpu_reason), "no v2 hierarchy");
	assert_missing(c, "cgroup", "no v2 hierarchy");
	c->clock.median_ns = CHECK_SLOW_CLOCK_NS;
	need(c, "clock");
	assert_true(c->ok);
	c->clock.median_ns = CHECK_SLOW_CLOCK_NS + 1;
	assert_missing(c, "clock", "101 ns");
	c->servers[DIALECT_POSTGRES].found =
		(struct counter_state){.reason = "none below /usr/lib"};
	assert_missing(c, "postgres", "none below");
	/* without a client a server is of no use */
	c->clients[DIALECT_POSTGRES].name[0] = '\0';
	c->clients[DIALECT_POSTGRES].missing = (struct counter_state){.reason = "no client"};
	assert_missing(c, "postgres", "no client");
	c->cpu = (struct counter_state){.reason = "half of it"};
	assert_missing(c, "cpu", "half of it");
	/* without CPU time nothing is well, whatever is needed */
	c->nneeds = 0;
	check_judge(c);
	assert_false(c->ok);
	free(c);
}

static bool noted(const struct check *c, const char *text)
{
	for (size_t i = 0; i < c->nnotes; i++)
		if (strstr(c->notes[i], text))
			return true;
	return false;
}

static void test_notes(void **state)
{
	struct check *c = fine();

	(void)state;
	check_notes(c);
	assert_int_equal(c->nnotes, 0);
	c->clock.median_ns = 100;
	check_notes(c);
	assert_int_equal(c->nnotes, 0);
	c->clock.median_ns = 850;
	check_notes(c);
	assert_true(noted(c, "850 ns a reading, 34 times a fast one"));
	assert_true(noted(c, "35 times dearer"));
	assert_false(noted(c, "echo tsc")); /* it is tsc already */
	snprintf(c->host.clocksource, sizeof(c->host.clocksource), "hpet");
	check_notes(c);
	assert_true(noted(c, "echo tsc"));
	snprintf(c->host.clocksources, sizeof(c->host.clocksources), "hpet tsc-early");
	check_notes(c);
	assert_false(noted(c, "echo tsc"));
	assert_int_equal(c->nnotes, 1);
	snprintf(c->host.governor, sizeof(c->host.governor), "powersave");
	c->host.nmi_watchdog = 1;
	c->host.loadavg[0] = 4.5;
	c->steal_boot = 0.01;
	c->steal_now = 0.25;
	c->host.cgroup_quota_cpus = 1.5;
	c->host.autogroup = 1;
	check_notes(c);
	assert_true(noted(c, "governor powersave"));
	assert_true(noted(c, "NMI watchdog"));
	assert_true(noted(c, "load 4.5 on 4 CPUs"));
	assert_true(noted(c, "steal 25.0 %"));
	assert_true(noted(c, "quota of 1.50 CPUs"));
	assert_true(noted(c, "autogroup"));
	free(c);
}

static void assert_screen(const char *text, unsigned max_lines)
{
	unsigned lines = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");

		assert_true(len <= 80);
		for (size_t i = 0; i < len; i++)
			assert_true(text[i] >= ' ' && text[i] <= '~');
		lines++;
		text += len + (text[len] == '\n');
	}
	assert_true(lines <= max_lines);
}

static void test_print(void **state)
{
	struct check *c = fine();
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	c->loop = (struct check_loop){.turns = 10000000,
				      .expected = 20000000,
				      .cpu_ns = 4000000,
				      .instructions = value_of(20010000),
				      .cycles = value_of(395)};
	c->reading[0] = (struct check_reading){1, value_of(20000)};
	c->reading[1] = (struct check_reading){10, value_of(80000)};
	c->reading[2] = (struct check_reading){100, {0, VALUE_UNREADABLE}};
	check_print(&sb, c);
	assert_screen(sb.buf, 24);
	assert_non_null(strstr(sb.buf, "20.01 M instructions (there are 20.00 M); 0.00 M cycles"));
	assert_non_null(strstr(sb.buf, "0.020 ms with 1, 0.080 ms with 10, ? ms with 100"));
	assert_non_null(strstr(sb.buf, "instructions and cycles, user and kernel"));
	assert_non_null(strstr(sb.buf, "postgres 15.18"));
	assert_non_null(strstr(sb.buf, "   0.000 100.000   0.000"));
	assert_non_null(strstr(sb.buf, "CPU time, instructions, cycles\n"));
	strbuf_release(&sb);
	free(c);
}

/* Nothing is there, and what is there is hostile. */
static void test_print_nothing(void **state)
{
	struct check *c = xcalloc(1, sizeof(*c));
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	c->host.cpus_online = c->host.smt = c->host.autogroup = c->host.turbo = -1;
	c->host.uptime_s = -1;
	c->host.loadavg[0] = c->host.loadavg[1] = c->host.loadavg[2] = -1;
	c->steal_boot = c->steal_now = -1;
	c->measured_ns.state = VALUE_UNREADABLE;
	snprintf(c->host.cpu_model, sizeof(c->host.cpu_model), "A\x1b[2J\xff\xc2\xb5\nB");
	memset(c->host.kernel, 'k', sizeof(c->host.kernel) - 1);
	memset(c->servers[0].found.reason, 'r', sizeof(c->servers[0].found.reason) - 1);
	snprintf(c->counters.instructions.reason, sizeof(c->counters.instructions.reason), "no i");
	snprintf(c->counters.cycles.reason, sizeof(c->counters.cycles.reason), "no c");
	check_print(&sb, c);
	assert_non_null(strstr(sb.buf, "A\\x1b[2J\\xff\\xc2\\xb5\\x0aB"));
	assert_non_null(strstr(sb.buf, "measurable nothing\n"));
	assert_non_null(strstr(sb.buf, "nothing counts it"));
	assert_null(strchr(sb.buf, '\x1b'));
	/* a word is never cut, so a long one may stand out */
	assert_non_null(strstr(sb.buf, "kkkk"));
	strbuf_release(&sb);
	free(c);
}

static void test_loop(void **state)
{
	const struct counter_roots roots = {.proc = "/proc", .sys = "/sys"};
	struct perf_trial t;

	(void)state;
	perf_try_loop(&t, &roots);
	assert_int_equal(t.turns, PERF_LOOP_TURNS);
	assert_true(t.cpu_ns > 100000);
	/* a subtraction and a jump */
	assert_true(t.expected == 2 * (uint64_t)PERF_LOOP_TURNS || t.expected == 0);
	if (value_known(t.instructions) && t.expected)
		assert_true(perf_loop_instructions_ok(t.turns, (uint64_t)t.instructions.v));
}

static bool judged(int64_t used_ms, struct value measured)
{
	struct check *c = fine();
	bool ok;

	c->cpu.available = false;
	c->used_ns = (uint64_t)used_ms * 1000000;
	c->measured_ns = measured;
	check_judge_cpu(c);
	ok = c->cpu.available;
	assert_int_equal(ok, c->cpu.reason[0] == '\0');
	free(c);
	return ok;
}

static void test_cpu(void **state)
{
	(void)state;
	assert_true(judged(30, value_of(30000000)));
	assert_true(judged(30, value_of(27000000)));
	assert_false(judged(30, value_of(26000000)));
	assert_false(judged(30, value_of(91000000)));
	assert_false(judged(30, value_of(-30000000)));
	assert_false(judged(30, (struct value){30000000, VALUE_UNREADABLE}));
}

static void test_readings(void **state)
{
	const struct measure_options mo = {.counters = COUNTERS_AUTO,
					   .cpu = CPU_CLOCKS,
					   .proc_root = "/proc",
					   .sys_root = "/sys"};
	static const unsigned sizes[CHECK_READINGS] = {1, 10, 100};
	struct check *c = xcalloc(1, sizeof(*c));

	(void)state;
	check_readings(c, &mo);
	assert_true(c->cpu.available);
	assert_true(value_known(c->measured_ns));
	assert_true((uint64_t)c->measured_ns.v >= c->used_ns * 9 / 10);
	for (int i = 0; i < CHECK_READINGS; i++) {
		assert_int_equal(c->reading[i].processes, sizes[i]);
		assert_true(value_known(c->reading[i].cpu_ns));
		assert_true(c->reading[i].cpu_ns.v > 0);
	}
	assert_true(c->reading[2].cpu_ns.v > c->reading[0].cpu_ns.v);
	/* no child is left */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_buckets), cmocka_unit_test(test_clock),
		cmocka_unit_test(test_versions),      cmocka_unit_test(test_needs),
		cmocka_unit_test(test_missing),       cmocka_unit_test(test_notes),
		cmocka_unit_test(test_print),         cmocka_unit_test(test_print_nothing),
		cmocka_unit_test(test_loop),          cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
