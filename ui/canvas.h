/*
 * A rectangle of cells that screens draw into; ui/render.c copies it to the terminal, tests dump it
 * as text. Drawing is clipped to the canvas, aware of the width of characters, and escapes what is
 * not printable: nothing from outside can reach the terminal but through canvas_text.
 */
#ifndef CPUTOP_CANVAS_H
#define CPUTOP_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* Roles of text, not colours: the theme says how each looks. */
enum style {
	STYLE_NORMAL,
	STYLE_TITLE,  /* the program's name, column titles */
	STYLE_DIM,    /* what matters less: parts, units */
	STYLE_STRONG, /* totals */
	STYLE_BAR,    /* filled part of a bar */
	STYLE_GOOD,   /* cheaper than the base */
	STYLE_BAD,    /* dearer, failed */
	STYLE_WARNING,
	STYLE_KEY,      /* a key in the footer */
	STYLE_KEY_TEXT, /* what it does */
	STYLE_SELECTED,
	STYLE_COUNT
};

struct cell {
	int32_t cp[3]; /* a base character and up to two combining ones, 0 when unused; cp[0] 0:
			  right half of a wide one */
	uint8_t style;
};

struct canvas {
	int width, height;
	struct cell *cells; /* owned, row by row */
	bool utf8; /* false: everything above 0x7e is written as \xNN, bars and lines in ASCII */
};

void canvas_init(struct canvas *c, int width, int height, bool utf8);
void canvas_release(struct canvas *c);
/* Resizes to at least 0 x 0 and clears. */
void canvas_resize(struct canvas *c, int width, int height);
void canvas_clear(struct canvas *c);
/* Writes text at x, y in at most max columns (max < 0: to the right edge). Returns the columns
 * used. */
int canvas_text(struct canvas *c, int x, int y, int max, enum style style, const char *text);
/* The same, formatted. */
int canvas_printf(struct canvas *c, int x, int y, int max, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* Text that ends at column x + width. */
void canvas_right(struct canvas *c, int x, int y, int width, enum style style, const char *text);
/* A bar of width columns, fraction (0..1) of it filled, in eighths where UTF-8 allows. */
void canvas_bar(struct canvas *c, int x, int y, int width, double fraction);
/* Gives width columns from x, y another style. */
void canvas_style(struct canvas *c, int x, int y, int width, enum style style);
/* The text of all rows, trailing blanks taken off, a newline after each. */
void canvas_dump(const struct canvas *c, struct strbuf *out);

#endif
