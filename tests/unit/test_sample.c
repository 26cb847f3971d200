#include "config.h"

#include "model/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "lib/xalloc.h"
#include "model/window.h"

#define NONE    ((struct value){0, VALUE_NONE})
#define ROW_MAX 16

/* CPU is known everywhere, instructions where instructions >= 0. */
static struct usage usage(int64_t cpu_ns, int64_t instructions)
{
	struct usage u = {0};

	u.cpu_ns = value_of(cpu_ns);
	u.instructions = instructions < 0 ? NONE : value_of(instructions);
	u.coverage = instructions < 0 ? 0 : 1;
	u.processes = 1;
	return u;
}

static struct sample sample(uint64_t at_ns, int64_t database_cpu_ns, int64_t instructions)
{
	struct sample s = {0};

	s.taken_ns = at_ns;
	s.rows = xcalloc(ROW_MAX, sizeof(*s.rows));
	s.roles[ROLE_DATABASE].present = true;
	s.roles[ROLE_DATABASE].total = usage(database_cpu_ns, instructions);
	usage_zero(&s.cputop);
	return s;
}

static void add_row(struct sample *s, pid_t pid, uint64_t start, enum part part, struct usage u)
{
	s->rows[s->nrows++] = (struct proc_row){.pid = pid,
						.tid = pid,
						.start = start,
						.role = ROLE_DATABASE,
						.part = part,
						.usage = u};
}

static void parts_are_summed(void **state)
{
	struct sample a = sample(1000, 100, 1000), b = sample(5000, 200, 3000);
	struct usage_diff d;

	(void)state;
	add_row(&a, 10, 1, PART_BACKEND, usage(10, 100));
	add_row(&a, 11, 1, PART_BACKEND, usage(20, 200));
	add_row(&a, 12, 1, PART_WALWRITER, usage(5, 50));
	add_row(&b, 10, 1, PART_BACKEND, usage(40, 500));
	add_row(&b, 11, 1, PART_BACKEND, usage(25, 300));
	add_row(&b, 12, 1, PART_WALWRITER, usage(6, 60));
	sample_diff(&a, &b, &d);
	assert_int_equal(d.length_ns, 4000);
	assert_int_equal(d.roles[ROLE_DATABASE].cpu_ns.v, 100);
	assert_int_equal(d.parts[PART_BACKEND].cpu_ns.v, 35);
	assert_int_equal(d.parts[PART_BACKEND].instructions.v, 500);
	assert_int_equal(d.parts[PART_BACKEND].processes, 2);
	assert_int_equal(d.parts[PART_WALWRITER].cpu_ns.v, 1);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 64);
	assert_int_equal(d.parts[PART_EXITED].instructions.v, 2000 - 500 - 10);
	assert_int_equal(d.parts[PART_EXITED].processes, 0);
	assert_true(d.has_part[PART_BACKEND] && d.has_part[PART_EXITED]);
	assert_false(d.has_part[PART_CHECKPOINTER]);
	sample_release(&a);
	sample_release(&b);
}

static void new_rows_count_from_zero_and_old_ones_are_exited(void **state)
{
	struct sample a = sample(0, 100, 0), b = sample(1, 170, 0);
	struct usage_diff d;

	(void)state;
	add_row(&a, 9, 1, PART_BACKEND, usage(60, 0));
	add_row(&a, 10, 1, PART_BACKEND, usage(10, 0));
	add_row(&b, 10, 1, PART_BACKEND, usage(15, 0));
	add_row(&b, 11, 7, PART_AV_WORKER, usage(30, 0));
	sample_diff(&a, &b, &d);
	assert_int_equal(d.parts[PART_BACKEND].cpu_ns.v, 5);
	assert_int_equal(d.parts[PART_AV_WORKER].cpu_ns.v, 30);
	/* what pid 9 still used before it ended */
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 35);
	sample_release(&a);
	sample_release(&b);
}

