/*
 * The results table: rows of text cells, laid out once all are known. A cell of a counter is four
 * numbers, "worker / producer / database = total"; each of the four has a width of its own, so that
 * they stand below each other. Only ASCII is written: the table goes to terminals and files alike.
 */
#include "config.h"

#include "result/table.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "result/compare.h"
#include "result/figures.h"
#include "result/table_notes.h"

#define GAP      "  "
#define GAP_COST "   " /* the cells have blanks of their own */

/* A number as text; ">=1.18" needs more room than the number. */
struct number {
	char text[FORMAT_CELL_MAX + 4];
};

/* The figures of one result, formatted. */
struct line {
	struct strbuf variant; /* with its marks */
	struct number jobs;
	struct number cost[COUNTER_COUNT][ROLE_COUNT + 1];
	bool empty[COUNTER_COUNT]; /* nothing is known: the cell is one "-" */
	struct number work[WORK_COUNT];
};

struct layout {
	size_t dialect, variant, jobs;
	size_t cost[COUNTER_COUNT][ROLE_COUNT + 1];
	size_t cell[COUNTER_COUNT]; /* the whole cell, at least its title */
	const char *title[COUNTER_COUNT];
	size_t work[WORK_COUNT];
};

static const char *const cost_title[COUNTER_COUNT] = {
	[COUNTER_INSTRUCTIONS] = "Instructions",
	[COUNTER_CYCLES] = "Cycles",
	[COUNTER_CPU_NS] = "CPU ms",
};
/* Where the kernel's share is not counted. */
static const char *const cost_title_user[COUNTER_COUNT] = {
	[COUNTER_INSTRUCTIONS] = "Instructions (user)",
	[COUNTER_CYCLES] = "Cycles (user)",
	[COUNTER_CPU_NS] = "CPU ms",
};
static const char *const cost_word[COUNTER_COUNT] = {
	[COUNTER_INSTRUCTIONS] = "instructions",
	[COUNTER_CYCLES] = "cycles",
	[COUNTER_CPU_NS] = "CPU",
};
static const char *const work_title[WORK_COUNT] = {
	[WORK_STATEMENTS] = "Statements", [WORK_COMMITS] = "Commits",
	[WORK_LOG_BYTES] = "WAL bytes",   [WORK_ROWS] = "Rows examined",
	[WORK_BUFFERS] = "Buffers",
};
static const char *const title_of_log = "Log bytes"; /* where not all of them are WAL */

static struct number number_of(struct figure f, double unit, int decimals)
{
	struct number n = {""};
	char digits[FORMAT_CELL_MAX];
	if (!figure_known(f)) {
		memcpy(n.text, f.state == VALUE_UNREADABLE ? "?" : "-", 2);
		return n;
	}
	format_fixed(digits, f.v / unit, decimals);
	const char *mark = f.state == VALUE_AT_LEAST ? ">=" : "";
	size_t len = strlen(mark);
	memcpy(n.text, mark, len);
	memcpy(n.text + len, digits, strlen(digits) + 1);
	return n;
}

static void widen(size_t *width, size_t len)
{
	if (len > *width)
		*width = len;
}

static void pad(struct strbuf *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_addch(out, ' ');
}

static void add_left(struct strbuf *out, const char *text, size_t width)
{
	size_t len = strlen(text);
	strbuf_addstr(out, text);
	pad(out, width > len ? width - len : 0);
}

static void add_right(struct strbuf *out, const char *text, size_t width)
{
	size_t len = strlen(text);
	pad(out, width > len ? width - len : 0);
	strbuf_addstr(out, text);
}

static void end_line(struct strbuf *out)
{
	while (out->len > 0 && out->buf[out->len - 1] == ' ')
		out->buf[--out->len] = '\0';
	strbuf_addch(out, '\n');
}

