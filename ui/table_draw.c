/* Drawing a table: which columns fit and how wide they are, which rows, and the cells. */
#include "config.h"

#include "ui/table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/format.h"

#define BAR_TEXT 5 /* columns of a bar's text: " 100%" */

struct layout {
	const struct table *t;
	struct table_state *s;
	struct canvas *c;
	int x, width;
	int n;
	int columns[TABLE_COLUMNS_MAX];
	int widths[TABLE_COLUMNS_MAX];
	int wanted[TABLE_COLUMNS_MAX];
	int hidden; /* children left out */
};

static const char *column_title(const struct table *t, int i)
{
	return t->titles[i] ? t->titles[i] : t->columns[i].title;
}

static const char *cell_text(const struct table_cell *cell)
{
	return cell->str ? cell->str : cell->text;
}

static bool has_value(const struct table *t, int column)
{
	if (t->keep[column] || column == 0)
		return true;
	for (size_t i = 0; i < t->rows.len; i++) {
		if (t->rows.items[i].cells[column].known)
			return true;
	}
	return false;
}

static int cell_width(const struct layout *l, const struct table_row *row, int column)
{
	const struct table_cell *cell = &row->cells[column];
	int w;

	if (cell->spark)
		return 0;
	w = canvas_measure(l->c, cell_text(cell));
	if (column == 0 && row->parent >= 0)
		w += 2;
	return w;
}

/* Of the column with its title and all its cells. */
static int wanted_width(const struct layout *l, int column)
{
	const struct table_column *col = &l->t->columns[column];
	int w = canvas_measure(l->c, column_title(l->t, column));

	for (size_t i = 0; i < l->t->rows.len; i++) {
		int cw = cell_width(l, &l->t->rows.items[i], column);

		w = cw > w ? cw : w;
	}
	if (w < col->min)
		w = col->min;
	if (w < l->t->wish[column])
		w = l->t->wish[column];
	if (col->max && w > col->max)
		w = col->max;
	return w;
}

static int total_width(const struct layout *l)
{
	int w = 0;

	for (int i = 0; i < l->n; i++)
		w += l->widths[i] + (i ? l->t->columns[l->columns[i]].gap : 0);
	return w;
}

static void drop_column(struct layout *l)
{
	int worst = 1;

	for (int i = 1; i < l->n; i++) {
		if (l->t->columns[l->columns[i]].priority >=
		    l->t->columns[l->columns[worst]].priority)
			worst = i;
	}
	l->n--;
	for (int i = worst; i < l->n; i++) {
		l->columns[i] = l->columns[i + 1];
		l->widths[i] = l->widths[i + 1];
		l->wanted[i] = l->wanted[i + 1];
	}
}

/* Gives slack first to the columns that shrank, then to those that like to grow. */
static void spend_slack(struct layout *l, int slack)
{
	for (int i = 0; i < l->n && slack > 0; i++) {
		int more = l->wanted[i] - l->widths[i];

		more = more < slack ? more : slack;
		l->widths[i] += more;
		slack -= more;
	}
	for (int i = 0; i < l->n && slack > 0; i++) {
		const struct table_column *col = &l->t->columns[l->columns[i]];
		int more = col->max ? col->max - l->widths[i] : slack;

		if (!(col->flags & COLUMN_GROW) || more <= 0)
			continue;
		more = more < slack ? more : slack;
		l->widths[i] += more;
		slack -= more;
	}
}

static void choose_columns(struct layout *l)
{
	int comfort;

	l->n = 0;
	for (int i = 0; i < (int)l->t->ncolumns; i++) {
		const struct table_column *col = &l->t->columns[i];

		if (!has_value(l->t, i))
			continue;
		l->columns[l->n] = i;
		l->wanted[l->n] = wanted_width(l, i);
		l->widths[l->n] = l->wanted[l->n];
		if ((col->flags & COLUMN_SHRINK) && l->widths[l->n] > col->min)
			l->widths[l->n] = col->min;
		l->n++;
	}
	/* Names are cut only when there is little else left to give up. */
	comfort = l->wanted[0] < l->width / 2 ? l->wanted[0] - l->widths[0] : 0;
	while (l->n > 2 && total_width(l) + comfort > l->width)
		drop_column(l);
	while (l->n > 1 && total_width(l) > l->width)
		drop_column(l);
	spend_slack(l, l->width - total_width(l));
	if (l->n == 1 && l->widths[0] > l->width)
		l->widths[0] = l->width;
}

static void draw_titles(struct layout *l, int y)
{
	int x = l->x;

	l->s->ncolumns = l->n;
	for (int i = 0; i < l->n; i++) {
		int column = l->columns[i];
		const struct table_column *col = &l->t->columns[column];
		const char *title = column_title(l->t, column);
		bool sorted = column == l->s->sort;
		enum style style = sorted ? STYLE_SELECTED : STYLE_TITLE;

		x += i ? col->gap : 0;
		if (col->flags & COLUMN_RIGHT)
			canvas_right(l->c, x, y, l->widths[i], style, title);
		else
			canvas_fit(l->c, x, y, l->widths[i], style, title);
		l->s->columns[i] = column;
		l->s->column_x[i] = x;
		l->s->column_width[i] = l->widths[i];
		x += l->widths[i];
	}
}

