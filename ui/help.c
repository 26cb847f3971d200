/* The help: every line of it comes from the key table. As many columns as fit; what does not fit is
 * scrolled to. */
#include "config.h"

#include <string.h>

#include "ui/view.h"

#define COLUMN_WIDTH 40
#define KEYS_WIDTH   13
#define LINES_MAX    96

/* A group's title, or keys and what they do. */
struct help_line {
	bool title;
	char keys[48];
	const char *text;
};

static void add_keys(struct help_line *line, const struct key_binding *b)
{
	size_t len = strlen(line->keys);

	if (len && len + 1 < sizeof(line->keys)) {
		line->keys[len++] = ' ';
		line->keys[len] = 0;
	}
	keys_names(b, line->keys + len, sizeof(line->keys) - len);
	line->text = b->help;
}

static int collect(struct help_line *lines)
{
	int n = 0;

	for (int g = 0; g < KEYS_GROUP_COUNT; g++) {
		lines[n].title = true;
		lines[n++].text = keys_group_name((enum key_group)g);
		for (size_t i = 0; i < keys_count() && n < LINES_MAX; i++) {
			const struct key_binding *b = keys_at(i);

			if (b->group != (enum key_group)g)
				continue;
			if (strcmp(lines[n - 1].text, b->help) == 0)
				add_keys(&lines[n - 1], b);
			else
				add_keys(&lines[n++], b);
		}
	}
	return n;
}

static void draw_line(struct canvas *c, int x, int y, int width, const struct help_line *l)
{
	if (l->title) {
		canvas_text(c, x, y, width, STYLE_TITLE, l->text);
		return;
	}
	canvas_text(c, x, y, width < KEYS_WIDTH ? width : KEYS_WIDTH, STYLE_KEY, l->keys);
	if (width > KEYS_WIDTH + 1)
		canvas_fit(c, x + KEYS_WIDTH, y, width - KEYS_WIDTH - 1, STYLE_NORMAL, l->text);
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	struct table_state *s = &v->tables[TABLE_HELP];
	struct help_line lines[LINES_MAX] = {{0}};
	int n = collect(lines), columns = a.width / COLUMN_WIDTH, rows, width;

	(void)m;
	if (columns < 1)
		columns = 1;
	width = a.width / columns;
	rows = (n + columns - 1) / columns;
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
