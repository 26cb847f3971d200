/*
 * --workers N: the worker that cputop starts is the first of a crew. Before it does anything else
 * it forks the others; each is a worker like it, with connections of its own, below the same
 * keeper. Between the first and each other one is a control socket, on which the first is what
 * cputop is to it: it hands on what it is told, and is ready, or has stopped, when all are.
 */
#ifndef CPUTOP_CREW_H
#define CPUTOP_CREW_H

#include <stdbool.h>
#include <uv.h>

#include "model/workload.h"
#include "workload/control.h"

struct err;
struct program_options;
struct crew;

struct crew_member {
	struct crew *crew;
	struct control control;
	bool ready, stopped;
};

struct crew {
	unsigned n; /* of the others */
	int fds[WORKLOAD_WORKERS_MAX];
	struct crew_member members[WORKLOAD_WORKERS_MAX];
	/* Something of a member's: a line that is not "ready" or "stopped", NULL at its end. */
	void (*line)(void *arg, char *line);
	void (*changed)(void *arg); /* another one is ready, or has stopped */
	void *arg;
};

/* Forks the others. Returns in each of them, too: with no others, options->control_fd its socket
 * and options->number its number. Returns 0, or a negative errno with err. */
int crew_fork(struct crew *c, struct program_options *options, struct err *err);
/* Listens to them; line, changed and arg are set. */
int crew_open(struct crew *c, uv_loop_t *loop, struct err *err);
void crew_send(struct crew *c, const char *line);
bool crew_ready(const struct crew *c);
bool crew_stopped(const struct crew *c);
/* Ends them. The handles close with the loop's next turn; closing twice is fine. */
void crew_close(struct crew *c);

#endif