static void a_reused_pid_is_another_life(void **state)
{
	struct sample a = sample(0, 100, 0), b = sample(1, 150, 0);
	struct usage_diff d;

	(void)state;
	add_row(&a, 10, 1, PART_BACKEND, usage(90, 0));
	add_row(&b, 10, 2, PART_BACKEND, usage(7, 0));
	sample_diff(&a, &b, &d);
	assert_int_equal(d.parts[PART_BACKEND].cpu_ns.v, 7);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 43);
	sample_release(&a);
	sample_release(&b);
}

static void threads_of_one_pid_are_told_apart(void **state)
{
	struct sample a = sample(0, 100, 0), b = sample(1, 150, 0);
	struct usage_diff d;

	(void)state;
	add_row(&a, 10, 1, PART_OTHER, usage(10, 0));
	add_row(&a, 10, 1, PART_BACKEND, usage(20, 0));
	a.rows[1].tid = 12;
	add_row(&b, 10, 1, PART_OTHER, usage(11, 0));
	add_row(&b, 10, 1, PART_BACKEND, usage(3, 0));
	add_row(&b, 10, 1, PART_BACKEND, usage(25, 0));
	b.rows[1].tid = 11;
	b.rows[2].tid = 12;
	sample_diff(&a, &b, &d);
	assert_int_equal(d.parts[PART_OTHER].cpu_ns.v, 1);
	assert_int_equal(d.parts[PART_BACKEND].cpu_ns.v, 8);
	sample_release(&a);
	sample_release(&b);
}

/* The process that they are in is a row too, and in no part: it would count twice. */
static void a_process_of_threads_is_in_no_part(void **state)
{
	struct sample a = sample(0, 100, 0), b = sample(1, 150, 0);
	struct usage_diff d;
	size_t ia = 0;

	(void)state;
	add_row(&a, 10, 1, PART_NONE, usage(100, 0));
	add_row(&a, 10, 1, PART_CONNECTION, usage(20, 0));
	add_row(&b, 10, 1, PART_NONE, usage(150, 0));
	add_row(&b, 10, 1, PART_CONNECTION, usage(60, 0));
	a.rows[0].tid = b.rows[0].tid = 0;
	sample_diff(&a, &b, &d);
	assert_false(d.has_part[PART_NONE]);
	assert_int_equal(d.parts[PART_CONNECTION].cpu_ns.v, 40);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 10);
	assert_ptr_equal(sample_row_before(&a, &ia, &b.rows[0]), &a.rows[0]);
	assert_ptr_equal(sample_row_before(&a, &ia, &b.rows[1]), &a.rows[1]);
	sample_release(&a);
	sample_release(&b);
}

/* The role's total excludes the monitor already: it must not be taken out twice. */
static void the_monitor_is_outside_the_total(void **state)
{
	struct sample a = sample(0, 100, 0), b = sample(1, 150, 0);
	struct usage_diff d;

	(void)state;
	add_row(&a, 10, 1, PART_BACKEND, usage(10, 0));
	add_row(&a, 11, 1, PART_MONITOR, usage(500, 0));
	add_row(&b, 10, 1, PART_BACKEND, usage(50, 0));
	add_row(&b, 11, 1, PART_MONITOR, usage(507, 0));
	sample_diff(&a, &b, &d);
	assert_int_equal(d.parts[PART_MONITOR].cpu_ns.v, 7);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 10);
	sample_release(&a);
	sample_release(&b);
}

static void exited_may_be_negative(void **state)
{
	struct sample a = sample(0, 100, 0), b = sample(1, 150, 0);
	struct usage_diff d;

	(void)state;
	add_row(&a, 10, 1, PART_BACKEND, usage(10, 0));
	add_row(&b, 10, 1, PART_BACKEND, usage(63, 0));
	sample_diff(&a, &b, &d);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, -3);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.state, VALUE_OK);
	sample_release(&a);
	sample_release(&b);
}

