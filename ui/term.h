/*
 * The terminal on the loop: modes, keys, mouse, size, stopping and going on. The only user of
 * curses with ui/render.c. One at a time.
 */
#ifndef CPUTOP_TERM_H
#define CPUTOP_TERM_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct term;
typedef struct uv_loop_s uv_loop_t;

enum term_mouse { MOUSE_CLICK, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

/* Any of them may call term_close. */
struct term_events {
	void (*key)(void *arg, int key); /* K_* of ui/keys.h, or a code point */
	void (*mouse)(void *arg, enum term_mouse what, int x, int y);
	void (*resized)(void *arg); /* draw everything */
	void (*stop)(void *arg);    /* SIGTSTP from outside: term_suspend is due */
	void (*hangup)(void *arg);  /* the terminal is gone */
	void (*closed)(void *arg);  /* after term_close: the last handle is closed */
	void *arg;
};

struct term_options {
	bool mouse, color;
};

/* Returns NULL with err when there is no terminal, or one of unknown type. */
struct term *term_open(uv_loop_t *loop, const struct term_options *options,
		       const struct term_events *events, struct err *err);
/* Restores the terminal at once; frees itself when its handles are closed (events.closed). */
void term_close(struct term *t);

bool term_utf8(const struct term *t);
bool term_color(const struct term *t);
void term_size(const struct term *t, int *width, int *height);
/* Gives the terminal back, stops (with the whole process group, as Ctrl-Z does, when group), and
 * takes it again when continued. */
void term_suspend(struct term *t, bool group);
/* The next draw repaints everything. */
void term_repaint(struct term *t);
/* Sends bytes as they are (never text from outside). */
void term_send(struct term *t, const char *bytes, size_t len);

#endif
