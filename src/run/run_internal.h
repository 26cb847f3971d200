/* The state of a run, shared by run.c (life), run_setup.c, run_fill.c, run_window.c and
 * run_end.c. */
#ifndef CPUTOP_RUN_INTERNAL_H
#define CPUTOP_RUN_INTERNAL_H

#include "db/db.h"
#include "lib/err.h"
#include "run/admin.h"
#include "run/load.h"
#include "run/run.h"
#include "variant/variant.h"

/* Something that the worker does at intervals. */
struct run_align {
	uint64_t interval_ns; /* 0: nothing is waited for */
	const _Atomic uint64_t *runs;
	const char *detail;
};

/* Everything in it is its own, but what cfg and arg point to (the caller's, who keeps it until
 * ended was called) and admin (constant). */
struct run {
	struct run_config cfg;
	struct run_callbacks cb;
	void *arg;
	const struct admin_sql *admin;
	struct variant_sql sql;
	struct db_dsn dsn;
	enum phase phase;

	struct db *db;       /* cputop's own connection: the monitor */
	unsigned db_pending; /* operations whose callback has yet to come */
	bool asking;         /* the server, around a window, by whatever connection: not for ever */
	bool db_closing;
	unsigned connects; /* how often it was tried */
	unsigned key_step; /* how many of the steps for keys are done */
	unsigned filled;   /* completed jobs that are in the table, or about to be */

	struct jobs_page *page;
	int page_fd;
	struct load *load[ROLE_DATABASE]; /* worker, producer; NULL when not there */
	bool load_ready[ROLE_DATABASE];
	bool load_stopped[ROLE_DATABASE];
	bool role_added[ROLE_DATABASE];
	int log_fd[ROLE_DATABASE];
	uint64_t started_ns;

	uv_timer_t timer; /* the end of the phase, or the next look at the page */
	bool timer_open;
	uint64_t deadline_ns;
	uint64_t warmup_ns, warmup_sent; /* when it began, and how many jobs had been sent */
	unsigned catch_up;               /* how often it was made longer */
	struct run_align align;          /* what ALIGN waits for */
	uint64_t align_tick;             /* runs of it that were seen when ALIGN began */
	bool tasks_said;                 /* that a window has few of the worker's tasks */
	bool tick_seen;                  /* in ALIGN: the queries before the window are under way */
	bool window_wanted;              /* a window follows the warm-up */
	struct window *window;           /* the open one, owned */
	unsigned windows;

	/* run_counts.c */
	struct value counts[SERVER_COUNTS];     /* the server's, before the window */
	int64_t own_counts[SERVER_COUNTS];      /* what reading them once adds */
	unsigned looks;                         /* at them, to learn that */
	struct plan_counts plans_before, plans; /* before the window; of the last question */
	unsigned question;                      /* number of the last one to worker and producer */
	bool answered[ROLE_DATABASE];
	void (*question_then)(struct run *r);

	bool stopping, quick; /* run_stop or a failure */
	bool checking;        /* the last count of the tables is under way */
	bool finished;        /* ended was called */
	bool failing;         /* run_fail_soon was called */
	bool failed;
	struct err err; /* of the first failure */
	struct value lost;
};

#define RUN_ROLES ROLE_DATABASE /* the roles that a run starts: worker and producer */

/*
 * run.c
 *
 *   IDLE -> TABLES -> FILLING -> SETTLING -> STARTING -> WARMUP -> ALIGN -> WINDOW -> LIVE
 *
 * From WARMUP straight to LIVE when no window is wanted; from LIVE to ALIGN when one is asked for;
 * back to WARMUP from everything after it when the rate changes. From everywhere to STOPPING, and
 * from there to IDLE, the end; run_enter tells the owner of all but that, which has a callback of
 * its own.
 */
void run_enter(struct run *r, enum phase phase, const char *detail);
void run_say(struct run *r, enum message_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* It is being stopped, or about to be: nothing new is begun. */
bool run_ending(const struct run *r);
/* Ends the run because of err (the first one counts). run_fail_soon gives a better reason, of
 * run_abort, a moment to arrive; the open window is invalid at once. */
void run_fail_soon(struct run *r, const struct err *err);
void run_fail(struct run *r, const struct err *err);
void run_failf(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_timer(struct run *r, uint64_t ms, uv_timer_cb cb);
/* The result of a statement is good: false when it failed (the run has then been told), or when the
 * run is being stopped and wants no more of it. */
bool run_result_ok(struct run *r, const struct db_result *res, enum statement s, const char *what);

/* run_setup.c */
void run_setup_begin(struct run *r);
void run_settings(struct run *r);   /* after run_sizes */
void run_start_load(struct run *r); /* once run_counts_learn is through */
void run_filled(struct run *r);     /* goes on behind run_fill.c */
/* run_fill.c */
void run_fill_begin(struct run *r);
/* run_window.c */
void run_warmup_begin(struct run *r);
void run_align_begin(struct run *r);
void run_window_finish(struct run *r, const char *invalid_reason); /* NULL: as it should */
void run_window_drop(struct run *r, const char *reason); /* an open window becomes invalid, now */
void run_window_begin(struct run *r);                    /* from ALIGN */
void run_window_counted(struct run *r); /* a window that is done goes to the owner */
/* run_sizes.c */
void run_sizes(struct run *r);              /* then run_settings */
void run_sizes_after_window(struct run *r); /* then run_window_counted */
/* run_counts.c */
void run_counts_learn(struct run *r);  /* then run_start_load */
void run_counts_before(struct run *r); /* then run_window_begin, if it is still wanted */
void run_counts_after(struct run *r);  /* then run_sizes_after_window, unless it was dropped */
void run_counts_answer(struct run *r, unsigned number, const char *name, const uint64_t v[2]);
void run_counts_answered(struct run *r, enum role role, unsigned number);
void run_counts_release(struct run *r);
/* A question of cputop's own connection around a window: the answer may not take for ever. */
void run_ask(struct run *r, const char *sql, db_cb cb);
/* run_end.c */
void run_end_begin(struct run *r);
void run_end_step(struct run *r);

#endif
