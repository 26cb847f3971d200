/*
 * Inside of measure: what is kept for each role and for each of its processes between two readings.
 * Not for other rooms.
 */
#ifndef CPUTOP_MEASURE_TRACK_H
#define CPUTOP_MEASURE_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"
#include "measure/cgroup.h"
#include "measure/counters.h"
#include "measure/cputime.h"
#include "measure/machine.h"
#include "measure/measure.h"
#include "measure/proctree.h"

/* What a monitor's share is taken out of. */
enum quantity { Q_CPU, Q_INSTRUCTIONS, Q_CYCLES, Q_SWITCHES, Q_READ, Q_WRITTEN, Q_COUNT };

struct threads;

/* Who ended, and the last known values that were in a sample. */
struct ended {
	pid_t pid, tid;
	uint64_t start;
	enum part part;
	bool thread;
	int64_t last[Q_COUNT];
};

/* A process, proc.data, or a thread of one. */
struct procinfo {
	enum part part;
	bool part_known;         /* by title or map: not looked at again */
	bool asked;              /* a map was read while it was there, and did not tell */
	char *title;             /* owned; NULL until it could be read */
	bool title_own;          /* not its parent's any more */
	unsigned looks;          /* how often the title was read */
	uint64_t seen_ns;        /* when it was looked at first */
	char comm[64];           /* when the title was read */
	struct threads *threads; /* owned; NULL: the process is one row */

	struct counter_set *set; /* owned; NULL: not opened */
	bool set_tried;
	bool ending; /* it was when its set was to be opened */
	struct counter_reading counted;
	struct value switches, io[2]; /* read, written; of the last edge */

	/* The last known values that were in a sample. A monitor's are taken out of the total from
	 * those on that it had when it became one, so that the total never jumps. */
	int64_t last[Q_COUNT];
	int64_t base[Q_COUNT];
};

struct track {
	struct measure *measure; /* borrowed */
	enum role role;
	bool present; /* a keeper is followed, or was until it went */
	bool gone;    /* the keeper is no more */
	struct proctree tree;
	struct cputime cpu;
	uint64_t keeper_ns; /* the keeper's own clock */

	bool has_cgroup;
	struct cgroup cgroup;
	uint64_t keeper_base_ns; /* its clock when it came into the cgroup */
	uint64_t cgroup_ns;      /* held from falling */
	bool cgroup_ok;
	int64_t shown_ns; /* CPU time of the last sample: a lower bound of what only grows */

	struct counters *counters;  /* borrowed: what its sets are opened with; NULL: nothing */
	struct counter_set *family; /* owned; NULL: nothing is counted */
	struct counter_reading counted;

	struct procio keeper_io; /* of the keeper before it began */
	int64_t io_held[2];      /* sums, held from falling */
	int64_t switches_gone;   /* of processes that ended */
	int64_t out[Q_COUNT];    /* of monitors that ended */

	struct vec_of(struct ended) ended; /* of known parts, the last in the order of their ends */
	uint64_t ended_count;              /* all of them */

	uint64_t idle_seen_ns; /* of an idle server: its CPU time that is in idle_ns, or was used
				  before */

	/* at the last edge */
	uint64_t edge_cpu_ns, edge_ledger_ns, edge_lost_ns;
};

struct cgroups vec_of(struct cgroup);
struct part_rows vec_of(struct part_row);

struct measure {
	char *proc_root, *sys_root;     /* owned */
	char *icount_dir, *icount_tool; /* owned; NULL: not given */
	struct icount_options icount;
	enum counter_source counters_asked;
	enum cpu_source cpu_asked;
	struct counters_info info;
	const struct counter_ops *ops;
	struct counters *counters;
	char cgroup_base[CGROUP_PATH_MAX];
	bool cgroup_used;         /* a role has one */
	struct cgroups leftovers; /* something was still ending in them */
	struct track roles[ROLE_COUNT];
	struct track idle[MEASURE_DATABASES]; /* but the selected one, which is in roles */
	unsigned selected;
	uint64_t idle_ns; /* of what is in idle, while it was there */
	struct machine machine;
	uint64_t keepers_gone_ns; /* clocks of keepers that are followed no more */
	struct part_rows pending; /* rows of the map for processes that were not seen yet */
	bool wants_map;
};

/* track.c */
int track_begin(struct track *t, struct measure *m, enum role role, pid_t keeper, struct err *err);
void track_end(struct track *t);
void track_close_set(struct track *t, struct procinfo *i);
void track_close_sets(struct track *t);      /* of all processes and threads */
void track_drop_counters(struct track *t);   /* these, and the family's; not present: nothing */
struct procinfo *track_info(struct proc *p); /* makes one where there is none */
/* Adds what it used while it was a monitor. */
void track_add_out(int64_t out[Q_COUNT], const struct procinfo *i);
/* Gives the process or thread the part that the map says. False: it was not seen yet. */
bool track_map(struct track *t, const struct part_row *row);
void track_was_asked(struct track *t); /* all that are there */

/* A family that was enabled for so short a time: the kernel drops the counters of a process at the
 * exec of a set-uid program, or of one that the user may not read. */
bool track_was_dropped(const struct track *t, uint64_t enabled_ns);

/* Its programs run under the icount source: they show neither titles nor CPU time worth a look. */
bool track_is_under(const struct track *t);

/* databases.c */
void databases_read_idle(struct measure *m);
void databases_drop_counters(struct measure *m);
void databases_close_sets(struct measure *m); /* of their processes */
void databases_end(struct measure *m);

/* ended.c: for readings to come, what a process or thread of a known part used; who has its
 * identity.
 */
void ended_note(struct track *t, const struct procinfo *i, const struct ended *who);
void ended_fill(const struct track *t, bool edge, struct sample *out);

/* reading.c: what is of the user alone where nothing else is counted. */
void track_fill_user(const struct track *t, struct usage *u);

/* titles.c: reads titles where needed and finds the parts. Returns whether a process is now
 * followed by its threads. */
bool track_titles(struct track *t, unsigned flags);

/* extras.c: context switches and I/O of every process, at the edges of windows. */
void track_extras(struct track *t);
struct value track_switches(const struct track *t);
/* which: 0 read, 1 written */
struct value track_io(struct track *t, unsigned which);

/* measure.c: stops counting for want of something, and says so. */
void measure_drop_counters(struct measure *m, const char *reason);
void measure_remove_leftovers(struct measure *m);

#endif
