/* Counters divided by jobs and seconds, and the rows of the live table. */
#include "config.h"

#include "result/figures.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/xalloc.h"
#include "result/compare.h"
#include "result/stretch.h"
#include "result_fixture.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-6 * (fabs(b) + 1e-9))

static void assert_figure(struct figure f, double v)
{
	assert_int_equal(f.state, VALUE_OK);
	assert_near(f.v, v);
}

static void test_per_job(void **state)
{
	(void)state;
	struct window w = window_of("skiplocked", 400, 1);
	struct figure f[ROLE_COUNT + 1][COUNTER_COUNT];
	figures_per_job(&w.usage, 400, f);
	assert_figure(f[ROLE_WORKER][COUNTER_INSTRUCTIONS], 1.18e6);
	assert_figure(f[ROLE_PRODUCER][COUNTER_CYCLES], 2.48e6);
	assert_figure(f[ROLE_DATABASE][COUNTER_CPU_NS], 2.55e6);
	assert_figure(f[ROLE_TOTAL][COUNTER_INSTRUCTIONS], 4.00e6);
	assert_figure(f[ROLE_TOTAL][COUNTER_CYCLES], 8.82e6);
	assert_figure(f[ROLE_TOTAL][COUNTER_CPU_NS], 5.58e6);
}

static void test_per_second(void **state)
{
	(void)state;
	struct window w = window_of("skiplocked", 400, 1);
	struct figure f[ROLE_COUNT + 1][COUNTER_COUNT];
	figures_per_second(&w.usage, f);
	assert_figure(f[ROLE_WORKER][COUNTER_INSTRUCTIONS], 1.18e6 * 20);
	assert_figure(f[ROLE_TOTAL][COUNTER_CPU_NS], 5.58e6 * 20);
	w.usage.length_ns = 0;
	figures_per_second(&w.usage, f);
	assert_int_equal(f[ROLE_TOTAL][COUNTER_CPU_NS].state, VALUE_NONE);
}

static void test_no_jobs_is_no_figure(void **state)
{
	(void)state;
	struct window w = window_of("skiplocked", 400, 1);
	struct figure f[ROLE_COUNT + 1][COUNTER_COUNT];
	figures_per_job(&w.usage, 0, f);
	for (unsigned r = 0; r <= ROLE_TOTAL; r++)
		for (unsigned c = 0; c < COUNTER_COUNT; c++)
			assert_int_equal(f[r][c].state, VALUE_NONE);
}

static void test_missing_role_has_no_total(void **state)
{
	(void)state;
	struct window w = window_of("skiplocked", 400, 1);
	struct figure f[ROLE_COUNT + 1][COUNTER_COUNT];
	w.usage.roles[ROLE_PRODUCER].instructions.state = VALUE_NONE;
	w.usage.roles[ROLE_DATABASE].cycles.state = VALUE_SCALED;
	w.usage.roles[ROLE_WORKER].cpu_ns.state = VALUE_UNREADABLE;
	figures_per_job(&w.usage, 400, f);
	assert_int_equal(f[ROLE_TOTAL][COUNTER_INSTRUCTIONS].state, VALUE_NONE);
	assert_int_equal(f[ROLE_TOTAL][COUNTER_CYCLES].state, VALUE_SCALED);
	assert_int_equal(f[ROLE_TOTAL][COUNTER_CPU_NS].state, VALUE_UNREADABLE);
	assert_figure(f[ROLE_WORKER][COUNTER_INSTRUCTIONS], 1.18e6);
}

static struct window with_backlog(uint64_t before, uint64_t after, uint64_t completed)
{
	struct window w = window_of("skiplocked", completed, 1);
	w.jobs_before.enqueued = 1000 + before;
	w.jobs_before.completed = 1000;
	w.jobs_after.enqueued = 2000 + after;
	w.jobs_after.completed = 2000;
	return w;
}

static void test_unbalanced(void **state)
{
	(void)state;
	struct window even = with_backlog(3, 3, 400), more = with_backlog(0, 8, 400);
	struct window too_many = with_backlog(0, 9, 400), too_few = with_backlog(9, 0, 400);
	struct window share = with_backlog(0, 20, 1000), above = with_backlog(0, 21, 1000);
	assert_false(window_is_unbalanced(&even, 8));
	assert_false(window_is_unbalanced(&more, 8));
	assert_true(window_is_unbalanced(&too_many, 8));
	assert_true(window_is_unbalanced(&too_few, 8));
	/* 2 % of 1000 jobs are 20 */
	assert_false(window_is_unbalanced(&share, 8));
	assert_true(window_is_unbalanced(&above, 8));
}

