/* A line per second, as pgbench prints it: for the latency screen, and below the live tables when
 * the terminal is high. */
#include "config.h"

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

enum {
	P_TIME,
	P_JOBS,
	P_ENQUEUED,
	P_WAITING,
	P_MEAN,
	P_SD,
	P_P50,
	P_P99,
	P_MAX,
	P_LATE,
	P_CPU_WORKER,
	P_CPU_PRODUCER,
	P_CPU_DATABASE,
	P_WINDOW,
	P_COUNT
};

static const struct table_column columns[P_COUNT] = {
	[P_TIME] = {"TIME S", 6, 0, 0, 0, COLUMN_RIGHT},
	[P_JOBS] = {"JOBS/S", 6, 0, 2, 1, COLUMN_RIGHT},
	[P_ENQUEUED] = {"ENQ/S", 6, 0, 1, 7, COLUMN_RIGHT},
	[P_WAITING] = {"WAIT", 4, 0, 1, 5, COLUMN_RIGHT},
	[P_MEAN] = {"MEAN MS", 7, 0, 2, 3, COLUMN_RIGHT},
	[P_SD] = {"SD", 5, 0, 1, 8, COLUMN_RIGHT},
	[P_P50] = {"P50", 5, 0, 1, 6, COLUMN_RIGHT},
	[P_P99] = {"P99", 5, 0, 1, 2, COLUMN_RIGHT},
	[P_MAX] = {"MAX", 5, 0, 1, 4, COLUMN_RIGHT},
	[P_LATE] = {"LATE", 5, 0, 1, 9, COLUMN_RIGHT},
	[P_CPU_WORKER] = {"W CPU%", 6, 0, 2, 12, COLUMN_RIGHT},
	[P_CPU_PRODUCER] = {"P CPU%", 6, 0, 1, 13, COLUMN_RIGHT},
	[P_CPU_DATABASE] = {"D CPU%", 6, 0, 1, 11, COLUMN_RIGHT},
	[P_WINDOW] = {"", 1, 0, 1, 10, 0},
};

static void ms_cell(struct table_row *row, int column, double ns)
{
	char cell[FORMAT_CELL_MAX];

	format_fixed(cell, ns / (double)NS_PER_MS, 2);
	table_textf(row, column, ns, "%s", cell);
}

static void number_cell(struct table_row *row, int column, double value, int decimals)
{
	char cell[FORMAT_CELL_MAX];

	format_fixed(cell, value, decimals);
	table_textf(row, column, value, "%s", cell);
}

static void latency_cells(struct table_row *row, const struct progress_line *p)
{
	/* No job completed: there is no latency, which is not the same as none. */
	if (!p->latency_max_ns) {
		for (int i = P_MEAN; i <= P_MAX; i++)
			table_str(row, i, "-");
		return;
	}
	ms_cell(row, P_MEAN, p->latency_mean_ns);
	ms_cell(row, P_SD, p->latency_sd_ns);
	ms_cell(row, P_P50, (double)p->latency_p50_ns);
	ms_cell(row, P_P99, (double)p->latency_p99_ns);
	ms_cell(row, P_MAX, (double)p->latency_max_ns);
}

static void add_line(struct table *t, const struct progress_line *p)
{
	struct table_row *row = table_add(t, p->at_ns, TABLE_NO_PARENT);

	number_cell(row, P_TIME, (double)p->at_ns / (double)NS_PER_S, 1);
	number_cell(row, P_JOBS, p->jobs_s, 2);
	number_cell(row, P_ENQUEUED, p->enqueued_s, 2);
	number_cell(row, P_WAITING, (double)p->waiting, 0);
	latency_cells(row, p);
	ms_cell(row, P_LATE, p->late_mean_ns);
	table_figure(t, row, P_CPU_WORKER, p->cpu_pct[ROLE_WORKER], 1);
	table_figure(t, row, P_CPU_PRODUCER, p->cpu_pct[ROLE_PRODUCER], 1);
	table_figure(t, row, P_CPU_DATABASE, p->cpu_pct[ROLE_DATABASE], 1);
	if (p->in_window)
		table_str(row, P_WINDOW, t->utf8 ? "█" : "#");
	row->cells[P_WINDOW].style = STYLE_BAR;
}

void progress_draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	struct table t;

	table_init(&t, columns, P_COUNT, v->utf8);
	for (size_t i = 0; i < m->nprogress; i++)
		add_line(&t, progress_at(m, i));
	table_arrange(&t, &v->tables[TABLE_PROGRESS]);
	table_draw(&t, &v->tables[TABLE_PROGRESS], c, (struct area){a.x, a.y, a.width, a.height});
	table_release(&t);
}
