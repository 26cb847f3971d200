/* What the tests of the two database clients share: a connection on a loop, and how one ends. */
#ifndef CPUTOP_DBTEST_H
#define CPUTOP_DBTEST_H

#include "pgserver.h"

struct fixture {
	uv_loop_t loop;
	struct db *db;
	struct db_dsn dsn;
};

/* Connects; the schema need not exist. */
struct fixture *fixture_new(const struct pgserver *s, const char *schema);
int fixture_end(void **state);
/* Runs SQL that must succeed. */
void ok(struct fixture *f, const char *sql);
/* Runs a statement of eight connections, 0.3 s each: at the same time. */
void check_parallel(struct fixture *f, const char *sleep_sql);

/* For db_on_broken. */
struct lost {
	unsigned calls;
	char reason[512];
};
void lost_cb(struct db *db, const char *reason, void *arg);
/* Ends the connection of victim by a statement with %lld in the place of its number. */
void terminate(struct fixture *f, const char *kill_sql, struct db *victim);
/* An idle connection that is ended tells one of the reasons, once; what is asked of it afterwards
 * still ends. */
void check_broken_idle(struct fixture *f, const char *kill_sql, const char *reason,
		       const char *or_reason);
void closed_cb(void *arg); /* adds 1 to an unsigned */
/* A connection that is closed in a statement, or while it connects, ends what it was about. */
void check_close_busy(struct fixture *f, const char *sleep_sql);
/* Connecting to f->dsn fails with this text. */
void check_refused(struct fixture *f, const char *what);

#endif
