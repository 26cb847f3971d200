/* The results of the made-up session. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "fixture.h"

struct figure fixture_figure(double v)
{
	return (struct figure){v, VALUE_OK};
}

static void set_spread(struct spread *s, double v)
{
	s->median = fixture_figure(v);
	s->min = fixture_figure(v * 0.98);
	s->max = fixture_figure(v * 1.03);
	s->n = 5;
}

static void set_result(struct result_line *line, const char *variant, uint64_t jobs,
		       const double (*v)[COUNTER_COUNT])
{
	struct result *r = &line->result;

	memset(line, 0, sizeof(*line));
	snprintf(r->variant, sizeof(r->variant), "%s", variant);
	snprintf(r->base, sizeof(r->base), "pername");
	r->jobs = jobs;
	r->is_base = strcmp(variant, "pername") == 0;
	line->state = jobs ? RESULT_DONE : RESULT_NEXT;
	if (!v)
		return;
	r->windows = 5;
	for (int role = 0; role < ROLE_COUNT; role++) {
		for (int k = 0; k < COUNTER_COUNT; k++)
			set_spread(&r->per_job[role][k], v[role][k]);
	}
	for (int k = 0; k < COUNTER_COUNT; k++)
		set_spread(&r->per_job[ROLE_TOTAL][k], v[0][k] + v[1][k] + v[2][k]);
	set_spread(&r->work_per_job[WORK_STATEMENTS], r->is_base ? 104 : 3);
	set_spread(&r->work_per_job[WORK_COMMITS], 2);
	set_spread(&r->work_per_job[WORK_LOG_BYTES], 1300);
	set_spread(&r->work_per_job[WORK_ROWS], r->is_base ? 3 : 4.98);
	set_spread(&r->work_per_job[WORK_BUFFERS], r->is_base ? 231 : 29.3);
}

static void set_change(struct result *r, enum counter k, double ratio, enum verdict verdict)
{
	r->has_change = true;
	r->change[k].ratio = fixture_figure(ratio);
	r->change[k].ci95_low = ratio * 0.96;
	r->change[k].ci95_high = ratio * 1.05;
	r->change[k].verdict = verdict;
}

void fixture_results(struct fixture *f)
{
	static const double pername[ROLE_COUNT][COUNTER_COUNT] = {
		{23.21e6, 6.78e6, 2.83e6}, {0.96e6, 1.19e6, 0.55e6}, {131.89e6, 27.32e6, 11.53e6}};
	static const double skip[ROLE_COUNT][COUNTER_COUNT] = {
		{1.18e6, 2.34e6, 1.48e6}, {0.61e6, 2.48e6, 1.55e6}, {2.21e6, 4.00e6, 2.55e6}};
	static const double slower[ROLE_COUNT][COUNTER_COUNT] = {
		{26.21e6, 7.78e6, 3.83e6}, {0.97e6, 1.20e6, 0.56e6}, {150.89e6, 28.32e6, 11.43e6}};

	set_result(&f->results[0], "pername", 399, pername);
	set_result(&f->results[1], "skiplocked", 280, skip);
	set_change(&f->results[1].result, COUNTER_INSTRUCTIONS, 0.026, VERDICT_CHEAPER);
	set_change(&f->results[1].result, COUNTER_CYCLES, 0.25, VERDICT_CHEAPER);
	set_change(&f->results[1].result, COUNTER_CPU_NS, 0.37, VERDICT_CHEAPER);
	f->results[1].state = RESULT_RUNNING;
	f->results[1].current = true;
	set_result(&f->results[2], "noindex", 401, slower);
	set_change(&f->results[2].result, COUNTER_INSTRUCTIONS, 1.14, VERDICT_DEARER);
	set_change(&f->results[2].result, COUNTER_CYCLES, 1.06, VERDICT_UNDECIDED);
	set_change(&f->results[2].result, COUNTER_CPU_NS, 1.01, VERDICT_SAME);
	f->results[2].result.unbalanced = true;
	f->results[2].result.invalid = 1;
	set_result(&f->results[3], "batch", 0, NULL);
	f->model.results = f->results;
	f->model.nresults = FIXTURE_RESULTS;
}

void fixture_next(struct result_line *line, const char *variant)
{
	set_result(line, variant, 0, NULL);
}
