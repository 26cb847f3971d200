/*
 * The table of costs: a row for each role, the parts of the database below it, the total. Which
 * columns are there is decided by what has values: without counters the room goes to spread,
 * switches and statements.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

enum {
	C_NAME,
	C_INSTR,
	C_CYCLES,
	C_IPC,
	C_CPU,
	C_SPREAD,
	C_CSW,
	C_STMTS,
	C_WAL,
	C_ROWS,
	C_BUFFERS,
	C_PCT,
	C_GHZ,
	C_PIDS,
	C_READ,
	C_WRITE,
	C_SHARE,
	C_VS,
	C_SPARK,
	C_COUNT
};

static const struct table_column columns[C_COUNT] = {
	[C_NAME] = {"PER JOB", 6, 24, 0, 0, COLUMN_TEXT | COLUMN_SHRINK},
	[C_INSTR] = {"INSTR M", 8, 0, 2, 1, COLUMN_RIGHT},
	[C_CYCLES] = {"CYCLES M", 8, 0, 2, 5, COLUMN_RIGHT},
	[C_IPC] = {"IPC", 4, 0, 2, 6, COLUMN_RIGHT},
	[C_CPU] = {"CPU MS", 7, 0, 2, 2, COLUMN_RIGHT},
	[C_SPREAD] = {"+-", 4, 0, 2, 7, COLUMN_RIGHT},
	[C_CSW] = {"CSW", 5, 0, 2, 8, COLUMN_RIGHT},
	[C_STMTS] = {"STMTS", 5, 0, 2, 9, COLUMN_RIGHT},
	[C_WAL] = {"LOG KB", 6, 0, 2, 10, COLUMN_RIGHT},
	[C_ROWS] = {"ROWS", 6, 0, 2, 17, COLUMN_RIGHT},
	[C_BUFFERS] = {"BUFFERS", 7, 0, 2, 18, COLUMN_RIGHT},
	[C_PCT] = {"CPU%", 6, 0, 2, 11, COLUMN_RIGHT},
	[C_GHZ] = {"GHZ", 4, 0, 2, 12, COLUMN_RIGHT},
	[C_PIDS] = {"PIDS", 4, 0, 2, 13, COLUMN_RIGHT},
	[C_READ] = {"READ KB", 7, 0, 2, 15, COLUMN_RIGHT},
	[C_WRITE] = {"WRITE KB", 8, 0, 2, 16, COLUMN_RIGHT},
	[C_SHARE] = {"share", 11, 24, 2, 4, COLUMN_RIGHT | COLUMN_GROW},
	[C_VS] = {"vs base", 10, 20, 2, 3, COLUMN_RIGHT | COLUMN_SHRINK},
	[C_SPARK] = {"LAST MINUTE", 12, SPARK_LEN, 2, 14, COLUMN_GROW},
};

#define ID_TOTAL 50
#define ID_PART  100
#define ID_REST  99

#define NAME_WIDTH 15

/* From this height on each part has a row of its own, whatever it costs. */
#define ALL_PARTS_HEIGHT 40

const struct progress_line *progress_at(const struct model *m, size_t i)
{
	if (i >= m->nprogress)
		return NULL;
	return &m->progress_lines[(m->progress_next + MODEL_PROGRESS_MAX - m->nprogress + i) %
				  MODEL_PROGRESS_MAX];
}

/* CPU of one CPU per role and second; a gap (-1) where it is not known. Returns how many. */
static size_t fill_sparks(struct view *v, const struct model *m)
{
	size_t n = m->nprogress < SPARK_LEN ? m->nprogress : SPARK_LEN;

	for (size_t i = 0; i < n; i++) {
		const struct progress_line *p = progress_at(m, m->nprogress - n + i);
		double total = 0;

		for (int r = 0; r < ROLE_COUNT; r++) {
			bool known = figure_known(p->cpu_pct[r]);

			v->sparks[r][i] = known ? p->cpu_pct[r].v : -1;
			total += known ? p->cpu_pct[r].v : 0;
		}
		v->sparks[ROLE_COUNT][i] = total;
	}
	return n;
}

/* What is left over has one row when it is small: the exited ones have none of their own then. */
static const char *part_text(const struct model *m, enum part part)
{
	if (part != PART_OTHER)
		return part_name(part);
	for (size_t i = 0; i < m->nrows && i < MODEL_ROWS_MAX; i++) {
		if (m->rows[i].kind == ROW_PART && m->rows[i].part == PART_EXITED)
			return part_name(part);
	}
	return "other, exited";
}

static void name_cell(const struct view *v, const struct model *m, struct table_row *row,
		      const struct cost_row *r)
{
	const struct glyphs *g = glyphs_get(v->utf8);
	const char *part = part_text(m, r->part);

	if (r->kind == ROW_ROLE)
		table_str(row, C_NAME, role_name(r->role));
	else if (r->kind == ROW_TOTAL)
		table_str(row, C_NAME, "TOTAL");
	else if (r->cost.processes > 1)
		table_textf(row, C_NAME, 0, "%s %s%u", part, g->times, r->cost.processes);
	else
		table_str(row, C_NAME, part);
}

