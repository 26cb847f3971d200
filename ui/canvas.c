/*
 * The canvas. A wide character takes two cells: the left one holds it, the right one has cp[0] 0;
 * writing over one half blanks the other, so a row never holds half a character. No cell ever holds
 * a control, an invisible or a direction character: put_cell is the only way in, and it checks.
 */
#include "config.h"

#include "ui/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

const struct glyphs *glyphs_get(bool utf8)
{
	static const struct glyphs nice = {
		.dot = "·",
		.times = "×",
		.spread = "±",
		.at_least = "≥",
		.about = "~",
		.branch = "├ ",
		.last_branch = "└ ",
		.ellipsis = "…",
		.dash = "–",
	};
	static const struct glyphs ascii = {
		.dot = "-",
		.times = "x",
		.spread = "+-",
		.at_least = ">=",
		.about = "~",
		.branch = "|-",
		.last_branch = "`-",
		.ellipsis = "~",
		.dash = "-",
	};

	return utf8 ? &nice : &ascii;
}

void canvas_init(struct canvas *c, int width, int height, bool utf8)
{
	memset(c, 0, sizeof(*c));
	c->utf8 = utf8;
	canvas_resize(c, width, height);
}

void canvas_release(struct canvas *c)
{
	free(c->cells);
	c->cells = NULL;
	c->width = c->height = 0;
}