static void a_missing_term_is_missing_for_that_value_only(void **state)
{
	struct sample a = sample(0, 100, 1000), b = sample(1, 150, 2000);
	struct usage_diff d;

	(void)state;
	add_row(&a, 10, 1, PART_BACKEND, usage(10, 5));
	add_row(&b, 10, 1, PART_BACKEND, usage(50, 7));
	add_row(&b, 11, 1, PART_OTHER, usage(5, -1));
	/* the monitor is no term */
	add_row(&b, 12, 1, PART_MONITOR, usage(5, -1));
	b.rows[2].usage.cpu_ns.state = VALUE_UNREADABLE;
	sample_diff(&a, &b, &d);
	assert_int_equal(d.parts[PART_BACKEND].instructions.v, 2);
	assert_false(value_known(d.parts[PART_OTHER].instructions));
	assert_false(value_known(d.parts[PART_EXITED].instructions));
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 50 - 40 - 5);
	assert_int_equal(d.roles[ROLE_DATABASE].instructions.v, 1000);
	sample_release(&a);
	sample_release(&b);
}

/* Rows of the other roles are no parts, and roles that came in between count whole. */
static void other_roles(void **state)
{
	struct sample a = sample(0, 100, 0), b = sample(1, 150, 0);
	struct usage_diff d;

	(void)state;
	a.roles[ROLE_WORKER].present = true;
	a.roles[ROLE_WORKER].total = usage(30, -1);
	b.roles[ROLE_WORKER].present = true;
	b.roles[ROLE_WORKER].total = usage(42, -1);
	b.roles[ROLE_PRODUCER].present = true;
	b.roles[ROLE_PRODUCER].total = usage(9, -1);
	add_row(&a, 5, 1, PART_NONE, usage(30, -1));
	a.rows[0].role = ROLE_WORKER;
	add_row(&b, 5, 1, PART_NONE, usage(42, -1));
	b.rows[0].role = ROLE_WORKER;
	sample_diff(&a, &b, &d);
	assert_int_equal(d.roles[ROLE_WORKER].cpu_ns.v, 12);
	assert_int_equal(d.roles[ROLE_PRODUCER].cpu_ns.v, 9);
	assert_false(d.has_part[PART_NONE]);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 50);
	b.roles[ROLE_DATABASE].present = false;
	sample_diff(&a, &b, &d);
	assert_false(value_known(d.roles[ROLE_DATABASE].cpu_ns));
	assert_false(d.has_part[PART_EXITED]);
	sample_release(&a);
	sample_release(&b);
}

/* Property: whatever the rows are, the parts but the monitor sum to the total. */
static void parts_sum_to_the_total(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 11);
	for (int round = 0; round < 500; round++) {
		struct sample a = sample(0, 0, 0), b = sample(1, (int64_t)rng_below(&r, 500), 0);
		struct usage_diff d;
		struct usage sum;

		for (pid_t pid = 1; pid < ROW_MAX; pid++) {
			enum part part = (enum part)(1 + rng_below(&r, PART_EXITED - 1));
			int64_t before = (int64_t)rng_below(&r, 100);

			if (rng_below(&r, 3))
				add_row(&a, pid, 1, part, usage(before, 0));
			if (rng_below(&r, 3))
				add_row(&b, pid, 1 + rng_below(&r, 2), part,
					usage(before + (int64_t)rng_below(&r, 20), 0));
		}
		sample_diff(&a, &b, &d);
		usage_zero(&sum);
		for (unsigned p = 0; p < PART_COUNT; p++)
			if (d.has_part[p] && p != PART_MONITOR)
				usage_add(&sum, &d.parts[p]);
		assert_int_equal(sum.cpu_ns.state, VALUE_OK);
		assert_int_equal(sum.cpu_ns.v, d.roles[ROLE_DATABASE].cpu_ns.v);
		sample_release(&a);
		sample_release(&b);
	}
}

