/* What a run asks of the server by cputop's own connection, per dialect; never inside a window. */
#ifndef CPUTOP_ADMIN_H
#define CPUTOP_ADMIN_H

#include "model/dialect.h"

struct admin_sql {
	const char *fresh; /* script: drops and makes the schema cputop */
	/* rows: process (PostgreSQL) or thread, what it is as part_from_backend_type knows it;
	 * cputop's own connection is known by db_backend_pid, or is "monitor" */
	const char *map;
	/* one row: WAL or binary log bytes, rows examined, buffers, checkpoints, autovacuums; all
	 * since the server's start, null where it does not tell */
	const char *counts;
	const char *counts_17; /* the same from version 17 on; NULL when there is no difference */
	const char *sizes;     /* rows: table, its bytes, index or null, its bytes */
	const char *settings;  /* rows: name, value of those that differ from the defaults */
	const char *settling;  /* what the variant's statement settle does, in a few words */
};

extern const struct admin_sql admin_mariadb, admin_mysql;

/* NULL for a dialect that this build does not know. */
const struct admin_sql *admin_sql(enum dialect d);

#endif
