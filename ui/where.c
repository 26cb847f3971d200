/* Where: the processes behind a row of the live table, with what each takes per second. */
#include "config.h"

#include <string.h>

#include "lib/format.h"
#include "ui/view.h"

enum { W_PID, W_TID, W_PART, W_PCT, W_INSTR, W_CYCLES, W_CSW, W_READ, W_WRITE, W_TITLE, W_COUNT };

_Static_assert(W_PCT == WHERE_SORT, "the processes are sorted by CPU time");

/* What whole command lines leave for PID and CPU%. */
#define COMMAND_LEAVES 26

static const struct table_column columns[W_COUNT] = {
	[W_PID] = {"PID", 7, 0, 0, 0, COLUMN_RIGHT},
	[W_TID] = {"TID", 7, 0, 1, 4, COLUMN_RIGHT},
	[W_PART] = {"PART", 8, 20, 2, 3, COLUMN_TEXT},
	[W_PCT] = {"CPU%", 6, 0, 2, 1, COLUMN_RIGHT},
	[W_INSTR] = {"INSTR M/S", 9, 0, 2, 5, COLUMN_RIGHT},
	[W_CYCLES] = {"CYCLES M/S", 10, 0, 2, 7, COLUMN_RIGHT},
	[W_CSW] = {"CSW/S", 6, 0, 2, 6, COLUMN_RIGHT},
	[W_READ] = {"READ KB/S", 9, 0, 2, 9, COLUMN_RIGHT},
	[W_WRITE] = {"WRITE KB/S", 10, 0, 2, 8, COLUMN_RIGHT},
	[W_TITLE] = {"COMMAND", 24, 0, 2, 2, COLUMN_TEXT | COLUMN_SHRINK | COLUMN_GROW},
};

static bool wanted(const struct view *v, const struct process_line *p)
{
	const struct where *w = &v->where;

	if (v->threads ? p->tid == 0 : p->thread)
		return false;
	if (w->all)
		return true;
	/* Without its threads a process is of no part: it stands for all of them. */
	if (p->tid == 0)
		return p->role == w->role;
	/* What is left over has no process of its own but the ones that could not be assigned. */
	return p->role == w->role && (!w->has_part || p->part == w->part);
}

/* "/usr/lib/x/postgres -D ..." is "postgres" in short; a process title is short already. */
static void title_cell(const struct view *v, struct table_row *row, const char *title)
{
	const char *end = title + strcspn(title, " "), *slash;

	if (v->command_lines || title[0] != '/') {
		table_str(row, W_TITLE, title);
		return;
	}
	slash = title;
	for (const char *s = title; s < end; s++)
		slash = *s == '/' ? s + 1 : slash;
	table_textf(row, W_TITLE, 0, "%.*s", (int)(end - slash), slash);
}

static void add_process(const struct view *v, struct table *t, const struct process_line *p)
{
	struct table_row *row = table_add(t, (uint64_t)(p->tid ? p->tid : p->pid), TABLE_NO_PARENT);

	table_textf(row, W_PID, (double)p->pid, "%d", (int)p->pid);
	if (p->thread)
		table_textf(row, W_TID, (double)p->tid, "%d", (int)p->tid);
	table_str(row, W_PART, p->part == PART_NONE ? role_name(p->role) : part_name(p->part));
	table_figure(t, row, W_PCT, p->cpu_ns_s, 1e7);
	table_figure(t, row, W_INSTR, p->instructions_s, 1e6);
	table_figure(t, row, W_CYCLES, p->cycles_s, 1e6);
	table_figure(t, row, W_CSW, p->csw_s, 1);
	table_figure(t, row, W_READ, p->read_bytes_s, 1024);
	table_figure(t, row, W_WRITE, p->written_bytes_s, 1024);
	title_cell(v, row, p->title);
}

static void draw_heading(const struct view *v, struct canvas *c, struct area a, size_t n,
			 bool threads)
{
	const struct where *w = &v->where;
	char cell[FORMAT_CELL_MAX];
	int x = a.x + canvas_text(c, a.x, a.y, -1, STYLE_TITLE, "WHERE") + 2;

	x += canvas_text(c, x, a.y, -1, STYLE_STRONG, w->all ? "all roles" : role_name(w->role));
	if (w->has_part)
		x += canvas_printf(c, x, a.y, STYLE_STRONG, " / %s", part_name(w->part));
	format_fixed(cell, (double)n, 0);
	canvas_printf(c, x, a.y, STYLE_DIM, "  %s %s%s, figures per second", cell,
		      threads ? "thread" : "process",
		      n == 1    ? ""
		      : threads ? "s"
				: "es");
}

static void draw_none(const struct view *v, struct canvas *c, struct area a)
{
	const char *why = "no process here now";

	if (v->where.has_part && v->where.part == PART_EXITED)
		why = "these processes have ended; their time is what the others leave over";
	if (a.height > 3)
		canvas_text(c, a.x, a.y + 2, -1, STYLE_DIM, why);
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	struct table_column mine[W_COUNT];
	bool threads = false;
	struct table t;

	memcpy(mine, columns, sizeof(mine));
	/* The command then has most of the width, and other columns go. */
	if (v->command_lines && a.width > mine[W_TITLE].min + COMMAND_LEAVES)
		mine[W_TITLE].min = a.width - COMMAND_LEAVES;
	mine[W_TITLE].max = a.width - 8 > 20 ? a.width - 8 : 20;
	table_init(&t, mine, W_COUNT, v->utf8);
	t.keep[W_PCT] = t.keep[W_TITLE] = true;
	for (size_t i = 0; i < m->nprocesses; i++) {
		if (!wanted(v, &m->processes[i]))
			continue;
		threads |= m->processes[i].thread;
		add_process(v, &t, &m->processes[i]);
	}
	draw_heading(v, c, a, t.rows.len, threads);
	table_arrange(&t, &v->tables[TABLE_PROCESSES]);
	if (t.rows.len)
		table_draw(&t, &v->tables[TABLE_PROCESSES], c,
			   (struct area){a.x, a.y + 1, a.width, a.height - 1});
	else
		draw_none(v, c, a);
	table_release(&t);
}

const struct screen_ops overlay_where = {
	.name = "where",
	.where = IN_WHERE,
	.tables = {TABLE_PROCESSES, TABLE_PROCESSES},
	.draw = draw,
};
