/* The table as it is printed. */
#include "config.h"

#include "result/table.h"

#include <stdlib.h>

#include "lib/strbuf.h"
#include "result/compare.h"
#include "result_fixture.h"

static const struct counters_info perf = {.source = COUNTERS_PERF,
					  .cpu_source = CPU_CLOCKS,
					  .instructions = {.available = true},
					  .cycles = {.available = true}};
static const struct counters_info no_counters = {
	.source = COUNTERS_NONE,
	.cpu_source = CPU_CLOCKS,
	.instructions = {.reason = "no hardware counters in this virtual machine"},
	.cycles = {.reason = "no hardware counters in this virtual machine"}};

static void print(const struct window *windows, size_t n, const struct counters_info *counters,
		  struct strbuf *out)
{
	const struct window *list[32];
	struct result results[8];
	for (size_t i = 0; i < n; i++)
		list[i] = &windows[i];
	size_t nresults = results_from_windows(list, n, "pername", results, 8);
	strbuf_init(out);
	table_print(out, results, nresults, counters);
	if (getenv("SHOW"))
		fprintf(stderr, "\n%s\n", out->buf);
}

static void expect(const struct strbuf *out, const char *text)
{
	if (!strstr(out->buf, text))
		fail_msg("not in the table: '%s'\n%s", text, out->buf);
}

static void expect_not(const struct strbuf *out, const char *text)
{
	if (strstr(out->buf, text))
		fail_msg("in the table: '%s'\n%s", text, out->buf);
}

/* The numbers of DESIGN's example, in the columns that they have in print. */
static void reference_windows(struct window w[2])
{
	w[0] = window_of("pername", 399, 1);
	w[1] = window_of("skiplocked", 400, 1);
	w[0].usage.roles[ROLE_WORKER] = usage_of(23.21 * 399, 6.78 * 399, 2.83 * 399);
	w[0].usage.roles[ROLE_PRODUCER] = usage_of(0.96 * 399, 1.19 * 399, 0.55 * 399);
	w[0].usage.roles[ROLE_DATABASE] = usage_of(131.89 * 399, 27.32 * 399, 11.53 * 399);
	w[0].jobs.worker_statements = 40000;
}

static void test_whole_table(void **state)
{
	(void)state;
	struct window w[2];
	struct strbuf out;
	reference_windows(w);
	print(w, 2, &perf, &out);
	assert_string_equal(
		out.buf,
		"Per job: worker / producer / database = total. Instructions and cycles in "
		"millions.\n"
		"\n"
		"Database  Variant     Jobs   Instructions                     "
		"Cycles                        CPU ms\n"
		"postgres  pername      399   23.21 / 0.96 / 131.89 = 156.06   "
		"6.78 / 1.19 / 27.32 = 35.29   2.83 / 0.55 / 11.53 = 14.91\n"
		"postgres  skiplocked   400    1.18 / 0.61 /   2.21 =   4.00   "
		"2.34 / 2.48 /  4.00 =  8.82   1.48 / 1.55 /  2.55 =  5.58\n"
		"  vs pername: instructions 0.03x, cycles 0.25x, CPU 0.37x\n"
		"\n"
		"Work per job:\n"
		"\n"
		"Database  Variant     Jobs  Statements  Commits  WAL bytes  Rows examined  "
		"Buffers\n"
		"postgres  pername      399      101.25     3.00       1330           5.00    "
		"29.00\n"
		"postgres  skiplocked   400        3.00     3.00       1330           5.00    "
		"29.00\n");
	strbuf_release(&out);
}

/* Planning each execution is said, and is no reason to leave figures out. */
static void test_planned_anew(void **state)
{
	(void)state;
	struct window w[3];
	struct strbuf out;
	reference_windows(w);
	w[2] = w[1];
	w[1].anew = (struct plan_count){"claim_8", 3, 390};
	w[2].anew = (struct plan_count){"claim_7", 1, 20};
	print(w, 3, &perf, &out);
	expect(&out, "\npostgres skiplocked: claim_8 was planned anew 390 times in a window; its "
		     "one plan for all was taken 3 times\n");
	expect_not(&out, "pername: claim");
	strbuf_release(&out);
}