static void test_ratio(void **state)
{
	(void)state;
	struct figure two = {2, VALUE_OK}, eight = {8, VALUE_SCALED}, zero = {0, VALUE_OK};
	struct figure none = {5, VALUE_NONE};
	assert_near(figure_ratio(two, eight).v, 0.25);
	assert_int_equal(figure_ratio(two, eight).state, VALUE_SCALED);
	assert_int_equal(figure_ratio(two, zero).state, VALUE_NONE);
	assert_int_equal(figure_ratio(two, none).state, VALUE_NONE);
	assert_int_equal(figure_ratio(none, two).state, VALUE_NONE);
}

/* The database of the window in three parts, of which two are small. */
static void add_parts(struct usage_diff *d, double other_share, double exited_share)
{
	const struct usage *all = &d->roles[ROLE_DATABASE];
	double m = (double)all->instructions.v / 1e6, c = (double)all->cycles.v / 1e6;
	double ms = (double)all->cpu_ns.v / 1e6, rest = 1 - other_share - exited_share;
	d->parts[PART_BACKEND] = usage_of(m * rest, c * rest, ms * rest);
	d->parts[PART_OTHER] = usage_of(m * other_share, c * other_share, ms * other_share);
	d->parts[PART_EXITED] = usage_of(m * exited_share, c * exited_share, ms * exited_share);
	d->parts[PART_MONITOR] = usage_of(1, 1, 1);
	d->has_part[PART_BACKEND] = d->has_part[PART_OTHER] = true;
	d->has_part[PART_EXITED] = d->has_part[PART_MONITOR] = true;
}

static struct model *new_model(void)
{
	return xcalloc(1, sizeof(struct model));
}

static bool has_row(const struct model *m, enum part p)
{
	for (size_t i = 0; i < m->nrows; i++)
		if (m->rows[i].kind == ROW_PART && m->rows[i].part == p)
			return true;
	return false;
}

/* The cost of a part, which must have a row. */
static struct cost part_cost(const struct model *m, enum part p)
{
	assert_true(has_row(m, p));
	size_t i = 0;
	while (m->rows[i].kind != ROW_PART || m->rows[i].part != p)
		i++;
	return m->rows[i].cost;
}

static void test_rows(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct window w = window_of("skiplocked", 400, 1);
	add_parts(&w.usage, 0.2, 0.1);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_true(m->enough_jobs);
	assert_int_equal(m->nrows, 7);
	assert_int_equal(m->rows[0].role, ROLE_WORKER);
	assert_int_equal(m->rows[1].role, ROLE_PRODUCER);
	assert_int_equal(m->rows[2].role, ROLE_DATABASE);
	assert_int_equal(m->rows[2].kind, ROW_ROLE);
	assert_int_equal(m->rows[3].part, PART_BACKEND);
	assert_int_equal(m->rows[6].kind, ROW_TOTAL);
	assert_false(has_row(m, PART_MONITOR));
	const struct cost *worker = &m->rows[0].cost, *total = &m->rows[6].cost;
	assert_figure(worker->counters[COUNTER_CPU_NS], 1.48e6);
	assert_figure(worker->ipc, 1.18 / 2.34);
	assert_figure(worker->ghz, 2.34 / 1.48);
	assert_figure(worker->share, 1.18 / 4.00);
	assert_figure(worker->cpu_pct, 100 * 1.48e6 * 400 / 20e9);
	assert_figure(worker->csw, 3);
	assert_figure(part_cost(m, PART_OTHER).share, 0.2 * 2.21 / 4.00);
	assert_figure(total->share, 1);
	assert_int_equal(total->vs_base.state, VALUE_NONE);
	assert_int_equal(total->processes, 3);
	assert_figure(m->statements, 3);
	assert_null(m->moves_apart);
	free(m);
}

static void test_shares_without_counters(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct window w = window_of("skiplocked", 400, 1);
	add_parts(&w.usage, 0.2, 0.1);
	/* instructions of the parts alone are missing: no share of them is made from CPU time */
	without_counters(&w.usage.parts[PART_BACKEND]);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_int_equal(part_cost(m, PART_BACKEND).share.state, VALUE_NONE);
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		without_counters(&w.usage.roles[r]);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_figure(m->rows[0].cost.share, 1.48 / 5.58);
	assert_int_equal(m->rows[0].cost.ipc.state, VALUE_NONE);
	assert_figure(part_cost(m, PART_BACKEND).share, 0.7 * 2.55 / 5.58);
	free(m);
}