static void line_init(struct line *l, const struct result *r)
{
	memset(l, 0, sizeof(*l));
	strbuf_init(&l->variant);
	escape_text(&l->variant, r->variant, strlen(r->variant), false);
	if (r->unbalanced || r->scaled || r->events_differ)
		strbuf_addch(&l->variant, ' ');
	if (r->unbalanced)
		strbuf_addch(&l->variant, '!');
	if (r->scaled)
		strbuf_addch(&l->variant, '*');
	if (r->events_differ)
		strbuf_addch(&l->variant, '~');
	struct figure jobs = {(double)r->jobs, r->windows ? VALUE_OK : VALUE_NONE};
	l->jobs = number_of(jobs, 1, 0);
	for (unsigned c = 0; c < COUNTER_COUNT; c++) {
		bool known = false;
		for (unsigned role = 0; role <= ROLE_TOTAL; role++) {
			struct figure f = result_cost(r, role, (enum counter)c)->median;
			l->cost[c][role] = number_of(f, 1e6, 2);
			known |= figure_known(f);
		}
		l->empty[c] = !known;
	}
	for (unsigned k = 0; k < WORK_COUNT; k++)
		l->work[k] = number_of(result_work(r, (enum work)k)->median, 1,
				       k == WORK_LOG_BYTES ? 0 : 2);
}

static void measure_line(struct layout *w, const struct line *l, const struct result *r)
{
	widen(&w->dialect, strlen(dialect_name(r->dialect)));
	widen(&w->variant, l->variant.len);
	widen(&w->jobs, strlen(l->jobs.text));
	for (unsigned c = 0; c < COUNTER_COUNT; c++)
		for (unsigned role = 0; role <= ROLE_TOTAL && !l->empty[c]; role++)
			widen(&w->cost[c][role], strlen(l->cost[c][role].text));
	for (unsigned i = 0; i < WORK_COUNT; i++)
		widen(&w->work[i], strlen(l->work[i].text));
}

static void layout_lines(struct layout *w, const struct line *lines, const struct result *results,
			 size_t n, bool user_only)
{
	memset(w, 0, sizeof(*w));
	memcpy(w->title, user_only ? cost_title_user : cost_title, sizeof(w->title));
	widen(&w->dialect, strlen("Database"));
	widen(&w->variant, strlen("Variant"));
	widen(&w->jobs, strlen("Jobs"));
	for (unsigned i = 0; i < WORK_COUNT; i++)
		widen(&w->work[i], strlen(work_title[i])); /* that of the log is as wide */
	for (size_t i = 0; i < n; i++)
		measure_line(w, &lines[i], &results[i]);
	for (unsigned c = 0; c < COUNTER_COUNT; c++) {
		const size_t *width = w->cost[c];
		if (width[ROLE_TOTAL])
			w->cell[c] = width[0] + width[1] + width[2] + width[ROLE_TOTAL] +
				     strlen(" /  /  = ");
		widen(&w->cell[c], strlen(w->title[c]));
	}
}

static void add_cell(struct strbuf *out, const struct line *l, unsigned c, const struct layout *w)
{
	size_t begin = out->len;
	if (l->empty[c]) {
		/* below the totals: that is the column that is read downwards */
		add_right(out, l->cost[c][ROLE_TOTAL].text, w->cost[c][0] ? w->cell[c] : 1);
	} else {
		static const char *const before[ROLE_COUNT + 1] = {"", " / ", " / ", " = "};
		for (unsigned role = 0; role <= ROLE_TOTAL; role++) {
			strbuf_addstr(out, before[role]);
			add_right(out, l->cost[c][role].text, w->cost[c][role]);
		}
	}
	size_t len = out->len - begin;
	pad(out, w->cell[c] > len ? w->cell[c] - len : 0);
}

static void add_names(struct strbuf *out, const struct line *l, const struct result *r,
		      const struct layout *w)
{
	add_left(out, dialect_name(r->dialect), w->dialect);
	strbuf_addstr(out, GAP);
	add_left(out, l->variant.buf, w->variant);
	strbuf_addstr(out, GAP);
	add_right(out, l->jobs.text, w->jobs);
}

static void add_heads(struct strbuf *out, const struct layout *w)
{
	add_left(out, "Database", w->dialect);
	strbuf_addstr(out, GAP);
	add_left(out, "Variant", w->variant);
	strbuf_addstr(out, GAP);
	add_right(out, "Jobs", w->jobs);
}

/* "0.37x", and with a verdict "0.37x cheaper (0.35x to 0.40x)". */
static void add_change(struct strbuf *out, const struct change *c)
{
	char ratio[FORMAT_CELL_MAX], low[FORMAT_CELL_MAX], high[FORMAT_CELL_MAX];
	format_ratio(ratio, c->ratio.v);
	strbuf_addstr(out, ratio);
	if (c->verdict == VERDICT_NONE)
		return;
	strbuf_addf(out, " %s", verdict_name(c->verdict));
	if (!(c->ci95_high > 0))
		return;
	format_ratio(low, c->ci95_low);
	format_ratio(high, c->ci95_high);
	strbuf_addf(out, " (%s to %s)", low, high);
}

