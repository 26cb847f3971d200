/* Screen 6: what the figures depend on: machine, counters, database, workload. */
#include "config.h"

#include <string.h>

#include "ui/view.h"

enum { E_NAME, E_VALUE, E_FROM, E_COUNT };

static const struct table_column columns[E_COUNT] = {
	[E_NAME] = {"ENVIRONMENT", 12, 44, 0, 0, COLUMN_TEXT | COLUMN_SHRINK},
	[E_VALUE] = {"", 12, 0, 2, 1, COLUMN_TEXT | COLUMN_SHRINK | COLUMN_GROW},
	[E_FROM] = {"from", 8, 0, 2, 2, COLUMN_TEXT},
};

/* The branch of a group; facts of a group may come apart. Index of its row, or -1. */
static int find_group(const struct table *t, const char *group)
{
	for (size_t i = 0; i < t->rows.len; i++) {
		if (t->rows.items[i].parent < 0 &&
		    strcmp(t->rows.items[i].cells[E_NAME].str, group) == 0)
			return (int)i;
	}
	return -1;
}

static int add_group(struct table *t, const char *group, int *ngroups)
{
	int row = find_group(t, group);
	struct table_row *root;

	if (row >= 0)
		return row;
	root = table_add(t, (uint64_t)(*ngroups)++, TABLE_NO_PARENT);
	table_str(root, E_NAME, group);
	root->style = STYLE_STRONG;
	return (int)t->rows.len - 1;
}

static void add_fact(struct table *t, const struct fact *f, int parent, uint64_t id)
{
	struct table_row *row = table_add(t, id, parent);

	table_str(row, E_NAME, f->name);
	table_str(row, E_VALUE, f->value);
	if (f->from_environment) {
		table_str(row, E_FROM, "variable");
		row->cells[E_FROM].style = STYLE_WARNING;
	}
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	int gap = a.height >= 14, ngroups = 0;
	struct table t;

	table_init(&t, columns, E_COUNT, v->utf8);
	t.keep[E_VALUE] = true;
	for (size_t i = 0; i < m->nfacts && i < MODEL_FACTS_MAX; i++)
		add_fact(&t, &m->facts[i], add_group(&t, m->facts[i].group, &ngroups), 100 + i);
	table_arrange(&t, &v->tables[TABLE_FACTS]);
	table_draw(&t, &v->tables[TABLE_FACTS], c,
		   (struct area){a.x, a.y + gap, a.width, a.height - gap});
	if (!m->nfacts && a.height > 2)
		canvas_text(c, a.x, a.y + gap + 1, -1, STYLE_DIM, "not known yet");
	table_release(&t);
}

const struct screen_ops screen_environment = {
	.name = "environment",
	.where = IN_ENVIRONMENT,
	.tables = {TABLE_FACTS, TABLE_FACTS},
	.draw = draw,
};
