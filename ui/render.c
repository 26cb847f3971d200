/*
 * The renderer. Colour pairs are made once per scheme: pair 1 + style. Curses finds out what the
 * terminal needs; the rows that did not change are not even offered to it, because what drawing
 * costs is part of what cputop shows about itself.
 */
#include "config.h"

#include "ui/render.h"

#include <curses.h>
#include <string.h>

#include "ui/theme.h"

void render_init(struct render *r, bool utf8, bool color)
{
	memset(r, 0, sizeof(*r));
	canvas_init(&r->shown, 0, 0, utf8);
	r->colors = color ? COLORS : 0;
	render_scheme(r, 0);
}

void render_release(struct render *r)
{
	canvas_release(&r->shown);
}

void render_scheme(struct render *r, unsigned scheme)
{
	r->scheme = scheme;
	r->all = true;
	if (r->colors < 8)
		return;
	for (int s = 0; s < STYLE_COUNT; s++) {
		struct look look = theme_look(scheme, r->colors, (enum style)s);

		init_pair((short)(s + 1), look.fg, look.bg);
	}
}

static attr_t look_attrs(const struct look *look)
{
	attr_t a = A_NORMAL;

	if (look->attrs & LOOK_BOLD)
		a |= A_BOLD;
	if (look->attrs & LOOK_DIM)
		a |= A_DIM;
	if (look->attrs & LOOK_REVERSE)
		a |= A_REVERSE;
	if (look->attrs & LOOK_UNDERLINE)
		a |= A_UNDERLINE;
	return a;
}

static void draw_cell(const struct render *r, int x, int y, const struct cell *cell)
{
	struct look look = theme_look(r->scheme, r->colors, (enum style)cell->style);
	bool coloured = r->colors >= 8 && (look.fg >= 0 || look.bg >= 0);
	wchar_t text[4] = {(wchar_t)cell->cp[0], (wchar_t)cell->cp[1], (wchar_t)cell->cp[2], 0};
	cchar_t cc;

	if (setcchar(&cc, text, look_attrs(&look), coloured ? (short)(cell->style + 1) : 0, NULL) ==
	    OK)
		mvadd_wch(y, x, &cc);
}

static void draw_row(struct render *r, const struct canvas *c, int y)
{
	const struct cell *row = &c->cells[(size_t)y * (size_t)c->width];

	for (int x = 0; x < c->width; x++) {
		if (row[x].cp[0])
			draw_cell(r, x, y, &row[x]);
	}
}

void render_draw(struct render *r, const struct canvas *c)
{
	size_t row = (size_t)c->width * sizeof(*c->cells);

	if (r->shown.width != c->width || r->shown.height != c->height) {
		canvas_resize(&r->shown, c->width, c->height);
		r->all = true;
	}
	if (r->all)
		erase();
	for (int y = 0; y < c->height; y++) {
		struct cell *old = &r->shown.cells[(size_t)y * (size_t)c->width];
		const struct cell *now = &c->cells[(size_t)y * (size_t)c->width];

		if (!r->all && memcmp(old, now, row) == 0)
			continue;
		memcpy(old, now, row);
		draw_row(r, c, y);
	}
	r->all = false;
	refresh();
}
