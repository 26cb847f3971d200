/* A private server for the tests in C: its own temporary directory and port. PostgreSQL takes any
 * password; MariaDB and MySQL are started by myserver.h. */
#ifndef CPUTOP_PGSERVER_H
#define CPUTOP_PGSERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "db/db.h"

#define PGSERVER_PASSWORD "unused"

struct pgserver {
	enum dialect dialect;
	char bin[512];
	char dir[64];
	unsigned port;
	pid_t pid;
	uid_t uid; /* whom it runs as */
	gid_t gid;
};

/* Whether there is a PostgreSQL to start: PG_BIN, or the newest of /usr/lib/postgresql. */
bool pgserver_find(struct pgserver *s);
/* Prints the TAP line of a program that cannot run. */
int pgserver_skip(void);
/* Starts it and waits until it answers. 0, or -1 with a message on stderr. */
int pgserver_start(struct pgserver *s);
void pgserver_stop(struct pgserver *s); /* removes its directory too */
void pgserver_dsn(const struct pgserver *s, const char *schema, struct db_dsn *dsn);

/* For myserver.c: runs a program of bin as the server's user; a free port; whether it answers. */
pid_t pgserver_spawn(const struct pgserver *s, const char *program, const char **argv);
unsigned pgserver_free_port(void);
bool pgserver_answers(const struct pgserver *s);
int pgserver_make_dir(struct pgserver *s, const char *user);

/* What an operation gave: copied, for looking at after its callback. */
struct outcome {
	unsigned calls;
	enum db_status status;
	char error[512];
	char sqlstate[6];
	unsigned position;
	uint64_t affected;
	unsigned rows, cols;
	bool null;        /* the first field of the first row */
	char value[4096]; /* its text, cut */
};
void outcome_cb(struct db *db, const struct db_result *result, void *arg);

/* Runs the loop until *flag is not 0; fails the test after some seconds. */
void run_until(uv_loop_t *loop, const unsigned *flag);
struct db *open_db(uv_loop_t *loop, const struct db_dsn *dsn);
/* Runs SQL to its end. */
void run_sql(uv_loop_t *loop, struct db *db, const char *sql, struct outcome *out);
/* The number that a query gives; the query must succeed. */
long sql_number(uv_loop_t *loop, struct db *db, const char *sql);
/* Closes it, and the loop, which must have nothing left. */
void close_all(uv_loop_t *loop, struct db *db);

#endif