void canvas_resize(struct canvas *c, int width, int height)
{
	c->width = width > 0 ? width : 0;
	c->height = height > 0 ? height : 0;
	/* One cell more than needed, so that 0 x 0 is not a special case of the allocator. */
	c->cells = xreallocarray(c->cells, (size_t)c->width * (size_t)c->height + 1,
				 sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	size_t n = (size_t)c->width * (size_t)c->height;

	memset(c->cells, 0, (n + 1) * sizeof(*c->cells));
	for (size_t i = 0; i < n; i++)
		c->cells[i].cp[0] = ' ';
}

static bool inside(const struct canvas *c, int x, int y)
{
	return x >= 0 && y >= 0 && x < c->width && y < c->height;
}

static struct cell *cell_at(const struct canvas *c, int x, int y)
{
	return &c->cells[(size_t)y * (size_t)c->width + (size_t)x];
}

static void blank(struct cell *cell)
{
	cell->cp[0] = ' ';
	cell->cp[1] = cell->cp[2] = 0;
}

/* Before a cell is overwritten: the other half of a wide character goes. */
static void break_wide(struct canvas *c, int x, int y)
{
	struct cell *cell = cell_at(c, x, y);

	if (cell->cp[0] == 0 && x > 0)
		blank(cell_at(c, x - 1, y));
	if (x + 1 < c->width && cell_at(c, x + 1, y)->cp[0] == 0)
		blank(cell_at(c, x + 1, y));
}

/* A second look, after escape_text: what must never be in a cell, whatever the caller did. */
static bool forbidden(int32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0xad || cp == 0x61c ||
	       (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || (cp >= 0xfe00 && cp <= 0xfe0f) || cp == 0xfeff ||
	       (cp >= 0xd800 && cp <= 0xdfff) || cp > 0x10ffff;
}

static int char_width(const struct canvas *c, int32_t *cp)
{
	int w;

	if (forbidden(*cp) || (!c->utf8 && *cp > 0x7e)) {
		*cp = '?';
		return 1;
	}
	if (*cp < 0x7f)
		return 1;
	w = wcwidth((wchar_t)*cp);
	if (w >= 0)
		return w;
	*cp = '?';
	return 1;
}

static void put_cell(struct canvas *c, int x, int y, int width, enum style style, int32_t cp)
{
	struct cell *cell;

	if (!inside(c, x, y))
		return;
	if (width == 2 && !inside(c, x + 1, y)) {
		width = 1;
		cp = ' ';
	}
	break_wide(c, x, y);
	if (width == 2)
		break_wide(c, x + 1, y);
	cell = cell_at(c, x, y);
	cell->cp[0] = cp;
	cell->cp[1] = cell->cp[2] = 0;
	cell->style = (uint8_t)style;
	if (width == 2) {
		memset(&cell[1], 0, sizeof(cell[1]));
		cell[1].style = (uint8_t)style;
	}
}

/* Adds a combining character to the one at x, y; more than two are left out. */
static void put_combining(struct canvas *c, int x, int y, int32_t cp)
{
	struct cell *cell;

	if (!inside(c, x, y))
		return;
	cell = cell_at(c, x, y);
	if (cell->cp[0] == 0 || cell->cp[2])
		return;
	cell->cp[cell->cp[1] ? 2 : 1] = cp;
}

/* Draws text that escape_text has been through (or that is plain ASCII). */
static int draw_clean(struct canvas *c, int x, int y, int max, enum style style, const char *s)
{
	int used = 0, last = -1, len;
	int32_t cp;

	while ((len = utf8_next(s, &cp)) > 0) {
		int w;

		s += len;
		w = char_width(c, &cp);
		if (w == 0 && last >= 0) {
			put_combining(c, x + last, y, cp);
			continue;
		}
		/* A combining character without a base would sit on a foreign cell. */
		if (w == 0) {
			cp = '?';
			w = 1;
		}
		if (used + w > max)
			break;
		put_cell(c, x + used, y, w, style, cp);
		last = used;
		used += w;
	}
	return used;
}

static bool plain(const char *s)
{
	for (; *s; s++) {
		if (*s < 0x20 || *s > 0x7e)
			return false;
	}
	return true;
}

int canvas_text(struct canvas *c, int x, int y, int max, enum style style, const char *text)
{
	struct strbuf sb;
	int used;

	if (max < 0 || (x >= 0 && max > c->width - x))
		max = c->width - x;
	if (y < 0 || y >= c->height || max <= 0)
		return 0;
	if (plain(text))
		return draw_clean(c, x, y, max, style, text);
	strbuf_init(&sb);
	escape_text(&sb, text, strlen(text), c->utf8);
	used = draw_clean(c, x, y, max, style, sb.buf);
	strbuf_release(&sb);
	return used;
}

int canvas_printf(struct canvas *c, int x, int y, enum style style, const char *fmt, ...)
{
	struct strbuf sb;
	va_list ap;
	int used;

	strbuf_init(&sb);
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	used = canvas_text(c, x, y, -1, style, sb.buf);
	strbuf_release(&sb);
	return used;
}

int canvas_measure(const struct canvas *c, const char *text)
{
	struct strbuf sb;
	int width = 0, len;
	int32_t cp;
	bool first = true;

	if (plain(text))
		return (int)strlen(text);
	strbuf_init(&sb);
	escape_text(&sb, text, strlen(text), c->utf8);
	for (const char *s = sb.buf; (len = utf8_next(s, &cp)) > 0; s += len) {
		int w = char_width(c, &cp);

		width += w == 0 && first ? 1 : w;
		first = false;
	}
	strbuf_release(&sb);
	return width;
}

int canvas_fit(struct canvas *c, int x, int y, int max, enum style style, const char *text)
{
	const struct glyphs *g = glyphs_get(c->utf8);
	int used;

	if (max < 0 || (x >= 0 && max > c->width - x))
		max = c->width - x;
	if (max <= 1 || canvas_measure(c, text) <= max)
		return canvas_text(c, x, y, max, style, text);
	used = canvas_text(c, x, y, max - 1, style, text);
	return used + canvas_text(c, x + used, y, 1, style, g->ellipsis);
}

void canvas_right(struct canvas *c, int x, int y, int width, enum style style, const char *text)
{
	int w = canvas_measure(c, text);

	if (w > width)
		canvas_fit(c, x, y, width, style, text);
	else
		canvas_text(c, x + width - w, y, w, style, text);
}

void canvas_bar(struct canvas *c, int x, int y, int width, double fraction)
{
	long eighths, full;

	if (width <= 0)
		return;
	if (!(fraction > 0))
		fraction = 0;
	if (fraction > 1)
		fraction = 1;
	eighths = (long)(fraction * 8 * width + 0.5);
	full = c->utf8 ? eighths / 8 : (eighths + 4) / 8;
	for (int i = 0; i < width; i++) {
		if (i < full)
			put_cell(c, x + i, y, 1, STYLE_BAR, c->utf8 ? 0x2588 : '#');
		else if (c->utf8 && i == full && eighths % 8)
			put_cell(c, x + i, y, 1, STYLE_BAR, 0x2590 - (int32_t)(eighths % 8));
		else
			put_cell(c, x + i, y, 1, STYLE_DIM, c->utf8 ? 0x2591 : '.');
	}
}

void canvas_spark(struct canvas *c, int x, int y, int width, const double *values, size_t n)
{
	static const char ascii[] = "_.:-=+*#";
	double max = 0;

	if (width <= 0)
		return;
	if (n > (size_t)width) {
		values += n - (size_t)width;
		n = (size_t)width;
	}
	for (size_t i = 0; i < n; i++)
		max = values[i] > max ? values[i] : max;
	for (size_t i = 0; i < n; i++) {
		int level = max > 0 ? (int)(values[i] / max * 7.999) : 0;

		if (values[i] < 0)
			continue;
		put_cell(c, x + width - (int)n + (int)i, y, 1, STYLE_BAR,
			 c->utf8 ? 0x2581 + level : ascii[level]);
	}
}

void canvas_style(struct canvas *c, int x, int y, int width, enum style style)
{
	for (int i = 0; i < width; i++) {
		if (inside(c, x + i, y))
			cell_at(c, x + i, y)->style = (uint8_t)style;
	}
}

static void add_utf8(struct strbuf *out, int32_t cp)
{
	if (cp < 0x80) {
		strbuf_addch(out, (char)cp);
		return;
	}
	if (cp >= 0x10000) {
		strbuf_addch(out, (char)(0xf0 | (cp >> 18)));
		strbuf_addch(out, (char)(0x80 | ((cp >> 12) & 0x3f)));
	} else if (cp >= 0x800) {
		strbuf_addch(out, (char)(0xe0 | (cp >> 12)));
	}
	if (cp >= 0x800)
		strbuf_addch(out, (char)(0x80 | ((cp >> 6) & 0x3f)));
	else
		strbuf_addch(out, (char)(0xc0 | (cp >> 6)));
	strbuf_addch(out, (char)(0x80 | (cp & 0x3f)));
}

void canvas_dump(const struct canvas *c, struct strbuf *out)
{
	for (int y = 0; y < c->height; y++) {
		int end = c->width;

		while (end > 0 && cell_at(c, end - 1, y)->cp[0] == ' ' &&
		       cell_at(c, end - 1, y)->cp[1] == 0)
			end--;
		for (int x = 0; x < end; x++) {
			for (int i = 0; i < 3 && cell_at(c, x, y)->cp[i]; i++)
				add_utf8(out, cell_at(c, x, y)->cp[i]);
		}
		strbuf_addch(out, '\n');
	}
}