/* The base has no change; what its windows differ by says how far a ratio can be trusted. */
static void add_range(struct strbuf *out, const struct result *r)
{
	for (unsigned c = 0; c < COUNTER_COUNT; c++) {
		const struct spread *s = &r->per_job[ROLE_TOTAL][c];
		if (s->n < 2)
			continue;
		struct number min = number_of(s->min, 1e6, 2), max = number_of(s->max, 1e6, 2);
		strbuf_addf(out, ", %s %s to %s", cost_word[c], min.text, max.text);
	}
}

static void add_second_line(struct strbuf *out, const struct result *r)
{
	const char *separator = ": ";
	if (!r->has_change && r->windows < 2)
		return;
	strbuf_addstr(out, "  ");
	if (r->has_change) {
		strbuf_addstr(out, "vs ");
		escape_text(out, r->base, strlen(r->base), false);
		for (unsigned c = 0; c < COUNTER_COUNT; c++) {
			if (!figure_known(r->change[c].ratio))
				continue;
			strbuf_addf(out, "%s%s ", separator, cost_word[c]);
			add_change(out, &r->change[c]);
			separator = ", ";
		}
		if (r->windows > 1)
			strbuf_addf(out, "; %u windows", r->windows);
	} else {
		strbuf_addf(out, "%s%u windows", r->is_base ? "base, " : "", r->windows);
		add_range(out, r);
	}
	strbuf_addch(out, '\n');
}

static bool all_idle(const struct result *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!results[i].idle)
			return false;
	return true;
}

static void add_costs(struct strbuf *out, const struct line *lines, const struct result *results,
		      size_t n, const struct layout *w)
{
	strbuf_addf(out,
		    "%s: worker / producer / database = total. "
		    "Instructions and cycles in millions.\n\n",
		    all_idle(results, n) ? "Per second, of an idle queue" : "Per job");
	add_heads(out, w);
	for (unsigned c = 0; c < COUNTER_COUNT; c++) {
		strbuf_addstr(out, GAP_COST);
		add_left(out, w->title[c], w->cell[c]);
	}
	end_line(out);
	for (size_t i = 0; i < n; i++) {
		add_names(out, &lines[i], &results[i], w);
		for (unsigned c = 0; c < COUNTER_COUNT; c++) {
			strbuf_addstr(out, GAP_COST);
			add_cell(out, &lines[i], c, w);
		}
		end_line(out);
		add_second_line(out, &results[i]);
	}
}

/* MySQL and MariaDB have a binary log. */
static const char *title_of(enum work k, const struct result *results, size_t n)
{
	for (size_t i = 0; k == WORK_LOG_BYTES && i < n; i++) {
		if (results[i].dialect != DIALECT_POSTGRES)
			return title_of_log;
	}
	return work_title[k];
}

static void add_work(struct strbuf *out, const struct line *lines, const struct result *results,
		     size_t n, const struct layout *w)
{
	strbuf_addf(out, "\nWork per %s:\n\n", all_idle(results, n) ? "second" : "job");
	add_heads(out, w);
	for (unsigned k = 0; k < WORK_COUNT; k++) {
		strbuf_addstr(out, GAP);
		add_right(out, title_of((enum work)k, results, n), w->work[k]);
	}
	end_line(out);
	for (size_t i = 0; i < n; i++) {
		add_names(out, &lines[i], &results[i], w);
		for (unsigned k = 0; k < WORK_COUNT; k++) {
			strbuf_addstr(out, GAP);
			add_right(out, lines[i].work[k].text, w->work[k]);
		}
		end_line(out);
	}
}

void table_print(struct strbuf *out, const struct result *results, size_t n,
		 const struct counters_info *counters)
{
	struct layout w;
	if (n == 0) {
		strbuf_addstr(out, "No window was measured.\n");
		return;
	}
	struct line *lines = xcalloc(n, sizeof(*lines));
	for (size_t i = 0; i < n; i++)
		line_init(&lines[i], &results[i]);
	layout_lines(&w, lines, results, n, counters && counters->user_only);
	add_costs(out, lines, results, n, &w);
	table_notes(out, results, n, counters);
	add_work(out, lines, results, n, &w);
	table_work_notes(out, results, n);
	for (size_t i = 0; i < n; i++)
		strbuf_release(&lines[i].variant);
	free(lines);
}
