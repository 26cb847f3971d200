/* Screen 4: how long jobs take, from the instant they were due to the acknowledgement of their
 * completion, and a line per second. */
#include "config.h"

#include <stdio.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

#define BINS_FEW  8 /* in steps of 1, 2, 5; more of them are finer */
#define BINS_MAX  24
#define LABEL     14
#define LINES_MIN 6  /* of the progress, before the histogram may have any */
#define HEAD_MIN  16 /* from this height on, two lines more */

/* Edges of the bins that are shown, in us, six a decade; each second one is left out of few. */
static const uint64_t edges_us[] = {
	10,       15,       20,       30,       50,       70,       100,       150,     200,
	300,      500,      700,      1000,     1500,     2000,     3000,      5000,    7000,
	10000,    15000,    20000,    30000,    50000,    70000,    100000,    150000,  200000,
	300000,   500000,   700000,   1000000,  1500000,  2000000,  3000000,   5000000, 7000000,
	10000000, 15000000, 20000000, 30000000, 50000000, 70000000, 100000000,
};
#define EDGES ((int)(sizeof(edges_us) / sizeof(edges_us[0])))

struct bins {
	uint64_t n[EDGES + 1];
	int first, last; /* those that are shown; first holds everything below as well */
	int step;        /* 2: only each second one is there */
	uint64_t max;
};

static int bin_of(uint64_t upper_ns, int step)
{
	int i = 0;

	while (i < EDGES && upper_ns > edges_us[i] * NS_PER_US)
		i += step;
	return i < EDGES ? i : EDGES;
}

static void bins_count(struct bins *b, const struct histogram *h, int step)
{
	*b = (struct bins){.first = EDGES + 1, .last = -1, .step = step};
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t upper = histogram_upper(i);
		int bin;

		if (!h->n[i])
			continue;
		bin = bin_of(upper < h->max_ns ? upper : h->max_ns, step);
		b->n[bin] += h->n[i];
		b->first = bin < b->first ? bin : b->first;
		b->last = bin > b->last ? bin : b->last;
	}
}

static int bins_lines(const struct bins *b)
{
	return (b->last - b->first + b->step - 1) / b->step + 1;
}

static void bins_fill(struct bins *b, const struct histogram *h, int max)
{
	bins_count(b, h, 1);
	if (bins_lines(b) > max || max <= BINS_FEW)
		bins_count(b, h, 2);
	/* The slow end is what one looks for: the fast one is put together. */
	while (bins_lines(b) > max && b->first < b->last) {
		int next = b->first + b->step < EDGES ? b->first + b->step : EDGES;

		b->n[next] += b->n[b->first];
		b->n[b->first] = 0;
		b->first = next;
	}
	for (int i = b->first; i <= b->last; i++)
		b->max = b->n[i] > b->max ? b->n[i] : b->max;
}

static void edge_text(char *out, size_t size, int edge)
{
	static const char *const units[] = {"us", "ms", "s"};
	char cell[FORMAT_CELL_MAX];
	double v = (double)edges_us[edge];
	int unit = 0;

	for (; v >= 1000 && unit < 2; unit++)
		v /= 1000;
	/* 1.5 is the only one with a fraction */
	format_fixed(cell, v, v > 1 && v < 2 ? 1 : 0);
	snprintf(out, size, "%.16s %s", cell, units[unit]);
}

static void draw_bin(struct canvas *c, int y, const struct bins *b, int i, uint64_t total)
{
	char edge[32], label[40], cell[FORMAT_CELL_MAX];
	int bar = c->width - LABEL - 20;

	edge_text(edge, sizeof(edge), i < EDGES ? i : EDGES - 1);
	snprintf(label, sizeof(label), "%s %s", i < EDGES ? "up to" : "above", edge);
	canvas_right(c, 0, y, LABEL, STYLE_NORMAL, label);
	if (bar > 60)
		bar = 60;
	if (bar > 0)
		canvas_bar(c, LABEL + 1, y, bar, (double)b->n[i] / (double)b->max);
	else
		bar = 0;
	format_fixed(cell, 100.0 * (double)b->n[i] / (double)total, 2);
	canvas_right(c, LABEL + bar + 2, y, 6, STYLE_STRONG, cell);
	canvas_text(c, LABEL + bar + 8, y, -1, STYLE_DIM, "%");
	format_fixed(cell, (double)b->n[i], 0);
	canvas_right(c, LABEL + bar + 10, y, 8, STYLE_DIM, cell);
}

