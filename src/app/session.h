/*
 * A session: one start of cputop until it ends. It owns the temporary directory, the server that is
 * up, the run that is under way, the windows that were measured and the model. Batch and live are
 * the same session; live has a screen, and its runs go on after their window.
 */
#ifndef CPUTOP_SESSION_H
#define CPUTOP_SESSION_H

#include <stdbool.h>
#include <uv.h>

#include "app/options.h"
#include "model/session_ops.h"

struct err;

struct session_end {
	int status; /* exit status */
	int signal; /* the signal that ended it, to be raised again; 0 otherwise */
};

/* Checks everything that can be checked before anything is started: variants, servers, users, the
 * temporary directory, the output folder, the counters. NULL with err; *status gets the exit
 * status for that. options outlive the session. */
struct session *session_new(uv_loop_t *loop, const struct app_options *options, struct err *err,
			    int *status);
/* Begins; frontend is NULL in batch. Run the loop until it is empty then. Returns 0 or a negative
 * errno with err (the screen could not be opened). */
int session_start(struct session *s, const struct frontend *frontend, struct err *err);
/* After the loop: prints the table, writes what is left to write. */
struct session_end session_finish(struct session *s);
void session_free(struct session *s);

#endif
