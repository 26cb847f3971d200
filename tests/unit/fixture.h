/* Models of a session, made up, for the tests of the screens and for uidemo. */
#ifndef CPUTOP_TESTS_FIXTURE_H
#define CPUTOP_TESTS_FIXTURE_H

#include "model/model.h"

#define FIXTURE_PROCESSES 18
#define FIXTURE_RESULTS   4

enum fixture_kind {
	FIXTURE_WINDOW,      /* a window is open, with counters */
	FIXTURE_NO_COUNTERS, /* the same without */
	FIXTURE_STARTING,    /* the server is being initialised; nothing is known */
	FIXTURE_FEW,         /* warm-up, fewer than 20 jobs */
	FIXTURE_IDLE,        /* rate 0: per second */
	FIXTURE_FAILED,
	FIXTURE_HOSTILE, /* text that must not reach a terminal */
	FIXTURE_EMPTY,   /* all zero */
	FIXTURE_COUNT
};

struct fixture {
	struct model model;
	struct counters_info counters;
	struct process_line processes[FIXTURE_PROCESSES];
	struct result_line results[FIXTURE_RESULTS];
};

/* Heap; the model points into it. Freed by free(). */
struct fixture *fixture_new(enum fixture_kind kind);
/* Parts of it. */
struct figure fixture_figure(double v);
void fixture_results(struct fixture *f);
void fixture_next(struct result_line *line, const char *variant); /* a run that has not begun */
const char *fixture_name(enum fixture_kind kind);
/* Lets t ns of a session pass: phases, counts, a line per second. For FIXTURE_STARTING's life in
 * uidemo. */
void fixture_play(struct fixture *f, uint64_t now_ns, uint64_t t_ns);

#endif
