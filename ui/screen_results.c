/*
 * Screen 2: all results in full. One branch per counter, so that the variants stand below each
 * other where they are compared; then the work that can be counted exactly, and the checks.
 */
#include "config.h"

#include "lib/format.h"
#include "ui/results.h"
#include "ui/view.h"

#define WORK_MIN 4 /* lines of the second table that make it worth while */

enum {
	F_NAME,
	F_WORKER,
	F_PRODUCER,
	F_DATABASE,
	F_TOTAL,
	F_CHANGE,
	F_CI,
	F_STATE,
	F_MIN,
	F_MAX,
	F_COUNT
};

static const struct table_column full_columns[F_COUNT] = {
	[F_NAME] = {"PER JOB", 14, 28, 0, 0, COLUMN_TEXT},
	[F_WORKER] = {"worker", 6, 0, 2, 5, COLUMN_RIGHT},
	[F_PRODUCER] = {"prod.", 6, 0, 2, 6, COLUMN_RIGHT},
	[F_DATABASE] = {"database", 8, 0, 2, 4, COLUMN_RIGHT},
	[F_TOTAL] = {"TOTAL", 7, 0, 2, 1, COLUMN_RIGHT},
	[F_CHANGE] = {"change", 6, 0, 2, 2, COLUMN_RIGHT},
	[F_CI] = {"95% CI", 9, 0, 2, 7, COLUMN_RIGHT},
	[F_STATE] = {"", 8, 0, 2, 3, COLUMN_TEXT},
	[F_MIN] = {"least", 7, 0, 2, 8, COLUMN_RIGHT},
	[F_MAX] = {"most", 7, 0, 2, 9, COLUMN_RIGHT},
};

enum {
	W_NAME,
	W_WINDOWS,
	W_INVALID,
	W_JOBS,
	W_STMTS,
	W_COMMITS,
	W_WAL,
	W_ROWS,
	W_BUFFERS,
	W_TWICE,
	W_LOST,
	W_COUNT
};

static const struct table_column work_columns[W_COUNT] = {
	[W_NAME] = {"WORK PER JOB", 16, 28, 0, 0, COLUMN_TEXT},
	[W_WINDOWS] = {"windows", 7, 0, 2, 10, COLUMN_RIGHT},
	[W_INVALID] = {"void", 4, 0, 1, 8, COLUMN_RIGHT},
	[W_JOBS] = {"jobs", 6, 0, 1, 1, COLUMN_RIGHT},
	[W_STMTS] = {"STMTS", 6, 0, 2, 2, COLUMN_RIGHT},
	[W_COMMITS] = {"COMMITS", 7, 0, 2, 9, COLUMN_RIGHT},
	[W_WAL] = {"LOG KB", 6, 0, 2, 3, COLUMN_RIGHT},
	[W_ROWS] = {"ROWS", 6, 0, 2, 5, COLUMN_RIGHT},
	[W_BUFFERS] = {"BUFFERS", 7, 0, 2, 6, COLUMN_RIGHT},
	[W_TWICE] = {"twice", 5, 0, 2, 4, COLUMN_RIGHT},
	[W_LOST] = {"lost", 4, 0, 2, 7, COLUMN_RIGHT},
};

static bool one_dialect(const struct model *m)
{
	for (size_t i = 1; i < m->nresults; i++) {
		if (m->results[i].result.dialect != m->results[0].result.dialect)
			return false;
	}
	return true;
}

/* An idle queue has no jobs to divide by. */
static bool all_idle(const struct model *m)
{
	bool idle = false;

	for (size_t i = 0; i < m->nresults; i++) {
		const struct result *r = &m->results[i].result;

		if (r->windows && !r->idle)
			return false;
		idle = idle || r->idle;
	}
	return idle;
}

/* The header says which database it is when there is one. */
static void name_cell(struct table_row *row, const struct model *m, const struct result *r)
{
	if (one_dialect(m))
		table_str(row, 0, r->variant);
	else
		table_textf(row, 0, 0, "%s %s", dialect_name(r->dialect), r->variant);
}

static void interval_cell(const struct table *t, struct table_row *row, const struct change *ch)
{
	char low[FORMAT_CELL_MAX], high[FORMAT_CELL_MAX];

	if (!(ch->ci95_high > 0))
		return;
	format_change(low, ch->ci95_low);
	format_change(high, ch->ci95_high);
	table_textf(row, F_CI, ch->ci95_low, "%.12s%s%.12s", low, t->utf8 ? "…" : "..", high);
}

static void add_counter_row(const struct model *m, struct table *t, size_t i, enum counter k,
			    int parent)
{
	const struct result_line *line = &m->results[i];
	const struct result *r = &line->result;
	struct table_row *row = table_add(t, 100 * (uint64_t)(k + 1) + i, parent);
	const struct spread *total = result_cost(r, ROLE_TOTAL, k);

	name_cell(row, m, r);
	table_figure(t, row, F_WORKER, result_cost(r, ROLE_WORKER, k)->median, 1e6);
	table_figure(t, row, F_PRODUCER, result_cost(r, ROLE_PRODUCER, k)->median, 1e6);
	table_figure(t, row, F_DATABASE, result_cost(r, ROLE_DATABASE, k)->median, 1e6);
	table_figure(t, row, F_TOTAL, total->median, 1e6);
	row->cells[F_TOTAL].style = STYLE_STRONG;
	if (total->n > 1) {
		table_figure(t, row, F_MIN, total->min, 1e6);
		table_figure(t, row, F_MAX, total->max, 1e6);
	}
	change_cell(row, F_CHANGE, r, k);
	interval_cell(t, row, &r->change[k]);
	state_cell(row, F_STATE, line, k);
}

