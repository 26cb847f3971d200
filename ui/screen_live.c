/*
 * Screen 1: which variant is cheaper, and where the cost sits. Roles, total and results are seen
 * without scrolling as long as that is possible at all; what has to go when the terminal is low
 * goes in this order: parts of the database, notes, results, blank lines first of all.
 */
#include "config.h"

#include "ui/view.h"

#define COST_MIN     (1 + ROLE_COUNT + 1) /* title, roles, total */
#define RESULTS_MIN  3
#define PROGRESS_MIN 8 /* lines that make it worth while */

struct split {
	int top_gap, cost, notes, gap, results, progress;
};

static int take(int *left, int wanted)
{
	int got = wanted < *left ? wanted : *left;

	if (got < 0)
		got = 0;
	*left -= got;
	return got;
}

static struct split split_height(int height, int cost, int notes, int results)
{
	struct split s = {0};
	int left = height, first;

	s.cost = take(&left, COST_MIN);
	first = results < RESULTS_MIN ? results : RESULTS_MIN;
	s.results = take(&left, first);
	s.notes = take(&left, notes);
	s.gap = s.results ? take(&left, 1) : 0;
	s.cost += take(&left, cost - COST_MIN);
	s.results += take(&left, results - first);
	s.top_gap = take(&left, 1);
	if (left >= PROGRESS_MIN + 2)
		s.progress = left - 2;
	/* A title without a row says nothing. */
	if (s.results == 1 && results > 1) {
		s.results = 0;
		s.cost++;
	}
	return s;
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	struct table cost, results;
	struct notes notes;
	struct split s;
	int y = a.y;

	cost_table(v, m, &cost);
	results_table(v, m, &results);
	notes_live(v, m, &notes);
	table_arrange(&cost, &v->tables[TABLE_COST]);
	table_arrange(&results, &v->tables[TABLE_LIVE_RESULTS]);
	s = split_height(a.height, table_lines(&cost), notes.n,
			 m->nresults ? table_lines(&results) : 0);
	y += s.top_gap;
	table_draw(&cost, &v->tables[TABLE_COST], c, (struct area){a.x, y, a.width, s.cost});
	y += s.cost;
	notes_draw(&notes, c, y, s.notes);
	y += s.notes + s.gap;
	table_draw(&results, &v->tables[TABLE_LIVE_RESULTS], c,
		   (struct area){a.x, y, a.width, s.results});
	y += s.results + 1;
	if (s.progress && m->nprogress)
		progress_draw(v, m, c, (struct area){a.x, y, a.width, s.progress});
	table_release(&cost);
	table_release(&results);
}

/* Enter on a row of costs shows its processes; on a result, the results in full. */
static void enter(struct view *v, const struct model *m)
{
	const struct table_state *s = &v->tables[v->focus];

	if (v->focus == TABLE_LIVE_RESULTS) {
		view_show(v, SCREEN_RESULTS);
		return;
	}
	v->where = (struct where){.all = true};
	if (s->active)
		cost_where(m, s->id, &v->where);
	view_open(v, &overlay_where);
}

const struct screen_ops screen_live = {
	.name = "live",
	.where = IN_LIVE,
	.tables = {TABLE_COST, TABLE_LIVE_RESULTS},
	.draw = draw,
	.enter = enter,
};
