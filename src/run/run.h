/*
 * A run: one variant on one server. Fresh tables, worker and producer started, warm-up, windows,
 * stop. It runs by itself on the loop and tells its owner by callbacks:
 *
 *   TABLES -> FILLING -> SETTLING -> STARTING -> WARMUP -> ALIGN -> WINDOW -> (LIVE <-> ALIGN ...)
 *          -> STOPPING -> ended
 *
 * Whatever goes wrong (a process that dies, a statement that fails) makes the open window invalid,
 * ends everything of the run and is told in ended. The server and the measure object are borrowed.
 */
#ifndef CPUTOP_RUN_H
#define CPUTOP_RUN_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "measure/measure.h"
#include "model/messages.h"
#include "model/model.h"
#include "model/window.h"
#include "server/server.h"

struct err;
struct run;
struct run_prefix;
struct snapshot_table;

struct run_config {
	uv_loop_t *loop;
	struct measure *measure; /* borrowed */
	struct server *server;   /* borrowed, ready */
	struct workload workload;
	struct variant variant;
	unsigned index, repeat, order;
	bool continuous; /* live: goes on after its window, until run_stop */
	bool drop;       /* worker and producer run as uid and gid */
	uid_t uid;
	gid_t gid;
	const char *log_dir; /* borrowed: where worker.log and producer.log go */
	const struct run_prefix *prefix[ROLE_DATABASE]; /* how worker and producer are started;
							   borrowed; NULL: by themselves */
};

struct run_callbacks {
	/* detail may be NULL; progress is 0..1, or below 0 when it is not known. */
	void (*phase)(struct run *, enum phase phase, const char *detail, double progress,
		      void *arg);
	void (*message)(struct run *, enum message_level level, const char *text, void *arg);
	/* The tables are made and filled; or a window has ended, which window follows with. */
	void (*sizes)(struct run *, const struct snapshot_table *tables, size_t n,
		      bool after_window, void *arg);
	/* A setting of the server that differs from its default. */
	void (*setting)(struct run *, const char *name, const char *value, void *arg);
	/* A window has ended, valid or not. It belongs to the owner now (window_release, free). Its
	 * count of lost jobs comes with ended. */
	void (*window)(struct run *, struct window *w, void *arg);
	/* Everything of the run has stopped; err is NULL when it went well. lost is the number of
	 * jobs that the tables lack, missing when it could not be asked. run_free may follow. */
	void (*ended)(struct run *, const struct err *err, struct value lost, void *arg);
};

struct run *run_new(const struct run_config *config, const struct run_callbacks *cb, void *arg);
/* Begins; everything is told by callbacks, also a failure of the first step. */
void run_start(struct run *r);
/* Asks for a window (after the next maintenance tick), or cancels the open one. Only in LIVE,
 * WARMUP, ALIGN or WINDOW; nothing happens in other phases. */
void run_window(struct run *r);
/* Jobs per second, or below 0 for max: ends an open window and begins the warm-up again. */
void run_set_rate(struct run *r, double rate);
/* The open window becomes invalid for this reason, but goes on: who gets it at its end tells. */
void run_spoil_window(struct run *r, const char *reason);
/* Stops in order: drains, counts lost jobs. quick: without waiting for jobs that are left. */
void run_stop(struct run *r, bool quick);
/* Something that the run depends on is gone (the server): stops at once, ended gets err. */
void run_abort(struct run *r, const struct err *err);
/* Reads the server's map again when a process is not known and no window is open. */
void run_refresh_map(struct run *r);

enum phase run_phase(const struct run *r);
const struct jobs_page *run_page(const struct run *r);     /* NULL before STARTING */
const struct window *run_open_window(const struct run *r); /* NULL when none is open */
uint64_t run_started_ns(const struct run *r);              /* when the load was started, 0 before */
void run_free(struct run *r);                              /* after ended only; NULL is fine */

#endif
