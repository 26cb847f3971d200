/* Copies a canvas to the curses screen: only the rows that changed since the last time. */
#ifndef CPUTOP_RENDER_H
#define CPUTOP_RENDER_H

#include <stdbool.h>

#include "ui/canvas.h"

struct render {
	struct canvas shown; /* what the terminal shows */
	unsigned scheme;
	int colors;
	bool all; /* draw everything the next time */
};

/* After the terminal is open. */
void render_init(struct render *r, bool utf8, bool color);
void render_release(struct render *r);
void render_scheme(struct render *r, unsigned scheme);
void render_draw(struct render *r, const struct canvas *c);

#endif