/* A reason once for each database, and none for what is there. */
static void test_missing_work(void **state)
{
	(void)state;
	struct window w[4];
	struct strbuf out;
	reference_windows(w);
	w[2] = w[0];
	w[3] = w[1];
	w[2].dialect = w[3].dialect = DIALECT_MARIADB;
	for (unsigned i = 1; i < 4; i++) {
		w[i].server.wal_bytes = (struct value){0, VALUE_NONE};
		w[i].server.why[SERVER_WAL_BYTES] = "the log is off";
	}
	w[3].server.buffers = (struct value){0, VALUE_UNREADABLE};
	w[3].server.why[SERVER_BUFFERS] = "began anew";
	print(w, 4, &perf, &out);
	expect(&out, "Log bytes  Rows examined  Buffers\n");
	expect(&out, " 3.00          -           5.00    29.00\n");
	expect(&out, " 3.00          -           5.00        ?\n\n"
		     "-  no log bytes of postgres: the log is off\n"
		     "-  no log bytes of mariadb: the log is off\n"
		     "-  no buffers of mariadb: began anew\n");
	strbuf_release(&out);
}

static void test_total_is_summed_before_rounding(void **state)
{
	(void)state;
	struct window w = window_of("pername", 100, 1);
	struct strbuf out;
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		w.usage.roles[r] = usage_of(100.4, 100.4, 100.4);
	print(&w, 1, &perf, &out);
	/* 1.004 three times, and 3.012 */
	expect(&out, "1.00 / 1.00 / 1.00 = 3.01");
	strbuf_release(&out);
}

static void test_missing_counters(void **state)
{
	(void)state;
	struct window w[2];
	struct strbuf out;
	reference_windows(w);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned r = 0; r < ROLE_COUNT; r++)
			without_counters(&w[i].usage.roles[r]);
	print(w, 2, &no_counters, &out);
	expect(&out, "Database  Variant     Jobs   Instructions   Cycles   CPU ms\n");
	expect(&out, "pername      399   -              -        2.83 / 0.55 / 11.53 = 14.91\n");
	expect(&out, "\n  vs pername: CPU 0.37x\n");
	expect(&out, "\n-  no instructions and no cycles: no hardware counters in this virtual "
		     "machine\n");
	expect_not(&out, "not measured");
	strbuf_release(&out);
}

/* Two windows under icount: roles is who runs under it. */
static void icount_table(unsigned roles, struct strbuf *out)
{
	struct window w[2];
	struct counters_info info = {.source = COUNTERS_ICOUNT,
				     .user_only = true,
				     .instructions = {.available = true},
				     .cycles = {.reason = "no cycles in Valgrind"},
				     .no_cpu_reason = "it means\n nothing",
				     .icount = {.roles = roles}};
	reference_windows(w);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned r = 0; r < ROLE_COUNT; r++) {
			struct usage *u = &w[i].usage.roles[r];
			u->cycles.state = VALUE_NONE;
			if (roles & 1u << r)
				u->cpu_ns.state = VALUE_NONE;
			else
				u->instructions.state = VALUE_NONE;
		}
	print(w, 2, &info, out);
}

static void test_icount(void **state)
{
	(void)state;
	struct strbuf out;
	icount_table(7, &out);
	expect(&out, "instructions by icount, user only; not to be compared with figures of "
		     "hardware counters\n");
	expect(&out, "\n-  no CPU time of worker, producer, database: it means\\x0a nothing\n");
	expect(&out, "\n-  no cycles: no cycles in Valgrind\n");
	expect_not(&out, "no instructions");
	expect_not(&out, "not measured");
	strbuf_release(&out);
	icount_table(1u << ROLE_DATABASE, &out);
	expect(&out, "\n-  no CPU time of database: it means\\x0a nothing\n");
	expect(&out, "\n-  no instructions of worker, producer: not under icount\n");
	expect_not(&out, "not measured");
	strbuf_release(&out);
}

