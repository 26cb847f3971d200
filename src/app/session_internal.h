/* The state of a session, shared by the files of this folder. */
#ifndef CPUTOP_SESSION_INTERNAL_H
#define CPUTOP_SESSION_INTERNAL_H

#include <sys/types.h>

#include "app/session.h"
#include "lib/err.h"
#include "lib/vec.h"
#include "measure/measure.h"
#include "model/model.h"
#include "model/window.h"
#include "proc/tmpdir.h"
#include "result/snapshot.h"
#include "result/stretch.h"
#include "run/plan.h"
#include "run/run.h"
#include "server/server.h"

#define SESSION_VARIANTS_MAX 64
#define SESSION_RESULTS_MAX  256
#define SESSION_SIGNALS      3
#define LIVE_RING_MAX        256

/* What is known of a server once it was up, for the snapshot. */
struct server_facts {
	bool known;
	char version[64];
	char binary[4096];
	struct vec_of(struct server_setting) settings;
};

/* A server of the session: one of each dialect at most. */
struct session_server {
	struct session *session; /* borrowed */
	struct server *server;   /* owned; NULL: not there */
	bool ready, stopping, failed;
	unsigned runs;  /* that it has served */
	char doing[80]; /* while it starts */
};

/* One tick of the live screen. */
struct live_point {
	struct sample sample;
	struct jobs_counts jobs;
};

struct live {
	struct live_point *ring; /* owned, LIVE_RING_MAX of them */
	size_t len, next;
	struct stretch stretch;
	/* the stretch that is on screen, kept for J */
	bool have;
	struct live_point from, to;
	struct usage_diff diff;
	struct jobs_counts jobs;
	uint64_t progress_ns; /* when the last progress line was made */
	struct jobs_counts progress_jobs;
	struct sample progress_sample;
	bool progress_have;
};

/* A table or an index. */
struct relation {
	char name[80], table[80]; /* table: whose index it is; empty: it is one itself */
	uint64_t bytes;
	struct value dead_rows;
};

struct session {
	uv_loop_t *loop;
	const struct app_options *opt;
	const struct frontend *front; /* NULL in batch */
	void *screen;
	bool live;

	struct tmpdir tmp;
	struct measure *measure;
	struct host host;
	bool drop; /* worker and producer run as uid, gid */
	uid_t uid;
	gid_t gid;

	struct variant variants[SESSION_VARIANTS_MAX];
	unsigned nvariants;
	char base[64];
	enum dialect dialects[DIALECT_COUNT];
	size_t ndialects;
	struct plan plan;
	size_t plan_at;
	bool plan_running;

	/* what should run, and what does */
	enum dialect want_dialect;
	unsigned want_variant;
	struct session_server servers[DIALECT_COUNT];
	uint64_t starting_ns; /* when a server that is not the run's was last seen starting */
	struct server_facts facts[DIALECT_COUNT];
	struct run *run;
	unsigned runs;
	unsigned run_variant;
	bool run_planned;     /* it is an item of the plan */
	unsigned run_windows; /* windows that it has had */
	bool failed;          /* something of it failed: the exit status says so */
	char run_dir[4200];
	struct vec_of(struct relation) relations; /* of the run, when last asked */
	bool relations_used;                      /* that was after a window */

	struct vec_of(struct window *) windows; /* owned */
	struct result results[SESSION_RESULTS_MAX];
	size_t nresults;

	uv_timer_t tick;
	bool tick_open;
	unsigned refreshes;
	uv_signal_t signals[SESSION_SIGNALS];
	bool signals_open;

	bool ending, ended;
	int status, signal;
	struct live live_state;
	struct model model;
};

/* session.c */
void session_changed(struct session *s);
void session_say(struct session *s, enum message_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Ends it: everything is stopped, then the loop runs empty. */
void session_end_begin(struct session *s, int status);
void session_end_step(struct session *s);

void session_server_options(const struct session *s, enum dialect d, struct server_options *out);

/* session_run.c */
/* Starts, or stops, what lies between what should run and what does. */
void session_next(struct session *s);
/* That of the run, or that a run will have. */
struct session_server *session_server(struct session *s);
unsigned session_servers_up(const struct session *s); /* there at all, ready or not */
void session_results(struct session *s);              /* results from the windows, into the model */

/* live.c */
extern const struct session_ops live_ops;
void live_tick_cb(uv_timer_t *t);

/* live_figures.c */
void live_reset(struct session *s);  /* a new run: forget the stretch */
void live_forget(struct session *s); /* another database: and what went before */
void live_release(struct session *s);
void live_figures(struct session *s); /* one reading, into the model */
/* The stretch on screen as a window that is not one, for J. NULL when there is none; the caller
 * releases and frees it. */
struct window *live_stretch(struct session *s);

/* batch.c */
void batch_phase(struct session *s, const char *detail);
void batch_message(struct session *s, enum message_level level, const char *text);

/* facts.c */
void session_fill_facts(struct session *s);
void session_keep_sizes(struct session *s, const struct snapshot_table *tables, size_t n,
			bool after_window);

/* output.c */
int output_prepare(struct session *s, struct err *err); /* makes and checks -o and --json */
int output_run_dir(struct session *s, struct err *err); /* run_dir for the next run */
void output_window(struct session *s, const struct window *w);
void output_sizes(struct session *s, const struct snapshot_table *tables, size_t n,
		  bool after_window);
void output_run_end(struct session *s);
/* extra (may be NULL) is one more window, which is not among the session's. */
int output_snapshot(struct session *s, const char *path, const struct window *extra,
		    struct err *err);
bool session_complete(const struct session *s);
/* Exit status of what has happened so far: 1 when a run failed or was incomplete, or when jobs were
 * lost or ran twice. */
int session_status(const struct session *s);
void output_finish(struct session *s);         /* table, snapshots, at the end */
int output_state_path(char *out, size_t size); /* $XDG_STATE_HOME/cputop/last.json; makes folders */

#endif