static void share_cell(struct table_row *row, const struct cost_row *r)
{
	char cell[FORMAT_CELL_MAX];

	if (!figure_known(r->cost.share) || r->kind == ROW_TOTAL)
		return;
	format_fixed(cell, r->cost.share.v * 100, 0);
	table_textf(row, C_SHARE, r->cost.share.v, "%s%%", cell);
	if (r->kind == ROW_ROLE)
		row->cells[C_SHARE].bar = r->cost.share.v > 0 ? r->cost.share.v : 0;
}

static void vs_cell(struct table_row *row, const struct cost_row *r)
{
	char cell[FORMAT_CELL_MAX];
	double ratio = r->cost.vs_base.v;

	if (!figure_known(r->cost.vs_base))
		return;
	format_ratio(cell, ratio);
	table_textf(row, C_VS, ratio, "%s", cell);
	row->cells[C_VS].style = ratio < 0.95   ? STYLE_GOOD
				 : ratio > 1.05 ? STYLE_BAD
						: STYLE_NORMAL;
}

static void cost_cells(const struct table *t, struct table_row *row, const struct cost *cost)
{
	table_figure(t, row, C_INSTR, cost->counters[COUNTER_INSTRUCTIONS], 1e6);
	table_figure(t, row, C_CYCLES, cost->counters[COUNTER_CYCLES], 1e6);
	table_figure(t, row, C_IPC, cost->ipc, 1);
	table_figure(t, row, C_CPU, cost->counters[COUNTER_CPU_NS], 1e6);
	table_figure(t, row, C_SPREAD, cost->spread_ns, 1e6);
	table_figure(t, row, C_CSW, cost->csw, 1);
	table_figure(t, row, C_PCT, cost->cpu_pct, 1);
	table_figure(t, row, C_GHZ, cost->ghz, 1);
	table_figure(t, row, C_READ, cost->read_bytes, 1024);
	table_figure(t, row, C_WRITE, cost->written_bytes, 1024);
	if (cost->processes)
		table_count(row, C_PIDS, cost->processes);
}

static uint64_t row_id(const struct cost_row *r)
{
	if (r->kind == ROW_ROLE)
		return (uint64_t)r->role;
	if (r->kind == ROW_TOTAL)
		return ID_TOTAL;
	return ID_PART + (uint64_t)r->role * PART_COUNT + (uint64_t)r->part;
}

void cost_where(const struct model *m, uint64_t id, struct where *out)
{
	(void)m;
	memset(out, 0, sizeof(*out));
	if (id < ROLE_COUNT) {
		out->role = (enum role)id;
	} else if (id >= ID_PART && id < ID_PART + ROLE_COUNT * PART_COUNT) {
		out->role = (enum role)((id - ID_PART) / PART_COUNT);
		out->part = (enum part)((id - ID_PART) % PART_COUNT);
		out->has_part = true;
	} else if (id == ID_REST) {
		out->role = ROLE_DATABASE;
	} else {
		out->all = true;
	}
}

static void add_row(struct view *v, const struct model *m, struct table *t,
		    const struct cost_row *r, int parent, size_t nspark)
{
	struct table_row *row = table_add(t, row_id(r), parent);

	name_cell(v, m, row, r);
	cost_cells(t, row, &r->cost);
	share_cell(row, r);
	vs_cell(row, r);
	if (r->kind == ROW_PART) {
		row->style = STYLE_DIM;
		return;
	}
	if (r->kind == ROW_TOTAL) {
		row->style = STYLE_STRONG;
		row->pinned = true;
	}
	if (r->kind == ROW_ROLE && r->role == ROLE_DATABASE) {
		table_figure(t, row, C_STMTS, m->statements, 1);
		table_figure(t, row, C_WAL, m->wal_bytes, 1024);
		table_figure(t, row, C_ROWS, m->rows_examined, 1);
		table_figure(t, row, C_BUFFERS, m->buffers, 1);
	}
	if (nspark) {
		row->cells[C_SPARK].spark =
			v->sparks[r->kind == ROW_TOTAL ? (int)ROLE_COUNT : (int)r->role];
		row->cells[C_SPARK].nspark = nspark;
		row->cells[C_SPARK].known = true;
	}
}

static bool rounds_to_nothing(struct figure f, double unit)
{
	return !figure_known(f) || (f.v < 0.005 * unit && f.v > -0.005 * unit);
}

/* A part that would be a row of zeros. */
static bool is_nothing(const struct cost_row *r)
{
	const struct cost *c = &r->cost;

	return r->kind == ROW_PART && figure_known(c->counters[COUNTER_CPU_NS]) &&
	       rounds_to_nothing(c->counters[COUNTER_INSTRUCTIONS], 1e6) &&
	       rounds_to_nothing(c->counters[COUNTER_CYCLES], 1e6) &&
	       rounds_to_nothing(c->counters[COUNTER_CPU_NS], 1e6);
}

