/*
 * Tables: filling, sorting, filtering, folding, and what the keys do. Drawing is in table_draw.c.
 * A row's place is its index in t->order; the cursor counts places, so pinned rows can be selected
 * as well.
 */
#include "config.h"

#include "ui/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/xalloc.h"

void table_state_init(struct table_state *s)
{
	memset(s, 0, sizeof(*s));
	s->sort = TABLE_NO_SORT;
	s->top = -1;
}

void table_init(struct table *t, const struct table_column *columns, size_t n, bool utf8)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	t->ncolumns = n < TABLE_COLUMNS_MAX ? n : TABLE_COLUMNS_MAX;
	t->utf8 = utf8;
}

void table_release(struct table *t)
{
	vec_release(&t->rows);
	free(t->order);
	t->order = NULL;
	t->norder = 0;
}

struct table_row *table_add(struct table *t, uint64_t id, int parent)
{
	struct table_row *row = vec_push(&t->rows);

	row->id = id;
	row->parent = parent;
	for (size_t i = 0; i < TABLE_COLUMNS_MAX; i++)
		row->cells[i].bar = -1;
	return row;
}

static bool is_value(const char *s)
{
	return *s && strcmp(s, "-") != 0;
}

void table_str(struct table_row *row, int column, const char *str)
{
	row->cells[column].str = str;
	row->cells[column].known = is_value(str);
}

void table_textf(struct table_row *row, int column, double sort, const char *fmt, ...)
{
	struct table_cell *cell = &row->cells[column];
	va_list ap;

	va_start(ap, fmt);
	text_vformat(cell->text, sizeof(cell->text), fmt, ap);
	va_end(ap);
	cell->sort = sort;
	cell->known = is_value(cell->text);
}

void table_figure(const struct table *t, struct table_row *row, int column, struct figure f,
		  double unit)
{
	const struct glyphs *g = glyphs_get(t->utf8);
	char number[FORMAT_CELL_MAX];

	if (!figure_known(f)) {
		table_textf(row, column, 0, "%s", f.state == VALUE_UNREADABLE ? "?" : "-");
		row->cells[column].known = false;
		return;
	}
	format_fixed(number, f.v / unit, 2);
	table_textf(row, column, f.v, "%s%s%s", f.state == VALUE_AT_LEAST ? g->at_least : "",
		    number, f.state == VALUE_SCALED ? "*" : "");
}

void table_count(struct table_row *row, int column, uint64_t n)
{
	char number[FORMAT_CELL_MAX];

	format_fixed(number, (double)n, 0);
	table_textf(row, column, (double)n, "%s", number);
}

static const char *cell_text(const struct table_cell *cell)
{
	return cell->str ? cell->str : cell->text;
}

static bool row_matches(const struct table *t, const struct table_row *row, const char *needle)
{
	if (!needle[0])
		return true;
	for (size_t i = 0; i < t->ncolumns; i++) {
		if ((t->columns[i].flags & COLUMN_TEXT) &&
		    strcasestr(cell_text(&row->cells[i]), needle))
			return true;
	}
	return false;
}

static int compare_rows(const struct table *t, const struct table_state *s, int a, int b)
{
	const struct table_cell *x = &t->rows.items[a].cells[s->sort];
	const struct table_cell *y = &t->rows.items[b].cells[s->sort];
	int order;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (t->columns[s->sort].flags & COLUMN_TEXT)
		order = strcasecmp(cell_text(x), cell_text(y));
	else
		order = x->sort > y->sort ? -1 : x->sort < y->sort;
	return s->reverse ? -order : order;
}

/* Insertion sort: stable, and the tables are short. */
static void sort_rows(const struct table *t, const struct table_state *s, int *v, int n)
{
	if (s->sort < 0 || s->sort >= (int)t->ncolumns) {
		for (int i = 0; s->reverse && i < n / 2; i++) {
			int swap = v[i];

			v[i] = v[n - 1 - i];
			v[n - 1 - i] = swap;
		}
		return;
	}
	for (int i = 1; i < n; i++) {
		int row = v[i], j = i;

		for (; j > 0 && compare_rows(t, s, v[j - 1], row) > 0; j--)
			v[j] = v[j - 1];
		v[j] = row;
	}
}

/* Appends the children of root that pass the filter; returns how many. */
static int append_children(struct table *t, const struct table_state *s, int root)
{
	int first = t->norder;
	bool all = row_matches(t, &t->rows.items[root], s->filter);

	for (size_t i = 0; i < t->rows.len; i++) {
		if (t->rows.items[i].parent == root &&
		    (all || row_matches(t, &t->rows.items[i], s->filter)))
			t->order[t->norder++] = (int)i;
	}
	sort_rows(t, s, &t->order[first], t->norder - first);
	return t->norder - first;
}

static void append_root(struct table *t, struct table_state *s, int root)
{
	uint64_t id = t->rows.items[root].id;
	int place = t->norder++, children;

	t->order[place] = root;
	children = append_children(t, s, root);
	if (children && id < 64)
		s->roots |= 1ULL << id;
	if (children && id < 64 && (s->folded >> id & 1))
		t->norder = place + 1;
	if (!children && !row_matches(t, &t->rows.items[root], s->filter))
		t->norder = place;
}

