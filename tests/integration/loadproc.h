/* A run for the tests in C: fresh tables, a page, and cputop-load as worker and producer. */
#ifndef CPUTOP_LOADPROC_H
#define CPUTOP_LOADPROC_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/jobs_page.h"
#include "pgserver.h"
#include "variant/variant.h"

/* The arguments of loadproc_start and rig_loads. */
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Takes the built-in variants of the source tree. */
void loadproc_variants(void);

struct loadproc {
	pid_t pid;
	int control;
	char buf[4096];
	size_t len;
	unsigned notes; /* how many "note" lines have been read */
	char note[512]; /* the last one */
};

/* Starts it. args are those beside the descriptors and the variant, ended by NULL. */
void loadproc_start(struct loadproc *l, const char *role, int page_fd, const char *variant,
		    const char *const *args);
void loadproc_send(struct loadproc *l, const char *line);
void loadproc_dsn(struct loadproc *l, const struct db_dsn *dsn);
/* Reads lines until one that begins with word; fails the test after some seconds, and when another
 * "error" comes. out (may be NULL) gets the line. */
void loadproc_expect(struct loadproc *l, const char *word, char *out, size_t size);
/* Waits for its end and gives its exit status. */
int loadproc_wait(struct loadproc *l);
void loadproc_kill(struct loadproc *l); /* when it still runs */

#define RIG_LOADS 3

struct rig {
	const struct pgserver *server;
	uv_loop_t loop;
	struct db *db; /* in the schema of the run */
	struct db_dsn dsn;
	struct variant variant;
	struct variant_sql sql;
	struct jobs_page *page;
	int page_fd;
	struct loadproc loads[RIG_LOADS]; /* the producer last */
	unsigned n;
};

/* Makes the tables of a variant with so many names, and the page. */
void rig_open(struct rig *r, const struct pgserver *server, const char *variant, const char *names);
/* Before rig_loads: what a run with mutex keys needs, and jobs that wait for one. */
void rig_keys(struct rig *r, const char *blocked, const char *queued);
/* Starts workers and a producer, all ready. rate is a number or "max". */
void rig_loads(struct rig *r, unsigned workers, const char *rate, const char *const *args);
void rig_start(struct rig *r);
/* Waits until *counter >= n; fails the test after a long time. */
void rig_wait(struct rig *r, const _Atomic uint64_t *counter, uint64_t n);
/* Stops the producer, waits until all is completed, stops the workers. */
void rig_drain(struct rig *r);
uint64_t page_get(const _Atomic uint64_t *counter);
/* What the variant's check gives: waiting, running, completed; -1 for null. */
void rig_check(struct rig *r, long out[3]);
/* After rig_drain: everything that was enqueued was completed, once, and the table agrees. */
void rig_assert_once(struct rig *r);
/* Two workers on the same jobs with eight connections, as fast as they can, until so many are
 * completed; all of them once, never two of a key. */
void rig_burst(struct rig *r, const struct pgserver *server, const char *variant,
	       const char *const *args, uint64_t jobs);
/* Tells all to quit; each must end with status 0. */
void rig_quit(struct rig *r);
void rig_close(struct rig *r); /* ends what is left */

#endif