static void draw_cell(struct layout *l, const struct table_row *row, int column, int x, int y,
		      int width)
{
	const struct table_cell *cell = &row->cells[column];
	const struct table_column *col = &l->t->columns[column];
	enum style style = cell->style ? cell->style : row->style;
	const char *text = cell_text(cell);

	if ((col->flags & COLUMN_TEXT) && l->s->search[0] && strcasestr(text, l->s->search))
		style = STYLE_WARNING;
	if (cell->spark) {
		canvas_spark(l->c, x, y, width, cell->spark, cell->nspark);
		return;
	}
	if (cell->bar >= 0)
		canvas_bar(l->c, x, y, width - BAR_TEXT, cell->bar);
	if (col->flags & COLUMN_RIGHT)
		canvas_right(l->c, x, y, width, style, text);
	else
		canvas_fit(l->c, x, y, width, style, text);
}

static bool last_child(const struct layout *l, int place)
{
	const struct table *t = l->t;
	int parent = t->rows.items[t->order[place]].parent;

	return place + 1 >= t->norder || t->rows.items[t->order[place + 1]].parent != parent;
}

static void draw_row(struct layout *l, int place, int y)
{
	const struct table_row *row = &l->t->rows.items[l->t->order[place]];
	const struct glyphs *g = glyphs_get(l->c->utf8);

	for (int i = 0; i < l->n; i++) {
		int x = l->s->column_x[i], width = l->widths[i];

		if (i == 0 && row->parent >= 0) {
			bool last = last_child(l, place) && !l->hidden;
			int used = canvas_text(l->c, x, y, width, STYLE_DIM,
					       last ? g->last_branch : g->branch);

			x += used;
			width -= used;
		}
		draw_cell(l, row, l->columns[i], x, y, width);
	}
	if (l->s->active && place == l->s->cursor)
		canvas_style(l->c, l->x, y, l->width, STYLE_SELECTED);
}

/* How many children of the last branch to leave out so that the rest fits with a line that counts
 * them; 0 when that does not help. *at gets the place of the first one. */
static int children_to_hide(const struct layout *l, int room, int *at)
{
	const struct table *t = l->t;
	int last = t->norder - t->npinned - 1, first, hide = t->norder - room + 1;

	while (last >= 0 && t->rows.items[t->order[last]].parent < 0)
		last--;
	for (first = last; first > 0 && t->rows.items[t->order[first - 1]].parent >= 0; first--)
		;
	if (last < 0 || room <= 0 || hide < 2)
		return 0;
	if (hide > last - first + 1) {
		/* Without the line that counts, if that is just enough. */
		if (hide - 1 > last - first + 1)
			return 0;
		hide = last - first + 1;
		*at = first;
		return hide;
	}
	*at = last - hide + 1;
	return hide;
}

static void draw_more(const struct layout *l, int y, int n)
{
	const struct glyphs *g = glyphs_get(l->c->utf8);

	canvas_printf(l->c, l->x, y, STYLE_DIM, "%s%d more", g->last_branch, n);
}

static void draw_squeezed(struct layout *l, int y, int room, int hide, int at)
{
	bool count = l->t->norder - hide < room;

	l->hidden = count ? hide : 0;
	for (int place = 0; place < l->t->norder; place++) {
		if (place >= at && place < at + hide) {
			if (place == at && count)
				draw_more(l, y++, hide);
			continue;
		}
		draw_row(l, place, y++);
	}
	l->s->scroll = 0;
	l->s->page = room;
}

/* Where the first row must be so that the cursor (or the end) is seen. */
static int scroll_for(const struct layout *l, int rows, int page)
{
	struct table_state *s = l->s;
	int scroll = s->scroll;

	if (!s->active)
		scroll = s->tail ? rows - page : 0;
	else if (s->cursor < rows && s->cursor < scroll)
		scroll = s->cursor;
	else if (s->cursor < rows && s->cursor >= scroll + page)
		scroll = s->cursor - page + 1;
	if (scroll > rows - page)
		scroll = rows - page;
	return scroll < 0 ? 0 : scroll;
}

static void draw_scrolled(struct layout *l, int y, int room)
{
	const struct table *t = l->t;
	int pinned = t->npinned < room ? t->npinned : 0;
	int rows = t->norder - t->npinned, page = room - pinned;

	if (!pinned)
		rows = t->norder;
	l->s->scroll = scroll_for(l, rows, page);
	l->s->page = page;
	for (int i = 0; i < page && l->s->scroll + i < rows; i++)
		draw_row(l, l->s->scroll + i, y++);
	for (int i = 0; i < pinned; i++)
		draw_row(l, t->norder - pinned + i, y++);
}

void table_draw(struct table *t, struct table_state *s, struct canvas *c, struct area a)
{
	struct layout l = {.t = t, .s = s, .c = c, .x = a.x, .width = a.width};
	int room = a.height - 1, hide = 0, at = 0, y = a.y;

	s->top = -1;
	s->page = 0;
	if (a.width <= 0 || a.height <= 0)
		return;
	choose_columns(&l);
	draw_titles(&l, y);
	if (s->sort >= 0 && s->sort < (int)t->ncolumns)
		snprintf(s->sorted_by, sizeof(s->sorted_by), "%s", column_title(t, s->sort));
	if (room <= 0)
		return;
	s->top = y + 1;
	s->x = a.x;
	s->width = a.width;
	if (!s->active && t->norder > room)
		hide = children_to_hide(&l, room, &at);
	if (hide)
		draw_squeezed(&l, y + 1, room, hide, at);
	else
		draw_scrolled(&l, y + 1, room);
}
