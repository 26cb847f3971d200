/*
 * What worker and producer share: the options, the page, the control socket, and how they begin and
 * end. A role is a const table of functions.
 *
 *   WAITING --dsn--> OPENING --connected--> READY --start--> RUNNING --stop--> STOPPING --> STOPPED
 *
 * and from each of them to CLOSED: by "quit" and the end of the control socket with status 0, by
 * program_fail with status 1. Connections are closed there and not before.
 */
#ifndef CPUTOP_PROGRAM_H
#define CPUTOP_PROGRAM_H

#include <stdbool.h>
#include <uv.h>

#include "db/db.h"
#include "model/jobs_page.h"
#include "model/variant.h"
#include "model/workload.h"
#include "variant/variant.h"
#include "workload/ask.h"
#include "workload/control.h"

struct crew;
struct err;
struct pool;
struct program;

struct role_ops {
	const char *name; /* "worker", "producer" */
	/* Puts the role's state into p->role and begins to connect; program_ready or program_fail
	 * follows. */
	void (*open)(struct program *p);
	void (*start)(void *state);
	void (*rate)(void *state); /* page->rate_mjobs has changed */
	void (*stop)(void *state); /* program_stopped follows */
	struct pool *(*pool)(void *state);
	void (*close)(void *state);
	void (*release)(void *state); /* after the loop has closed the handles */
};
extern const struct role_ops worker_ops, producer_ops;

struct program_options {
	const struct role_ops *role;
	int page_fd, control_fd;
	char variant[4096]; /* the folder */
	enum dialect dialect;
	struct workload workload;
	unsigned number; /* of this worker, from 0 */
	bool help, version;
};

enum program_state {
	PROGRAM_WAITING,
	PROGRAM_OPENING,
	PROGRAM_READY,
	PROGRAM_RUNNING,
	PROGRAM_STOPPING,
	PROGRAM_STOPPED,
	PROGRAM_CLOSED,
};

struct program {
	uv_loop_t loop;
	const struct program_options *options; /* borrowed */
	struct jobs_page *page;                /* owned */
	struct variant variant;
	struct variant_sql sql;
	struct db_dsn dsn;
	struct control control;
	struct ask ask;
	struct crew *crew; /* borrowed: the workers beside this one */
	enum program_state state;
	bool ready, stopped; /* this one is; the state says it when the crew is, too */
	void *role;          /* owned by the role; NULL before the dsn is known */
	unsigned notes;
	int status;
};

/* Runs until it is told to end. Returns the exit status. */
int program_run(const struct program_options *options, struct crew *crew);

/* For the roles. */
void program_ready(struct program *p);
void program_stopped(struct program *p);
/* A line for cputop's messages; after the first few they are not sent any more. */
void program_note(struct program *p, const char *text);
/* The end: says why and closes everything. Further calls do nothing. */
void program_fail(struct program *p, const char *text);

#endif