static void add_figure(struct figure *into, struct figure f)
{
	if (!figure_known(f))
		return;
	into->v += f.v;
	into->state = f.state > into->state ? f.state : into->state;
}

static void add_cost(struct cost *into, const struct cost *c)
{
	for (int k = 0; k < COUNTER_COUNT; k++)
		add_figure(&into->counters[k], c->counters[k]);
	add_figure(&into->cpu_pct, c->cpu_pct);
	add_figure(&into->csw, c->csw);
	add_figure(&into->read_bytes, c->read_bytes);
	add_figure(&into->written_bytes, c->written_bytes);
	add_figure(&into->share, c->share);
	into->processes += c->processes;
}

/* The rows of zeros put together, so that the parts still sum to the database. 0 when there are
 * fewer than two or there is room for all. */
static unsigned gather_rest(const struct view *v, const struct model *m, struct cost_row *rest)
{
	unsigned n = 0;

	memset(rest, 0, sizeof(*rest));
	rest->kind = ROW_PART;
	rest->role = ROLE_DATABASE;
	for (size_t i = 0; v->height < ALL_PARTS_HEIGHT && i < m->nrows; i++) {
		if (!is_nothing(&m->rows[i]) || m->rows[i].role != ROLE_DATABASE)
			continue;
		add_cost(&rest->cost, &m->rows[i].cost);
		n++;
	}
	return n > 1 ? n : 0;
}

static void add_rest(struct view *v, const struct model *m, struct table *t,
		     const struct cost_row *rest, int parent, unsigned n)
{
	struct table_row *row;

	add_row(v, m, t, rest, parent, 0);
	row = &t->rows.items[t->rows.len - 1];
	row->id = ID_REST;
	table_textf(row, C_NAME, 0, "%u more", n);
}

/* Before the first figures: the rows that will be there. */
static void add_skeleton(struct view *v, const struct model *m, struct table *t)
{
	for (int i = 0; i <= ROLE_COUNT; i++) {
		struct cost_row r = {.kind = i < ROLE_COUNT ? ROW_ROLE : ROW_TOTAL,
				     .role = i < ROLE_COUNT ? (enum role)i : ROLE_WORKER};

		add_row(v, m, t, &r, TABLE_NO_PARENT, 0);
	}
}

/* Columns that stay when a figure is missing for a moment, so that the table stands still. */
static void keep_columns(const struct model *m, struct table *t)
{
	const struct counters_info *k = m->counters;

	t->keep[C_CPU] = true;
	t->wish[C_NAME] = NAME_WIDTH;
	if (!k)
		return;
	t->keep[C_CPU] = k->icount.roles != (1u << ROLE_COUNT) - 1;
	t->keep[C_INSTR] = k->instructions.available;
	t->keep[C_CYCLES] = k->cycles.available;
	t->keep[C_IPC] = k->instructions.available && k->cycles.available;
	t->keep[C_SHARE] = true;
}

static void set_titles(struct view *v, const struct model *m, struct table *t)
{
	bool instr = m->counters && m->counters->instructions.available;

	if (m->counters && m->counters->user_only) {
		t->titles[C_INSTR] = "INSTR:u M";
		t->titles[C_CYCLES] = "CYCLES:u M";
	}
	t->titles[C_NAME] = m->per_second ? "PER SECOND" : "PER JOB";
	t->titles[C_SPREAD] = glyphs_get(v->utf8)->spread;
	t->titles[C_SHARE] = instr ? "share of instr" : "share of ms";
	if (m->base[0]) {
		snprintf(v->vs_title, sizeof(v->vs_title), "vs %s", m->base);
		t->titles[C_VS] = v->vs_title;
	}
}

void cost_table(struct view *v, const struct model *m, struct table *t)
{
	int parents[ROLE_COUNT] = {TABLE_NO_PARENT, TABLE_NO_PARENT, TABLE_NO_PARENT};
	size_t nspark = fill_sparks(v, m);
	struct cost_row rest;
	unsigned nrest = gather_rest(v, m, &rest);

	table_init(t, columns, C_COUNT, v->utf8);
	set_titles(v, m, t);
	keep_columns(m, t);
	for (size_t i = 0; i < m->nrows && i < MODEL_ROWS_MAX; i++) {
		const struct cost_row *r = &m->rows[i];
		int parent = r->kind == ROW_PART ? parents[r->role] : TABLE_NO_PARENT;

		if (nrest && is_nothing(r) && r->role == ROLE_DATABASE)
			continue;
		if (r->kind == ROW_ROLE)
			parents[r->role] = (int)t->rows.len;
		add_row(v, m, t, r, parent, nspark);
	}
	if (nrest)
		add_rest(v, m, t, &rest, parents[ROLE_DATABASE], nrest);
	if (!m->nrows)
		add_skeleton(v, m, t);
}
