/* How the styles look: colours by role, with fallbacks down to a terminal that has none. Knows no
 * curses; ui/render.c translates. */
#ifndef CPUTOP_THEME_H
#define CPUTOP_THEME_H

#include "ui/canvas.h"

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };

struct look {
	int8_t fg, bg; /* 0..15; -1: the terminal's own */
	uint8_t attrs; /* LOOK_* */
};

/* Schemes: dark, light, mono. */
unsigned theme_count(void);
const char *theme_name(unsigned scheme);
unsigned theme_mono(void); /* the scheme without colours */
/* The look of a style with at most colors colours (below 8: as mono; 8: bright ones become bold).
 */
struct look theme_look(unsigned scheme, int colors, enum style style);

#endif
