/* The short table of results: a line for each variant on each database, with the change of its
 * total against the base. */
#include "config.h"

#include "ui/results.h"

#include "lib/format.h"
#include "ui/view.h"

enum {
	R_DIALECT,
	R_VARIANT,
	R_JOBS,
	R_INSTR,
	R_INSTR_CHANGE,
	R_CYCLES,
	R_CYCLES_CHANGE,
	R_CPU,
	R_CPU_CHANGE,
	R_STATE,
	R_COUNT
};

static const struct table_column columns[R_COUNT] = {
	[R_DIALECT] = {"RESULTS", 9, 12, 0, 0, COLUMN_TEXT},
	[R_VARIANT] = {"", 8, 32, 1, 1, COLUMN_TEXT | COLUMN_SHRINK},
	[R_JOBS] = {"jobs", 4, 0, 1, 8, COLUMN_RIGHT},
	[R_INSTR] = {"INSTR M", 7, 0, 2, 2, COLUMN_RIGHT},
	[R_INSTR_CHANGE] = {"", 5, 0, 1, 3, COLUMN_RIGHT},
	[R_CYCLES] = {"CYCLES M", 8, 0, 2, 9, COLUMN_RIGHT},
	[R_CYCLES_CHANGE] = {"", 5, 0, 1, 10, COLUMN_RIGHT},
	[R_CPU] = {"CPU MS", 6, 0, 2, 4, COLUMN_RIGHT},
	[R_CPU_CHANGE] = {"", 5, 0, 1, 5, COLUMN_RIGHT},
	[R_STATE] = {"", 8, 0, 1, 6, COLUMN_TEXT},
};

const char *verdict_text(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_NONE] = "",           [VERDICT_UNDECIDED] = "undecided",
		[VERDICT_CHEAPER] = "cheaper", [VERDICT_DEARER] = "dearer",
		[VERDICT_SAME] = "same",
	};

	return (unsigned)v <= VERDICT_SAME ? names[v] : "";
}

/* With a verdict the colour is its; with one window each, only what is plain gets one. */
enum style change_style(const struct change *ch)
{
	switch (ch->verdict) {
	case VERDICT_CHEAPER:
		return STYLE_GOOD;
	case VERDICT_DEARER:
		return STYLE_BAD;
	case VERDICT_SAME:
	case VERDICT_UNDECIDED:
		return STYLE_NORMAL;
	case VERDICT_NONE:
		break;
	}
	if (!figure_known(ch->ratio))
		return STYLE_NORMAL;
	return ch->ratio.v < 0.95 ? STYLE_GOOD : ch->ratio.v > 1.05 ? STYLE_BAD : STYLE_NORMAL;
}

void change_cell(struct table_row *row, int column, const struct result *r, enum counter k)
{
	const struct change *ch = &r->change[k];
	char cell[FORMAT_CELL_MAX];

	if (!r->has_change || r->is_base || !figure_known(ch->ratio) ||
	    !figure_known(r->per_job[ROLE_TOTAL][k].median))
		return;
	format_change(cell, ch->ratio.v);
	table_textf(row, column, ch->ratio.v, "%s", cell);
	row->cells[column].style = change_style(ch);
}

static const char *state_text(const struct result_line *line, enum counter k)
{
	const char *verdict = verdict_text(line->result.change[k].verdict);

	switch (line->state) {
	case RESULT_NEXT:
		return "next";
	case RESULT_STARTING:
		return "starting";
	case RESULT_RUNNING:
		return "running";
	case RESULT_LEFT:
		return "left";
	case RESULT_FAILED:
		return "failed";
	case RESULT_DONE:
		break;
	}
	if (result_is_broken(&line->result))
		return "broken";
	if (line->result.is_base)
		return "base";
	return verdict[0] ? verdict : "done";
}

void state_cell(struct table_row *row, int column, const struct result_line *line, enum counter k)
{
	bool bad = line->state == RESULT_FAILED || result_is_broken(&line->result);
	enum style style = bad ? STYLE_BAD : STYLE_NORMAL;

	if (!bad && line->state == RESULT_DONE && !line->result.is_base && line->result.has_change)
		style = change_style(&line->result.change[k]);
	if (line->state == RESULT_NEXT)
		style = STYLE_DIM;
	table_str(row, column, state_text(line, k));
	row->cells[column].style = style;
}

enum counter results_counter(const struct model *m)
{
	for (size_t i = 0; i < m->nresults; i++) {
		const struct result *r = &m->results[i].result;

		if (figure_known(r->per_job[ROLE_TOTAL][COUNTER_INSTRUCTIONS].median))
			return COUNTER_INSTRUCTIONS;
	}
	return COUNTER_CPU_NS;
}

static void add_line(struct table *t, const struct result_line *line, uint64_t id, enum counter k)
{
	const struct result *r = &line->result;
	struct table_row *row = table_add(t, id, TABLE_NO_PARENT);
	char jobs[FORMAT_CELL_MAX];

	table_textf(row, R_DIALECT, 0, "%c%s", line->current ? '>' : ' ', dialect_name(r->dialect));
	table_str(row, R_VARIANT, r->variant);
	format_fixed(jobs, (double)r->jobs, 0);
	table_textf(row, R_JOBS, (double)r->jobs, "%s%s", r->jobs ? jobs : "-",
		    r->unbalanced ? "!" : "");
	table_figure(t, row, R_INSTR, r->per_job[ROLE_TOTAL][COUNTER_INSTRUCTIONS].median, 1e6);
	table_figure(t, row, R_CYCLES, r->per_job[ROLE_TOTAL][COUNTER_CYCLES].median, 1e6);
	table_figure(t, row, R_CPU, r->per_job[ROLE_TOTAL][COUNTER_CPU_NS].median, 1e6);
	change_cell(row, R_INSTR_CHANGE, r, COUNTER_INSTRUCTIONS);
	change_cell(row, R_CYCLES_CHANGE, r, COUNTER_CYCLES);
	change_cell(row, R_CPU_CHANGE, r, COUNTER_CPU_NS);
	state_cell(row, R_STATE, line, k);
	if (line->state == RESULT_NEXT)
		row->style = STYLE_DIM;
}

void results_table(struct view *v, const struct model *m, struct table *t)
{
	enum counter k = results_counter(m);

	table_init(t, columns, R_COUNT, v->utf8);
	t->titles[R_STATE] = k == COUNTER_INSTRUCTIONS ? "instr" : "cpu";
	t->keep[R_CPU] = t->keep[R_JOBS] = true;
	for (size_t i = 0; i < m->nresults; i++)
		add_line(t, &m->results[i], i, k);
}
