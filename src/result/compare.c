/*
 * Results from windows. The samples are the per-job figures of the valid windows of one variant on
 * one dialect, one sample each. The interval of a change is the middle 95 % of the ratio of medians
 * over resamples of both sides, drawn from a generator with a fixed seed: the same windows give the
 * same verdict.
 */
#include "config.h"

#include "result/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "lib/xalloc.h"
#include "result/figures.h"

#define RESAMPLES     4000
#define RESAMPLE_SEED 20110

/* A change within the floor is none, whatever its interval says. */
static const double floors[COUNTER_COUNT] = {
	[COUNTER_INSTRUCTIONS] = 0.01,
	[COUNTER_CYCLES] = 0.05,
	[COUNTER_CPU_NS] = 0.05,
};

/* The known figures of one kind, and how weak the weakest of them is. */
struct samples {
	double *v; /* owned */
	unsigned n;
	enum value_state state;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double sorted_median(const double *v, unsigned n)
{
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void samples_init(struct samples *s, size_t max)
{
	*s = (struct samples){.v = xcalloc(max ? max : 1, sizeof(*s->v)), .state = VALUE_NONE};
}

static void samples_release(struct samples *s)
{
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

static void samples_add(struct samples *s, struct figure f)
{
	/* a known state is above the missing ones, and among the known the weaker is above */
	if (f.state > s->state)
		s->state = f.state;
	if (figure_known(f))
		s->v[s->n++] = f.v;
}

static struct spread samples_spread(struct samples *s)
{
	struct figure missing = {0, s->state};
	if (s->n == 0)
		return (struct spread){missing, missing, missing, 0};
	qsort(s->v, s->n, sizeof(*s->v), by_value);
	return (struct spread){
		.median = {sorted_median(s->v, s->n), s->state},
		.min = {s->v[0], s->state},
		.max = {s->v[s->n - 1], s->state},
		.n = s->n,
	};
}

static bool belongs(const struct window *w, const struct result *r)
{
	return w->dialect == r->dialect && strcmp(w->variant, r->variant) == 0;
}

static bool counts(const struct window *w, const struct result *r)
{
	return w->done && w->valid && belongs(w, r);
}

/* One kind of figure of a window. */
struct figure_id {
	enum {
		FIGURE_COUNTER,   /* per job */
		FIGURE_COUNTER_S, /* per second */
		FIGURE_WORK,
		FIGURE_WORK_S
	} kind;
	unsigned role;
	enum counter counter;
	enum work work;
};

static struct figure window_figure(const struct window *w, struct figure_id id)
{
	struct figure per[ROLE_COUNT + 1][COUNTER_COUNT];
	if (id.kind == FIGURE_WORK || id.kind == FIGURE_WORK_S)
		return window_work_per(w, id.work, id.kind == FIGURE_WORK_S);
	if (id.kind == FIGURE_COUNTER)
		figures_per_job(&w->usage, w->jobs.completed, per);
	else
		figures_per_second(&w->usage, per);
	return per[id.role][id.counter];
}

static void collect(struct samples *s, const struct window *const *windows, size_t n,
		    const struct result *r, struct figure_id id)
{
	samples_init(s, n);
	for (size_t i = 0; i < n; i++)
		if (counts(windows[i], r))
			samples_add(s, window_figure(windows[i], id));
}

static struct spread spread_of(const struct window *const *windows, size_t n,
			       const struct result *r, struct figure_id id)
{
	struct samples s;
	collect(&s, windows, n, r, id);
	struct spread spread = samples_spread(&s);
	samples_release(&s);
	return spread;
}

/* lost is counted once a run, however many windows the run has. */
static bool lost_is_counted(const struct window *const *windows, size_t i, const struct result *r)
{
	for (size_t k = 0; k < i; k++)
		if (belongs(windows[k], r) && windows[k]->run == windows[i]->run &&
		    value_known(windows[k]->lost))
			return true;
	return false;
}

static void fill_checks(struct result *r, const struct window *w)
{
	r->duplicates += w->jobs.duplicates;
	r->mutex_overlaps += w->jobs.mutex_overlaps;
	r->mutex_wrong_keys += w->jobs.mutex_wrong_keys;
	if (w->queue_empty_ns)
		r->queue_empty_s = (double)w->queue_empty_ns / NS_PER_S;
}

/* Jobs run twice or lost are an error of the variant: they count in invalid windows as well. */
static void fill_counts(struct result *r, const struct window *const *windows, size_t n)
{
	uint64_t enqueued = 0;
	r->queue_empty_s = -1;
	for (size_t i = 0; i < n; i++) {
		const struct window *w = windows[i];
		if (!belongs(w, r))
			continue;
		if (w->done)
			fill_checks(r, w);
		if (value_known(w->lost) && w->lost.v > 0 && !lost_is_counted(windows, i, r))
			r->lost += (uint64_t)w->lost.v;
		if (!counts(w, r)) {
			r->invalid++;
			r->left += w->left;
			continue;
		}
		r->windows++;
		r->jobs += w->jobs.completed;
		histogram_merge(&r->latency, &w->jobs.latency);
		enqueued += w->jobs.enqueued;
		r->unbalanced |= w->unbalanced;
		r->few_jobs |= window_has_few_jobs(w);
		if (w->anew.custom > r->anew.custom)
			r->anew = w->anew;
		if (window_is_late(w) && (!(r->reached > 0) || window_reached_rate(w) < r->reached))
			r->reached = window_reached_rate(w);
	}
	r->idle = r->windows > 0 && r->jobs == 0 && enqueued == 0;
}

struct event_counts {
	int64_t checkpoints, autovacuums;
};

static struct event_counts events_of(const struct result *r, const struct window *const *windows,
				     size_t n)
{
	struct event_counts e = {0, 0};
	for (size_t i = 0; i < n; i++) {
		const struct server_counts *c = &windows[i]->server;
		if (!counts(windows[i], r))
			continue;
		e.checkpoints += value_known(c->checkpoints) ? c->checkpoints.v : 0;
		e.autovacuums += value_known(c->autovacuums) ? c->autovacuums.v : 0;
	}
	return e;
}

static void fill_work(struct result *r, const struct window *const *windows, size_t n)
{
	for (unsigned k = 0; k < WORK_COUNT; k++) {
		struct figure_id id = {.kind = FIGURE_WORK, .work = (enum work)k};

		r->work_per_job[k] = spread_of(windows, n, r, id);
		id.kind = FIGURE_WORK_S;
		r->work_per_second[k] = spread_of(windows, n, r, id);
		for (size_t i = 0; i < n && !r->work_why[k]; i++) {
			if (counts(windows[i], r))
				window_work(windows[i], id.work, &r->work_why[k]);
		}
	}
}

static void fill_spreads(struct result *r, const struct window *const *windows, size_t n)
{
	struct figure_id id = {.kind = FIGURE_COUNTER};
	for (unsigned role = 0; role <= ROLE_TOTAL; role++)
		for (unsigned c = 0; c < COUNTER_COUNT; c++) {
			id.kind = FIGURE_COUNTER;
			id.role = role;
			id.counter = (enum counter)c;
			r->per_job[role][c] = spread_of(windows, n, r, id);
			r->scaled |= r->per_job[role][c].median.state == VALUE_SCALED;
			id.kind = FIGURE_COUNTER_S;
			r->per_second[role][c] = spread_of(windows, n, r, id);
		}
	fill_work(r, windows, n);
}

static double resampled_median(const struct samples *s, struct rng *rng, double *scratch)
{
	for (unsigned i = 0; i < s->n; i++)
		scratch[i] = s->v[rng_below(rng, s->n)];
	qsort(scratch, s->n, sizeof(*scratch), by_value);
	return sorted_median(scratch, s->n);
}

static void bootstrap(struct change *change, const struct samples *own, const struct samples *base)
{
	struct rng rng;
	rng_init(&rng, RESAMPLE_SEED);
	double *ratios = xcalloc(RESAMPLES, sizeof(*ratios));
	double *scratch = xcalloc(own->n > base->n ? own->n : base->n, sizeof(*scratch));
	unsigned n = 0;
	for (unsigned i = 0; i < RESAMPLES; i++) {
		double a = resampled_median(own, &rng, scratch);
		double b = resampled_median(base, &rng, scratch);
		if (b > 0)
			ratios[n++] = a / b;
	}
	qsort(ratios, n, sizeof(*ratios), by_value);
	/* the base's median is positive, so many resamples are; fewer bound nothing */
	if (n >= RESAMPLES / 2) {
		change->ci95_low = ratios[n * 25 / 1000];
		change->ci95_high = ratios[n - 1 - n * 25 / 1000];
	}
	free(scratch);
	free(ratios);
}

static enum verdict verdict_of(const struct change *c, double floor)
{
	if (!(c->ci95_high > 0))
		return VERDICT_UNDECIDED;
	if (c->ci95_high < 1 - floor)
		return VERDICT_CHEAPER;
	if (c->ci95_low > 1 + floor)
		return VERDICT_DEARER;
	if (c->ci95_low >= 1 - floor && c->ci95_high <= 1 + floor)
		return VERDICT_SAME;
	return VERDICT_UNDECIDED;
}

static void fill_change(struct result *r, const struct result *base,
			const struct window *const *windows, size_t n)
{
	struct event_counts here = events_of(r, windows, n), there = events_of(base, windows, n);
	bool idle = r->idle && base->idle;
	r->has_change = true;
	r->events_differ =
		!here.checkpoints != !there.checkpoints || !here.autovacuums != !there.autovacuums;
	for (unsigned c = 0; c < COUNTER_COUNT; c++) {
		struct change *change = &r->change[c];
		const struct spread *own = &(idle ? r->per_second : r->per_job)[ROLE_TOTAL][c];
		const struct spread *other =
			&(idle ? base->per_second : base->per_job)[ROLE_TOTAL][c];
		change->ratio = figure_ratio(own->median, other->median);
		if (!figure_known(change->ratio) || own->n < COMPARE_MIN_WINDOWS ||
		    other->n < COMPARE_MIN_WINDOWS)
			continue;
		struct figure_id id = {.kind = idle ? FIGURE_COUNTER_S : FIGURE_COUNTER,
				       .role = ROLE_TOTAL,
				       .counter = c};
		struct samples a, b;
		collect(&a, windows, n, r, id);
		collect(&b, windows, n, base, id);
		bootstrap(change, &a, &b);
		change->verdict = verdict_of(change, floors[c]);
		samples_release(&b);
		samples_release(&a);
	}
}

static struct result *find_result(struct result *results, size_t n, const struct window *w)
{
	for (size_t i = 0; i < n; i++)
		if (belongs(w, &results[i]))
			return &results[i];
	return NULL;
}

static const struct result *find_base(const struct result *results, size_t n, enum dialect dialect)
{
	for (size_t i = 0; i < n; i++)
		if (results[i].is_base && results[i].dialect == dialect && results[i].windows > 0)
			return &results[i];
	return NULL;
}

size_t results_from_windows(const struct window *const *windows, size_t n, const char *base,
			    struct result *out, size_t max)
{
	size_t filled = 0;
	for (size_t i = 0; i < n && filled < max; i++) {
		if (find_result(out, filled, windows[i]))
			continue;
		struct result *r = &out[filled++];
		memset(r, 0, sizeof(*r));
		r->dialect = windows[i]->dialect;
		r->rate = windows[i]->rate;
		snprintf(r->variant, sizeof(r->variant), "%s", windows[i]->variant);
		snprintf(r->base, sizeof(r->base), "%s", base ? base : "");
		r->is_base = base && strcmp(r->variant, base) == 0;
		fill_counts(r, windows, n);
		fill_spreads(r, windows, n);
	}
	for (size_t i = 0; i < filled; i++) {
		const struct result *b = find_base(out, filled, out[i].dialect);
		if (b && !out[i].is_base && out[i].windows > 0)
			fill_change(&out[i], b, windows, n);
	}
	return filled;
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_NONE] = "-",          [VERDICT_UNDECIDED] = "undecided",
		[VERDICT_CHEAPER] = "cheaper", [VERDICT_DEARER] = "dearer",
		[VERDICT_SAME] = "same",
	};
	return names[v];
}
