/* Screen 4: how long jobs take, from the instant they were due to the acknowledgement of their
 * completion, and a line per second. */
#include "config.h"

#include <stdio.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

#define BINS_MAX  8
#define LABEL     14
#define LINES_MIN 6 /* of the progress, before the histogram may have any */

/* Edges of the bins that are shown, in us: 1-2-5 steps up to 100 s. */
static const uint64_t edges_us[] = {
	10,    20,    50,     100,    200,    500,     1000,    2000,    5000,     10000,
	20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000, 10000000, 100000000,
};
#define EDGES ((int)(sizeof(edges_us) / sizeof(edges_us[0])))

struct bins {
	uint64_t n[EDGES + 1];
	int first, last; /* those that are shown; first holds everything below as well */
	uint64_t max;
};

static int bin_of(uint64_t upper_ns)
{
	int i = 0;

	while (i < EDGES && upper_ns > edges_us[i] * NS_PER_US)
		i++;
	return i;
}

static void bins_fill(struct bins *b, const struct histogram *h, int max)
{
	*b = (struct bins){.first = EDGES + 1, .last = -1};
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		int bin;

		if (!h->n[i])
			continue;
		bin = bin_of(histogram_upper(i));
		b->n[bin] += h->n[i];
		b->first = bin < b->first ? bin : b->first;
		b->last = bin > b->last ? bin : b->last;
	}
	/* The slow end is what one looks for: the fast one is put together. */
	while (b->last - b->first + 1 > max && b->first < b->last) {
		b->n[b->first + 1] += b->n[b->first];
		b->n[b->first] = 0;
		b->first++;
	}
	for (int i = b->first; i <= b->last; i++)
		b->max = b->n[i] > b->max ? b->n[i] : b->max;
}

static void edge_text(char *out, size_t size, int edge)
{
	char cell[FORMAT_CELL_MAX];
	uint64_t us = edges_us[edge];

	if (us >= 1000000)
		format_fixed(cell, (double)us / 1e6, 0), snprintf(out, size, "%.16s s", cell);
	else if (us >= 1000)
		format_fixed(cell, (double)us / 1e3, 0), snprintf(out, size, "%.16s ms", cell);
	else
		format_fixed(cell, (double)us, 0), snprintf(out, size, "%.16s us", cell);
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

static int add_quantile(struct canvas *c, int x, int y, const char *name, double ns)
{
	char cell[FORMAT_CELL_MAX];

	format_fixed(cell, ns / (double)NS_PER_MS, 2);
	x += canvas_text(c, x, y, -1, STYLE_DIM, name) + 1;
	return x + canvas_text(c, x, y, -1, STYLE_STRONG, cell) + 2;
}

static void draw_summary(const struct view *v, struct canvas *c, int y, const struct histogram *h)
{
	int x = canvas_text(c, 0, y, -1, STYLE_TITLE, "LATENCY MS") + 2;

	if (!h->count) {
		canvas_text(c, x, y, -1, STYLE_DIM, "no job has completed in this stretch");
		return;
	}
	x = add_quantile(c, x, y, "mean", histogram_mean_ns(h));
	x = add_quantile(c, x, y, glyphs_get(v->utf8)->spread, histogram_sd_ns(h));
	x = add_quantile(c, x, y, "p50", (double)histogram_quantile(h, 0.50));
	x = add_quantile(c, x, y, "p95", (double)histogram_quantile(h, 0.95));
	x = add_quantile(c, x, y, "p99", (double)histogram_quantile(h, 0.99));
	add_quantile(c, x, y, "max", (double)h->max_ns);
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	int gap = a.height >= 14, y = a.y + gap, room;
	struct bins bins;

	draw_summary(v, c, y++, &m->latency);
	room = a.y + a.height - y - LINES_MIN - gap;
	if (room > BINS_MAX)
		room = BINS_MAX;
	if (m->latency.count && room > 1) {
		bins_fill(&bins, &m->latency, room);
		for (int i = bins.first; i <= bins.last; i++)
			draw_bin(c, y++, &bins, i, m->latency.count);
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
