/*
 * A rectangle of cells that screens draw into; ui/render.c copies it to the terminal, tests dump it
 * as text. Drawing is clipped to the canvas, aware of the width of characters, and escapes what is
 * not printable: nothing from outside can reach the terminal but through canvas_text.
 */
#ifndef CPUTOP_CANVAS_H
#define CPUTOP_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
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

struct area {
	int x, y, width, height;
};

struct canvas {
	int width, height;
	struct cell *cells; /* owned, row by row */
	bool utf8; /* false: everything above 0x7e is written as \xNN, bars and lines in ASCII */
};

/* The signs that the screens use themselves, in UTF-8 or ASCII. */
struct glyphs {
	const char *dot;    /* between facts */
	const char *times;  /* "x13" */
	const char *spread; /* plus or minus */
	const char *at_least;
	const char *about;
	const char *branch, *last_branch; /* of the tree, with the blank after it */
	const char *ellipsis;
	const char *dash;
};
const struct glyphs *glyphs_get(bool utf8);

void canvas_init(struct canvas *c, int width, int height, bool utf8);
void canvas_release(struct canvas *c);
/* Resizes to at least 0 x 0 and clears. */
void canvas_resize(struct canvas *c, int width, int height);
void canvas_clear(struct canvas *c);
/* Writes text at x, y in at most max columns (max < 0: to the right edge). Returns the columns
 * used. */
int canvas_text(struct canvas *c, int x, int y, int max, enum style style, const char *text);
/* The same to the right edge, formatted. */
int canvas_printf(struct canvas *c, int x, int y, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* The same; text that does not fit ends with an ellipsis. */
int canvas_fit(struct canvas *c, int x, int y, int max, enum style style, const char *text);
/* Text that ends at column x + width. */
void canvas_right(struct canvas *c, int x, int y, int width, enum style style, const char *text);
/* How many columns the text takes as this canvas writes it. */
int canvas_measure(const struct canvas *c, const char *text);
/* A bar of width columns, fraction (0..1) of it filled, in eighths where UTF-8 allows. */
void canvas_bar(struct canvas *c, int x, int y, int width, double fraction);
/* A sparkline of the last width values, right-aligned, from 0 to the largest; a value below 0 is a
 * gap. */
void canvas_spark(struct canvas *c, int x, int y, int width, const double *values, size_t n);
/* Gives width columns from x, y another style. */
void canvas_style(struct canvas *c, int x, int y, int width, enum style style);
/* The text of all rows, trailing blanks taken off, a newline after each. */
void canvas_dump(const struct canvas *c, struct strbuf *out);

#endif
