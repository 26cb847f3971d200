/* A child and what was heard of it, for the tests of src/proc. */
#ifndef CPUTOP_TESTS_CHILD_BENCH_H
#define CPUTOP_TESTS_CHILD_BENCH_H

#include <stdbool.h>
#include <uv.h>

#include "lib/err.h"
#include "proc/child.h"
#include "proc_support.h"

enum { LIMIT_MS = 15000 };

/* Shells that ignore TERM: one, a child of it in a session of its own, and a double-forked daemon.
 */
#define STUBBORN_TREE                                                       \
	"trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000 & wait' & " \
	"(setsid sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000' &) ; sleep 1000"
#define STUBBORN_COUNT 7 /* with the sleeps */

struct seen {
	struct child *child;
	bool hold; /* do not release */
	bool held, started, left, exited;
	pid_t keeper, pid;
	bool keeper_leads_group, keeper_leads_session;
	struct child_status status;
	char reason[ERR_TEXT_MAX];
};

struct bench {
	uv_loop_t loop;
	struct seen seen;
	char mark[64];
	char *env[3];
	char *argv[4];
	struct child_spec spec;
	char out[64];
};

/* A shell script to be spawned; change b->spec before bench_spawn. */
void bench_init(struct bench *b, const char *script);
void bench_spawn(struct bench *b);
void bench_wait(struct bench *b, const bool *flag);
/* Nothing may be left of the tree. */
void bench_release(struct bench *b);
/* Init, spawn, wait for its end. */
void bench_run(struct bench *b, const char *script);
/* For on_left. */
void bench_on_left(struct child *c, const struct child_status *status, void *arg);

#endif