static bool counter_known(const struct model *m, enum counter k)
{
	for (size_t i = 0; i < m->nresults; i++) {
		const struct result *r = &m->results[i].result;

		if (figure_known(result_cost(r, ROLE_TOTAL, k)->median))
			return true;
	}
	return k == COUNTER_CPU_NS;
}

static void full_table(const struct view *v, const struct model *m, struct table *t)
{
	static const char *const names[COUNTER_COUNT] = {
		[COUNTER_INSTRUCTIONS] = "INSTRUCTIONS, M",
		[COUNTER_CYCLES] = "CYCLES, M",
		[COUNTER_CPU_NS] = "CPU TIME, MS",
	};

	table_init(t, full_columns, F_COUNT, v->utf8);
	if (all_idle(m))
		t->titles[F_NAME] = "PER SECOND";
	t->keep[F_TOTAL] = true;
	for (int k = 0; k < COUNTER_COUNT; k++) {
		int parent = (int)t->rows.len;
		struct table_row *root;

		if (!counter_known(m, (enum counter)k))
			continue;
		root = table_add(t, (uint64_t)k, TABLE_NO_PARENT);
		table_str(root, F_NAME, names[k]);
		root->style = STYLE_STRONG;
		for (size_t i = 0; i < m->nresults; i++)
			add_counter_row(m, t, i, (enum counter)k, parent);
	}
}

static void add_work_row(const struct model *m, struct table *t, size_t i)
{
	const struct result *r = &m->results[i].result;
	struct table_row *row = table_add(t, i, TABLE_NO_PARENT);

	name_cell(row, m, r);
	if (!r->windows && !r->invalid)
		return;
	table_count(row, W_WINDOWS, r->windows);
	if (r->invalid) {
		table_count(row, W_INVALID, r->invalid);
		row->cells[W_INVALID].style = STYLE_WARNING;
	}
	table_count(row, W_JOBS, r->jobs);
	for (unsigned k = 0; k < WORK_COUNT; k++) {
		static const int at[WORK_COUNT] = {
			[WORK_STATEMENTS] = W_STMTS, [WORK_COMMITS] = W_COMMITS,
			[WORK_LOG_BYTES] = W_WAL,    [WORK_ROWS] = W_ROWS,
			[WORK_BUFFERS] = W_BUFFERS,
		};
		table_figure(t, row, at[k], result_work(r, (enum work)k)->median,
			     k == WORK_LOG_BYTES ? 1024 : 1);
	}
	if (!r->windows)
		return;
	table_count(row, W_TWICE, r->duplicates);
	table_count(row, W_LOST, r->lost);
	row->cells[W_TWICE].style = r->duplicates ? STYLE_BAD : STYLE_NORMAL;
	row->cells[W_LOST].style = r->lost ? STYLE_BAD : STYLE_NORMAL;
}

static void work_table(const struct view *v, const struct model *m, struct table *t)
{
	table_init(t, work_columns, W_COUNT, v->utf8);
	if (all_idle(m))
		t->titles[W_NAME] = "WORK PER SECOND";
	for (size_t i = 0; i < m->nresults; i++)
		add_work_row(m, t, i);
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	struct notes notes = {.n = 0};
	struct table full, work;
	int y = a.y, gap, full_lines, work_lines, note_lines, left;

	full_table(v, m, &full);
	work_table(v, m, &work);
	notes_missing(m, &notes);
	notes_work(m, &notes);
	table_arrange(&full, &v->tables[TABLE_RESULTS]);
	table_arrange(&work, &v->tables[TABLE_WORK]);
	full_lines = table_lines(&full);
	work_lines = table_lines(&work);
	note_lines = a.height >= 14 ? notes.n : 0;
	gap = a.height >= full_lines + work_lines + note_lines + 2;
	left = a.height - 2 * gap - note_lines;
	if (full_lines + work_lines > left) {
		work_lines = left - full_lines;
		if (work_lines < WORK_MIN)
			work_lines = left >= 3 * WORK_MIN ? WORK_MIN : 0;
		full_lines = left - work_lines;
	}
	y += gap;
	table_draw(&full, &v->tables[TABLE_RESULTS], c, (struct area){a.x, y, a.width, full_lines});
	y += full_lines;
	y += notes_draw(&notes, c, y, note_lines) + gap;
	table_draw(&work, &v->tables[TABLE_WORK], c, (struct area){a.x, y, a.width, work_lines});
	if (!m->nresults && a.height > 4)
		canvas_text(c, a.x, a.y + 4, -1, STYLE_DIM,
			    "nothing measured yet: w opens a window, a runs the whole plan");
	table_release(&full);
	table_release(&work);
}

const struct screen_ops screen_results = {
	.name = "results",
	.where = IN_RESULTS,
	.tables = {TABLE_RESULTS, TABLE_WORK},
	.draw = draw,
};