static void test_small_parts_are_joined(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct window w = window_of("skiplocked", 400, 1);
	add_parts(&w.usage, 0.017, -0.003);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_false(has_row(m, PART_EXITED));
	assert_true(has_row(m, PART_OTHER));
	struct cost c = part_cost(m, PART_OTHER);
	assert_near(c.counters[COUNTER_CPU_NS].v, 0.014 * 2.55e6);
	assert_int_equal(c.processes, 1);
	/* one of them at 1 % or more: both stand alone */
	add_parts(&w.usage, 0.02, -0.003);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_true(has_row(m, PART_EXITED));
	assert_near(part_cost(m, PART_EXITED).counters[COUNTER_CPU_NS].v, -0.003 * 2.55e6);
	add_parts(&w.usage, 0.001, -0.02);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_true(has_row(m, PART_EXITED));
	free(m);
}

static void test_few_jobs_have_no_figures(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct window w = window_of("skiplocked", MODEL_MIN_JOBS - 1, 1);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_false(m->enough_jobs);
	assert_int_equal(m->nrows, 4);
	assert_int_equal(m->rows[0].cost.counters[COUNTER_CPU_NS].state, VALUE_NONE);
	assert_int_equal(m->rows[0].cost.share.state, VALUE_NONE);
	assert_int_equal(m->rows[0].cost.processes, 1);
	assert_int_equal(m->statements.state, VALUE_NONE);
	w = window_of("skiplocked", MODEL_MIN_JOBS, 1);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_true(m->enough_jobs);
	assert_figure(m->rows[0].cost.counters[COUNTER_CPU_NS], 1.48e6);
	free(m);
}

static void test_idle_queue_is_per_second(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct window w = window_of("skiplocked", 400, 1);
	struct result base = {.windows = 1};
	base.per_job[ROLE_TOTAL][COUNTER_CPU_NS].median = (struct figure){1e6, VALUE_OK};
	m->per_second = true;
	w.jobs.completed = 0;
	figures_fill_rows(m, &w.usage, &w.jobs, &base);
	assert_true(m->enough_jobs);
	assert_figure(m->rows[3].cost.counters[COUNTER_CPU_NS], 5.58e6 * 20);
	assert_int_equal(m->rows[3].cost.vs_base.state, VALUE_NONE);
	free(m);
}

/* Over less than a tenth of a second nothing is a rate: not what is per second, nor a share of the
 * time; what is per job stays. */
static void test_no_rate_over_a_moment(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct stretch *s = xcalloc(1, sizeof(*s));
	struct window w = window_of("skiplocked", 400, 1);
	w.usage.length_ns = SAMPLE_RATE_NS - 1;
	assert_int_equal(figure_rate(value_of(1), w.usage.length_ns).state, VALUE_NONE);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_figure(m->rows[0].cost.counters[COUNTER_CPU_NS], 1.48e6);
	assert_int_equal(m->rows[0].cost.cpu_pct.state, VALUE_NONE);
	m->per_second = true;
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_int_equal(m->rows[0].cost.counters[COUNTER_CPU_NS].state, VALUE_NONE);
	assert_false(m->enough_jobs);
	/* two short ticks are one block of the spread */
	stretch_add(s, &w.usage, 0, true);
	assert_int_equal(s->n, 0);
	stretch_add(s, &w.usage, 0, true);
	assert_int_equal(s->n, 1);
	w.usage.length_ns = SAMPLE_RATE_NS;
	assert_figure(figure_rate(value_of(95), w.usage.length_ns), 1000);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	assert_figure(m->rows[0].cost.counters[COUNTER_CPU_NS], 1.48e6 * 400 / 0.095);
	stretch_add(s, &w.usage, 0, true);
	assert_int_equal(s->n, 2);
	free(s);
	free(m);
}

static struct result base_of(const struct window *w)
{
	struct result r;
	const struct window *list[] = {w};
	assert_int_equal(results_from_windows(list, 1, w->variant, &r, 1), 1);
	return r;
}

static void test_versus_base(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct window w = window_of("skiplocked", 400, 1), b = window_of("pername", 400, 4);
	b.usage.roles[ROLE_WORKER] = usage_of(400 * 2.36, 400 * 4.68, 400 * 3.7);
	struct result base = base_of(&b);
	add_parts(&w.usage, 0.2, 0.1);
	figures_fill_rows(m, &w.usage, &w.jobs, &base);
	assert_figure(m->rows[0].cost.vs_base, 0.5);
	assert_figure(m->rows[2].cost.vs_base, 0.25);
	assert_int_equal(part_cost(m, PART_BACKEND).vs_base.state, VALUE_NONE);
	assert_figure(m->rows[6].cost.vs_base, 4.00 / (4 * 2.82 + 2.36));
	/* the base has no instructions: CPU time in every row */
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		without_counters(&b.usage.roles[r]);
	base = base_of(&b);
	figures_fill_rows(m, &w.usage, &w.jobs, &base);
	assert_figure(m->rows[0].cost.vs_base, 1.48 / 3.7);
	free(m);
}