static void machine_and_cputop(void **state)
{
	struct sample a = sample(10, 0, 0), b = sample(30, 0, 0);
	struct usage_diff d;

	(void)state;
	a.cputop = usage(5, -1);
	b.cputop = usage(9, -1);
	a.machine_busy_ns = 100;
	b.machine_busy_ns = 170;
	a.machine_steal_ns = 3;
	b.machine_steal_ns = 2; /* ticks may go back a little */
	sample_diff(&a, &b, &d);
	assert_int_equal(d.cputop.cpu_ns.v, 4);
	assert_int_equal(d.machine_busy_ns, 70);
	assert_int_equal(d.machine_steal_ns, 0);
	sample_release(&a);
	sample_release(&b);
}

static void sums(void **state)
{
	struct usage sum, u = usage(7, 9);

	(void)state;
	usage_zero(&sum);
	u.coverage = 0.97;
	u.context_switches = (struct value){3, VALUE_AT_LEAST};
	usage_add(&sum, &u);
	u.coverage = 0.99;
	usage_add(&sum, &u);
	assert_int_equal(sum.cpu_ns.v, 14);
	assert_int_equal(sum.processes, 2);
	assert_true(sum.coverage > 0.969 && sum.coverage < 0.971);
	assert_int_equal(sum.context_switches.v, 6);
	assert_int_equal(sum.context_switches.state, VALUE_AT_LEAST);
	assert_int_equal(sum.read_bytes.state, VALUE_NONE);
	usage_sub(&sum, &u);
	assert_int_equal(sum.instructions.v, 9);
	assert_int_equal(sum.processes, 2);
}

/* The clock on the wall is set back, or far ahead: it stamps, it measures nothing. */
static void the_wall_clock_measures_nothing(void **state)
{
	static const uint64_t wall[] = {1, 2000, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(wall) / sizeof(wall[0]); i++) {
		struct sample a = sample(1000, 100, 1000), b = sample(5000, 200, 3000);
		struct usage_diff d;

		a.wall_ns = 1000000;
		b.wall_ns = wall[i];
		sample_diff(&a, &b, &d);
		assert_int_equal(d.length_ns, 4000);
		assert_int_equal(d.roles[ROLE_DATABASE].cpu_ns.v, 100);
		sample_release(&a);
		sample_release(&b);
	}
}

static void copies_own_their_rows(void **state)
{
	struct sample a = sample(1, 2, 3), copy;
	struct window w = {0};

	(void)state;
	add_row(&a, 10, 1, PART_BACKEND, usage(1, 1));
	add_row(&a, 11, 1, PART_BACKEND, usage(1, 1));
	a.rows[0].title = xstrdup("postgres: writer");
	sample_copy(&copy, &a);
	assert_int_equal(copy.nrows, 2);
	assert_ptr_not_equal(copy.rows, a.rows);
	assert_ptr_not_equal(copy.rows[0].title, a.rows[0].title);
	sample_release(&a);
	assert_null(a.rows);
	assert_string_equal(copy.rows[0].title, "postgres: writer");
	assert_null(copy.rows[1].title);
	sample_copy(&a, &copy);
	sample_drop_titles(&a);
	assert_null(a.rows[0].title);
	assert_int_equal(a.rows[0].pid, 10);
	sample_release(&a);
	w.before = copy;
	sample_copy(&w.after, &w.before);
	window_release(&w);
	window_release(&w);
	sample_copy(&copy, &a);
	assert_null(copy.rows);
	sample_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_summed),
		cmocka_unit_test(new_rows_count_from_zero_and_old_ones_are_exited),
		cmocka_unit_test(a_reused_pid_is_another_life),
		cmocka_unit_test(threads_of_one_pid_are_told_apart),
		cmocka_unit_test(a_process_of_threads_is_in_no_part),
		cmocka_unit_test(the_monitor_is_outside_the_total),
		cmocka_unit_test(exited_may_be_negative),
		cmocka_unit_test(a_missing_term_is_missing_for_that_value_only),
		cmocka_unit_test(other_roles),
		cmocka_unit_test(parts_sum_to_the_total),
		cmocka_unit_test(machine_and_cputop),
		cmocka_unit_test(sums),
		cmocka_unit_test(the_wall_clock_measures_nothing),
		cmocka_unit_test(copies_own_their_rows),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