static void test_user_only_is_in_the_titles(void **state)
{
	(void)state;
	struct window w[2];
	struct strbuf out;
	struct counters_info info = perf;
	info.user_only = true;
	reference_windows(w);
	print(w, 2, &info, &out);
	expect(&out,
	       "Jobs   Instructions (user)              Cycles (user)                 CPU ms\n");
	strbuf_release(&out);
}

static void test_reason_has_its_remedy(void **state)
{
	(void)state;
	struct window w = window_of("pername", 100, 1);
	struct strbuf out;
	struct counters_info info = {
		.source = COUNTERS_PERF,
		.instructions = {.available = true},
		.cycles = {.reason = "this user may not\n open counters",
			   .remedy = "sudo sysctl kernel.perf_event_paranoid=1"}};
	w.usage.roles[ROLE_WORKER].cycles.state = VALUE_NONE;
	w.usage.roles[ROLE_PRODUCER].cycles.state = VALUE_NONE;
	w.usage.roles[ROLE_DATABASE].cycles.state = VALUE_NONE;
	print(&w, 1, &info, &out);
	expect(&out, "\n-  no cycles: this user may not\\x0a open counters; to have them: sudo "
		     "sysctl kernel.perf_event_paranoid=1\n");
	strbuf_release(&out);
}

/* One role without a figure: the others are shown, there is no total. */
static void test_missing_role(void **state)
{
	(void)state;
	struct window w = window_of("pername", 100, 1);
	struct strbuf out;
	w.usage.roles[ROLE_PRODUCER].instructions.state = VALUE_NONE;
	w.usage.roles[ROLE_PRODUCER].cycles.state = VALUE_UNREADABLE;
	print(&w, 1, &perf, &out);
	expect(&out, "1.18 / - / 2.21 = -");
	expect(&out, "2.34 / ? / 4.00 = ?");
	expect(&out, "\n-  not measured: ");
	strbuf_release(&out);
}

static void test_marks(void **state)
{
	(void)state;
	struct window w[4];
	struct strbuf out;
	reference_windows(w);
	w[2] = window_of("batch", 100, 1);
	w[3] = window_of("batch", 90, 1);
	w[0].unbalanced = true;
	w[1].usage.roles[ROLE_DATABASE].instructions.state = VALUE_SCALED;
	w[1].lost = value_of(3);
	w[2].jobs.duplicates = 1;
	w[2].jobs.mutex_overlaps = 2;
	w[2].jobs.mutex_wrong_keys = 1;
	w[1].queue_empty_ns = 12340000000;
	w[3].valid = false;
	print(w, 4, &perf, &out);
	expect(&out, "postgres  pername !      399 ");
	expect(&out, "postgres  skiplocked *   400 ");
	expect(&out, "postgres  batch          100 ");
	expect(&out, "\n!  the backlog changed");
	expect(&out, "\n*  the counters took turns");
	expect(&out, "\npostgres skiplocked: 3 jobs lost:");
	expect(&out, "\npostgres batch: 1 of 2 windows invalid, left out\n");
	expect(&out, "\npostgres batch: 1 job ran twice");
	expect(&out, "\npostgres batch: 2 jobs began while another one of the same key ran");
	expect(&out, "\npostgres batch: 1 job ran under another key: this variant is not correct");
	expect(&out,
	       "\npostgres skiplocked: the jobs of --queued ran out at second 12.3 of a window");
	strbuf_release(&out);
}