static void test_moves_apart(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct window w = window_of("skiplocked", 400, 1), b = window_of("pername", 400, 1);
	struct result base = base_of(&b);
	figures_fill_rows(m, &w.usage, &w.jobs, &base);
	assert_null(m->moves_apart);
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		w.usage.roles[r].cpu_ns.v = w.usage.roles[r].cpu_ns.v * 21 / 10;
	figures_fill_rows(m, &w.usage, &w.jobs, &base);
	assert_non_null(strstr(m->moves_apart, "over twice"));
	assert_true(strlen(m->moves_apart) < 80);
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		w.usage.roles[r].cpu_ns.v /= 5;
	figures_fill_rows(m, &w.usage, &w.jobs, &base);
	assert_non_null(strstr(m->moves_apart, "under half"));
	free(m);
}

/* Ticks of 1 s with 20 jobs, whose worker used 1.48 ms a job times scale. */
static void add_tick(struct stretch *s, double scale, uint64_t jobs)
{
	struct window w = window_of("skiplocked", jobs, scale);
	w.usage.length_ns = NS_PER_S;
	add_parts(&w.usage, 0.001, 0.002);
	stretch_add(s, &w.usage, jobs, false);
}

static void test_spread_of_a_stretch(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct stretch *s = xcalloc(1, sizeof(*s));
	struct window w = window_of("skiplocked", 400, 1);
	add_parts(&w.usage, 0.001, 0.002);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	m->basis_ns = 3 * NS_PER_S;
	add_tick(s, 9, 20);
	stretch_fill_rows(s, m);
	assert_int_equal(m->rows[0].cost.spread_ns.state, VALUE_NONE);
	add_tick(s, 1, 20);
	add_tick(s, 1.2, 20);
	/* two ticks of 10 jobs are one block, with the mean of both */
	add_tick(s, 0.9, 10);
	add_tick(s, 1.1, 10);
	/* within the last 3 s: 1.2 and 1.0 */
	stretch_fill_rows(s, m);
	assert_figure(m->rows[0].cost.spread_ns, 0.1 * 1.48e6);
	assert_figure(m->rows[m->nrows - 1].cost.spread_ns, 0.1 * 5.58e6);
	assert_true(fabs(part_cost(m, PART_OTHER).spread_ns.v - 0.1 * 0.003 * 2.55e6) < 1);
	/* the whole stretch has the first block */
	m->basis_ns = 5 * NS_PER_S;
	stretch_fill_rows(s, m);
	assert_figure(m->rows[0].cost.spread_ns, 4 * 1.48e6);
	stretch_reset(s);
	stretch_fill_rows(s, m);
	assert_int_equal(m->rows[0].cost.spread_ns.state, VALUE_NONE);
	free(s);
	free(m);
}

static void test_stretch_is_a_ring(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct stretch *s = xcalloc(1, sizeof(*s));
	struct window w = window_of("skiplocked", 400, 1);
	figures_fill_rows(m, &w.usage, &w.jobs, NULL);
	m->basis_ns = 1000 * NS_PER_S;
	add_tick(s, 50, 20);
	for (unsigned i = 0; i < STRETCH_BLOCKS_MAX; i++)
		add_tick(s, i % 2 ? 1 : 1.5, 20);
	assert_int_equal(s->n, STRETCH_BLOCKS_MAX);
	stretch_fill_rows(s, m);
	assert_figure(m->rows[0].cost.spread_ns, 0.25 * 1.48e6);
	free(s);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_per_job),
		cmocka_unit_test(test_per_second),
		cmocka_unit_test(test_no_jobs_is_no_figure),
		cmocka_unit_test(test_missing_role_has_no_total),
		cmocka_unit_test(test_unbalanced),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_shares_without_counters),
		cmocka_unit_test(test_small_parts_are_joined),
		cmocka_unit_test(test_few_jobs_have_no_figures),
		cmocka_unit_test(test_idle_queue_is_per_second),
		cmocka_unit_test(test_no_rate_over_a_moment),
		cmocka_unit_test(test_versus_base),
		cmocka_unit_test(test_moves_apart),
		cmocka_unit_test(test_spread_of_a_stretch),
		cmocka_unit_test(test_stretch_is_a_ring),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
