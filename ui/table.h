/*
 * A table as every screen draws it: columns with title, width and priority; rows in a tree of two
 * levels, the last of them pinned (a total). A screen fills a fresh table for each draw; what the
 * user did to it (cursor, sort, fold, filter) is a struct table_state that lives on.
 *
 * Columns are dropped by priority when it gets narrow (the highest number first, the first column
 * never); a column with no value in any row is not drawn, unless it is kept.
 */
#ifndef CPUTOP_UI_TABLE_H
#define CPUTOP_UI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/format.h"
#include "lib/vec.h"
#include "model/value.h"
#include "ui/canvas.h"
#include "ui/keys.h"

#define TABLE_COLUMNS_MAX 20
#define TABLE_TEXT_MAX    64
#define TABLE_NO_PARENT   (-1)
#define TABLE_NO_SORT     (-1)

enum {
	COLUMN_RIGHT = 1,  /* its text ends at the right */
	COLUMN_SHRINK = 2, /* may become as narrow as min; otherwise its content decides */
	COLUMN_GROW = 4,   /* takes free space, up to max */
	COLUMN_TEXT = 8,   /* filter and search look at it */
};

struct table_column {
	const char *title;
	int min, max; /* columns; max 0: none */
	int gap;      /* blanks before it */
	int priority;
	unsigned flags;
};

struct table_cell {
	char text[FORMAT_CELL_MAX + 8];
	const char *str; /* borrowed until the table is drawn, instead of text; NULL */
	double sort;
	bool known;          /* there is a value (not "-", not "?") */
	double bar;          /* a bar before the text when >= 0 */
	const double *spark; /* borrowed: a sparkline instead of the text */
	size_t nspark;
	enum style style;
};

struct table_row {
	struct table_cell cells[TABLE_COLUMNS_MAX];
	uint64_t id; /* tells rows apart between draws; of roots that can be folded: below 64 */
	int parent;  /* index of a row without parent, or TABLE_NO_PARENT */
	bool pinned; /* always last, not moved by sorting, not filtered */
	enum style style;
};

struct table_state {
	int sort; /* column, TABLE_NO_SORT: as given */
	bool reverse;
	bool active; /* a row is selected */
	bool follow; /* the cursor stays on its row, not at its place */
	bool tail;   /* without a cursor the end is shown, not the beginning */
	bool find_next;
	int cursor;  /* place of the selected row */
	uint64_t id; /* its id */
	int scroll;
	uint64_t folded; /* bit per id of a root */
	char filter[TABLE_TEXT_MAX], search[TABLE_TEXT_MAX];
	/* as drawn the last time */
	int count;         /* rows that can be selected */
	int page;          /* rows on screen */
	int top, x, width; /* where its first row was */
	uint64_t root_id;  /* root of the selected row */
	uint64_t roots;    /* bit per id of a root with children */
	bool found;        /* find_next has found something */
	char sorted_by[32];
	int ncolumns;
	int columns[TABLE_COLUMNS_MAX]; /* those that were drawn */
	int column_x[TABLE_COLUMNS_MAX], column_width[TABLE_COLUMNS_MAX];
};

struct table_row_list vec_of(struct table_row);

struct table {
	const struct table_column *columns; /* borrowed */
	size_t ncolumns;
	const char *titles[TABLE_COLUMNS_MAX]; /* instead of the column's own; borrowed */
	bool keep[TABLE_COLUMNS_MAX];
	int wish[TABLE_COLUMNS_MAX]; /* width when there is room, also while the text is short */
	struct table_row_list rows;
	bool utf8;
	/* made by table_arrange */
	int *order; /* owned: indexes of the rows to show, roots with their children */
	int norder;
	int npinned; /* the last npinned of order are pinned */
};

void table_state_init(struct table_state *s);
void table_init(struct table *t, const struct table_column *columns, size_t n, bool utf8);
void table_release(struct table *t);
/* A new row with empty cells; its address is good until the next one. */
struct table_row *table_add(struct table *t, uint64_t id, int parent);

/* Text; counts as a value unless it is empty or "-". str is borrowed. */
void table_str(struct table_row *row, int column, const char *str);
void table_textf(struct table_row *row, int column, double sort, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A figure divided by unit with two decimals, with the marks of its state. */
void table_figure(const struct table *t, struct table_row *row, int column, struct figure f,
		  double unit);
void table_count(struct table_row *row, int column, uint64_t n);

/* Sorts, filters and folds; fills order and the state's counts. */
void table_arrange(struct table *t, struct table_state *s);
/* Lines that it needs with its title. After table_arrange. */
int table_lines(const struct table *t);
/* Draws into the rectangle. After table_arrange. When not all rows fit and no row is selected, the
 * last children are left out and counted ("4 more"). */
void table_draw(struct table *t, struct table_state *s, struct canvas *c, struct area a);

/* The user's part. True when the state changed. */
bool table_act(struct table_state *s, enum action action);
/* Selects the row that was drawn at line y; false when there is none. */
bool table_click(struct table_state *s, int y);

#endif
