/* The help: every line of it comes from the key table. As many columns as fit; what does not fit is
 * scrolled to. */
#include "config.h"

#include <string.h>

#include "ui/view.h"

#define COLUMN_WIDTH 39
#define KEYS_WIDTH   10
#define LINES_MAX    128

struct help_line {
	const char *title;           /* of a group, or NULL */
	const struct key_binding *b; /* a key; NULL with title NULL: a blank line */
};

static int collect(struct help_line *lines)
{
	int n = 0;

	for (int g = 0; g < KEYS_GROUP_COUNT; g++) {
		if (n)
			lines[n++] = (struct help_line){NULL, NULL};
		lines[n++].title = keys_group_name((enum key_group)g);
		for (size_t i = 0; i < keys_count() && n < LINES_MAX - 2; i++) {
			if (keys_at(i)->group == (enum key_group)g)
				lines[n++].b = keys_at(i);
		}
	}
	return n;
}

static void draw_line(struct canvas *c, int x, int y, int width, const struct help_line *l)
{
	char keys[64];

	if (l->title) {
		canvas_text(c, x, y, width, STYLE_TITLE, l->title);
	} else if (l->b) {
		keys_names(l->b, keys, sizeof(keys));
		canvas_text(c, x, y, width < KEYS_WIDTH ? width : KEYS_WIDTH, STYLE_KEY, keys);
		if (width > KEYS_WIDTH)
			canvas_fit(c, x + KEYS_WIDTH, y, width - KEYS_WIDTH - 1, STYLE_NORMAL,
				   l->b->help);
	}
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	struct table_state *s = &v->tables[TABLE_HELP];
	struct help_line lines[LINES_MAX] = {{NULL, NULL}};
	int n = collect(lines), columns = a.width / COLUMN_WIDTH, rows, width;

	(void)m;
	if (columns < 1)
		columns = 1;
	width = a.width / columns;
	rows = (n + columns - 1) / columns;
	if (rows < a.height)
		rows = n < a.height ? n : a.height;
	/* The cursor keys scroll: there is nothing to select. */
	s->page = a.height;
	s->count = rows > a.height ? rows - a.height + 1 : 1;
	if (!s->active)
		s->cursor = 0;
	s->active = true;
	s->scroll = s->cursor < s->count ? s->cursor : 0;
	s->top = -1;
	for (int i = 0; i < n; i++) {
		int y = i % rows - s->scroll;

		if (y >= 0 && y < a.height)
			draw_line(c, a.x + i / rows * width, a.y + y, width, &lines[i]);
	}
}

const struct screen_ops overlay_help = {
	.name = "help",
	.where = IN_HELP,
	.tables = {TABLE_HELP, TABLE_HELP},
	.draw = draw,
};