static void test_late_and_few(void **state)
{
	(void)state;
	struct window w[3] = {window_of("pername", 19, 1), window_of("skiplocked", 400, 1),
			      window_of("batch", 379, 1)};
	struct strbuf out;
	for (int i = 0; i < 3; i++) {
		w[i].rate = 20;
		w[i].length_ns = 20 * NS_PER_S;
		w[i].jobs.enqueued = i ? w[i].jobs.completed : 399;
	}
	print(w, 3, &perf, &out);
	expect(&out, "\npostgres pername: fewer than 20 jobs in a window");
	expect_not(&out, "pername: 20 jobs/s");
	expect_not(&out, "skiplocked: ");
	expect(&out, "\npostgres batch: 20 jobs/s were asked for, 18.9 reached\n");
	expect_not(&out, "batch: fewer");
	strbuf_release(&out);
	w[0].rate = 0; /* an idle queue is meant to have few */
	print(w, 1, &perf, &out);
	expect_not(&out, "fewer");
	strbuf_release(&out);
}

static size_t repeated(struct window *w, unsigned repeat)
{
	static const double noise[] = {1, 1.01, 0.99, 1.005, 0.995};
	for (unsigned i = 0; i < repeat; i++) {
		w[2 * i] = window_of("pername", 400, 3 * noise[i]);
		w[2 * i + 1] = window_of("skiplocked", 400, noise[repeat - 1 - i]);
	}
	return (size_t)repeat * 2;
}

static void test_enough_windows_have_a_verdict(void **state)
{
	(void)state;
	struct window w[10];
	struct strbuf out;
	print(w, repeated(w, 5), &perf, &out);
	expect(&out, "\n  base, 5 windows, instructions 11.88 to 12.12, cycles ");
	expect(&out, "\n  vs pername: instructions 0.33x cheaper (0.33x to 0.34x), cycles 0.33x "
		     "cheaper (0.33x to 0.34x), CPU 0.33x cheaper (0.33x to 0.34x); 5 windows\n");
	expect_not(&out, "no verdict");
	strbuf_release(&out);
}

static void test_few_windows_have_none(void **state)
{
	(void)state;
	struct window w[6];
	struct strbuf out;
	print(w, repeated(w, 3), &perf, &out);
	expect(&out, "\n  vs pername: instructions 0.33x, cycles 0.33x, CPU 0.33x; 3 windows\n");
	expect(&out, "\nno verdict below 4 windows of each variant: see --repeat\n");
	expect_not(&out, "cheaper");
	strbuf_release(&out);
}

static void test_nothing_measured(void **state)
{
	(void)state;
	struct window w = window_of("pername", 100, 1);
	struct strbuf out;
	print(&w, 0, NULL, &out);
	assert_string_equal(out.buf, "No window was measured.\n");
	strbuf_release(&out);
	w.valid = false;
	print(&w, 1, NULL, &out);
	expect(&out, "postgres  pername     -   -              -        -\n");
	expect(&out, "\n-  no window was measured to its end\n");
	strbuf_release(&out);
}

static void test_names_are_escaped(void **state)
{
	(void)state;
	struct window w = window_of("a\033[31mb", 100, 1);
	struct strbuf out;
	print(&w, 1, &perf, &out);
	expect(&out, "postgres  a\\x1b[31mb   100 ");
	expect_not(&out, "\033");
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_table),
		cmocka_unit_test(test_total_is_summed_before_rounding),
		cmocka_unit_test(test_missing_counters),
		cmocka_unit_test(test_missing_work),
		cmocka_unit_test(test_planned_anew),
		cmocka_unit_test(test_icount),
		cmocka_unit_test(test_user_only_is_in_the_titles),
		cmocka_unit_test(test_reason_has_its_remedy),
		cmocka_unit_test(test_missing_role),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_late_and_few),
		cmocka_unit_test(test_enough_windows_have_a_verdict),
		cmocka_unit_test(test_few_windows_have_none),
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_names_are_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
