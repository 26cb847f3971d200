/*
 * The two tables that keep app and ui apart. session_ops are the commands that a screen may give:
 * requests, answered in the model by the state machine. frontend is what the session tells a
 * screen; main wires the two.
 */
#ifndef CPUTOP_SESSION_OPS_H
#define CPUTOP_SESSION_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/dialect.h"

struct err;
struct model;
struct session;
typedef struct uv_loop_s uv_loop_t;

struct session_ops {
	void (*window)(struct session *); /* start one, or cancel the open one */
	void (*next_dialect)(struct session *, int step);
	void (*next_variant)(struct session *, int step);
	void (*run_all)(struct session *); /* the whole plan; again: stop it */
	void (*rate)(struct session *,
		     double factor_or_step); /* +1 or -1: next or previous step of a 1-2-5 ladder */
	void (*delay)(struct session *, double seconds);
	void (*restart)(struct session *); /* after a failure */
	/* Writes the snapshot of now; name gets the path. Returns 0 or a negative errno with err.
	 */
	int (*dump)(struct session *, char *name, size_t size, struct err *err);
	int (*write_rc)(struct session *, char *name, size_t size, struct err *err);
	void (*suspended)(struct session *,
			  bool begin); /* Ctrl-Z: the open window becomes invalid */
	void (*quit)(struct session *);
};

struct frontend_options {
	bool mouse;
	bool no_color; /* NO_COLOR or TERM without colours are seen by the ui itself */
};

/* One screen at a time; state is the ui's. */
struct frontend {
	/* Opens the terminal on the loop. Returns the state, NULL with err. model, ops and session
	 * outlive it. */
	void *(*open)(uv_loop_t *loop, const struct model *model, const struct session_ops *ops,
		      struct session *session, const struct frontend_options *options,
		      struct err *err);
	void (*changed)(
		void *state); /* the model has changed; draws once in this turn of the loop */
	/* Restores the terminal and closes its handles; the loop must run once more. Frees the
	 * state. */
	void (*close)(void *state);
};

#endif