/* Five places: "1.28", "128.2", "12821", "128 s". */
static void ms_text(char out[FORMAT_CELL_MAX], double ns)
{
	double ms = ns / (double)NS_PER_MS;
	char cell[FORMAT_CELL_MAX];

	if (ms >= 99999.5) {
		format_fixed(cell, ms / 1000, 0);
		snprintf(out, FORMAT_CELL_MAX, "%.24s s", cell);
	} else {
		format_fixed(out, ms, ms < 99.995 ? 2 : ms < 999.95 ? 1 : 0);
	}
}

/* What there is room for: mean and spread go first, p95 after them. */
static void draw_quantiles(const struct view *v, struct canvas *c, int x, int y,
			   const struct histogram *h)
{
	const struct {
		const char *name;
		int from; /* width of the canvas */
		double ns;
	} all[] = {
		{"mean", 67, histogram_mean_ns(h)},
		{glyphs_get(v->utf8)->spread, 77, histogram_sd_ns(h)},
		{"p50", 0, (double)histogram_quantile(h, 0.50)},
		{"p95", 55, (double)histogram_quantile(h, 0.95)},
		{"p99", 0, (double)histogram_quantile(h, 0.99)},
		{"max", 0, (double)h->max_ns},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char cell[FORMAT_CELL_MAX];

		if (c->width < all[i].from)
			continue;
		ms_text(cell, all[i].ns);
		x += canvas_text(c, x, y, -1, STYLE_DIM, all[i].name) + 1;
		canvas_right(c, x, y, 5, STYLE_STRONG, cell);
		x += 5 + 2;
	}
}

/* Whose latency it is. */
static void draw_title(const struct model *m, struct canvas *c, int y)
{
	char n[FORMAT_CELL_MAX], s[FORMAT_CELL_MAX];
	int x = canvas_text(c, 0, y, -1, STYLE_TITLE, "LATENCY MS") + 2;

	if (!m->basis_ns)
		return;
	format_fixed(n, (double)m->latency.count, 0);
	format_fixed(s, (double)m->basis_ns / (double)NS_PER_S, 0);
	x += canvas_printf(c, x, y, STYLE_DIM, "%s %s in %s s %s", n,
			   m->latency.count == 1 ? "job" : "jobs", s,
			   m->window_open ? "of this window" : "until now");
	if (!m->late_jobs)
		return;
	format_fixed(n, (double)m->late_jobs, 0);
	canvas_printf(c, x, y, STYLE_WARNING, ", %s sent over 1 ms late", n);
}

/* The producer's share of the latency. */
static void draw_lateness(const struct view *v, const struct model *m, struct canvas *c, int y)
{
	int x;

	if (!m->lateness.count)
		return;
	x = canvas_text(c, 0, y, -1, STYLE_DIM, "due to sent") + 2;
	draw_quantiles(v, c, x, y, &m->lateness);
}

/* Returns how many lines. */
static int draw_summary(const struct view *v, const struct model *m, struct canvas *c, int y,
			bool whole)
{
	static const char none[] = "no job has completed in this stretch";

	if (!whole) {
		int x = canvas_text(c, 0, y, -1, STYLE_TITLE, "LATENCY MS") + 2;

		if (m->latency.count)
			draw_quantiles(v, c, x, y, &m->latency);
		else
			canvas_text(c, x, y, -1, STYLE_DIM, none);
		return 1;
	}
	draw_title(m, c, y);
	if (m->latency.count)
		draw_quantiles(v, c, canvas_text(c, 0, y + 1, -1, STYLE_DIM, "due to done") + 2,
			       y + 1, &m->latency);
	else
		canvas_text(c, 0, y + 1, -1, STYLE_DIM, none);
	draw_lateness(v, m, c, y + 2);
	return m->lateness.count ? 3 : 2;
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	int gap = a.height >= 14, y = a.y + gap, room;
	struct bins bins;

	y += draw_summary(v, m, c, y, a.height >= HEAD_MIN);
	room = a.y + a.height - y - LINES_MIN - gap;
	/* Half of what is there, so that the progress has the other. */
	if (room > BINS_FEW && room > a.height / 2)
		room = a.height / 2;
	if (room > BINS_MAX)
		room = BINS_MAX;
	if (m->latency.count && room > 1) {
		bins_fill(&bins, &m->latency, room);
		for (int i = bins.first; i < bins.last + bins.step; i += bins.step)
			draw_bin(c, y++, &bins, i < bins.last ? i : bins.last, m->latency.count);
	}
	y += gap;
	progress_draw(v, m, c, (struct area){a.x, y, a.width, a.y + a.height - y});
}

const struct screen_ops screen_latency = {
	.name = "latency",
	.where = IN_LATENCY,
	.tables = {TABLE_PROGRESS, TABLE_PROGRESS},
	.draw = draw,
};
