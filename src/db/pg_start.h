/* How a connection to PostgreSQL is begun. For src/db/pg.c only. */
#ifndef CPUTOP_PG_START_H
#define CPUTOP_PG_START_H

#include <libpq-fe.h>
#include <stddef.h>

struct db_dsn;

/* As PQconnectStart. Takes libpq's variables (PGHOST, PGSERVICE, ...) out of the environment: what
 * the user has set for other servers is not for this one. */
PGconn *pg_start(const struct db_dsn *dsn, const char *application);
const char *pg_client_version(char *buf, size_t size); /* "libpq 15.18" */

#endif