static void find_row(const struct table *t, struct table_state *s)
{
	int from = s->active ? s->cursor + 1 : 0;

	s->find_next = s->found = false;
	for (int i = 0; i < t->norder && s->search[0]; i++) {
		int place = (from + i) % t->norder;

		if (!row_matches(t, &t->rows.items[t->order[place]], s->search))
			continue;
		s->found = s->active = true;
		s->cursor = place;
		s->id = t->rows.items[t->order[place]].id;
		return;
	}
}

static void place_cursor(const struct table *t, struct table_state *s)
{
	int row, parent;

	for (int i = 0; s->active && s->follow && i < t->norder; i++) {
		if (t->rows.items[t->order[i]].id == s->id)
			s->cursor = i;
	}
	if (s->cursor >= t->norder)
		s->cursor = t->norder - 1;
	if (s->cursor < 0)
		s->cursor = 0;
	if (!t->norder) {
		s->active = false;
		return;
	}
	row = t->order[s->cursor];
	parent = t->rows.items[row].parent;
	s->id = t->rows.items[row].id;
	s->root_id = parent >= 0 ? t->rows.items[parent].id : s->id;
}

void table_arrange(struct table *t, struct table_state *s)
{
	int *roots = xcalloc(t->rows.len + 1, sizeof(*roots));
	int nroots = 0;

	free(t->order);
	t->order = xcalloc(t->rows.len + 1, sizeof(*t->order));
	t->norder = t->npinned = 0;
	s->roots = 0;
	for (size_t i = 0; i < t->rows.len; i++) {
		if (t->rows.items[i].parent < 0 && !t->rows.items[i].pinned)
			roots[nroots++] = (int)i;
	}
	sort_rows(t, s, roots, nroots);
	for (int i = 0; i < nroots; i++)
		append_root(t, s, roots[i]);
	for (size_t i = 0; i < t->rows.len; i++) {
		if (t->rows.items[i].pinned) {
			t->order[t->norder++] = (int)i;
			t->npinned++;
		}
	}
	free(roots);
	s->count = t->norder;
	if (s->find_next)
		find_row(t, s);
	place_cursor(t, s);
}

int table_lines(const struct table *t)
{
	return 1 + t->norder;
}

static void move_to(struct table_state *s, int place)
{
	if (place >= s->count)
		place = s->count - 1;
	if (place < 0)
		place = 0;
	s->active = s->count > 0;
	s->cursor = place;
	/* The row's id follows with the next table_arrange. */
	s->id = UINT64_MAX;
}

static bool table_move(struct table_state *s, enum action action)
{
	int page = s->page > 1 ? s->page - 1 : 1;
	int at = s->active ? s->cursor : s->tail ? s->count : -1;

	switch ((int)action) {
	case ACTION_UP:
		move_to(s, at - 1);
		return true;
	case ACTION_DOWN:
		move_to(s, at + 1);
		return true;
	case ACTION_PAGE_UP:
		move_to(s, at - page);
		return true;
	case ACTION_PAGE_DOWN:
		move_to(s, at + page);
		return true;
	case ACTION_HOME:
		move_to(s, 0);
		return true;
	case ACTION_END:
		move_to(s, s->count - 1);
		return true;
	default:
		return false;
	}
}

/* The next column to sort by, among those on screen and "as given". */
static void move_sort(struct table_state *s, int step)
{
	int at = -1;

	for (int i = 0; i < s->ncolumns; i++) {
		if (s->columns[i] == s->sort)
			at = i;
	}
	at += step;
	if (at < -1)
		at = s->ncolumns - 1;
	s->sort = at < 0 || at >= s->ncolumns ? TABLE_NO_SORT : s->columns[at];
}

static void fold(struct table_state *s, bool folded)
{
	uint64_t bits = s->roots;

	if (s->active)
		bits = s->root_id < 64 ? 1ULL << s->root_id : 0;
	if (folded)
		s->folded |= bits;
	else
		s->folded &= ~bits;
}

bool table_act(struct table_state *s, enum action action)
{
	switch ((int)action) {
	case ACTION_SORT_PREV:
	case ACTION_SORT_NEXT:
		move_sort(s, action == ACTION_SORT_NEXT ? 1 : -1);
		return true;
	case ACTION_REVERSE:
		s->reverse = !s->reverse;
		return true;
	case ACTION_FOLD:
	case ACTION_UNFOLD:
		fold(s, action == ACTION_FOLD);
		return true;
	case ACTION_TREE:
		s->folded = s->folded & s->roots ? s->folded & ~s->roots : s->folded | s->roots;
		return true;
	case ACTION_FOLLOW:
		s->follow = !s->follow;
		return true;
	case ACTION_SEARCH_NEXT:
		s->find_next = s->search[0] != 0;
		return s->find_next;
	default:
		return table_move(s, action);
	}
}

bool table_click(struct table_state *s, int y)
{
	int place = s->scroll + y - s->top;

	if (s->top < 0 || y < s->top || y >= s->top + s->page || place >= s->count)
		return false;
	move_to(s, place);
	return true;
}
