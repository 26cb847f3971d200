/* What a run asks of the server by cputop's own connection, per dialect; never inside a window. */
#ifndef CPUTOP_ADMIN_H
#define CPUTOP_ADMIN_H

#include "model/dialect.h"
#include "model/window.h"

/* What is counted by a server of this major version or newer. */
struct admin_counts {
	unsigned since;
	/* one row: a column for each server_count, since the server's start, null where it does not
	 * tell */
	const char *sql;
	/* what each connection of worker and producer runs before, so that the server knows all of
	 * it; rows: a prepared statement, its generic plans, its custom ones. NULL: nothing */
	const char *ask;
	/* why a count is null; why it can have fallen */
	const char *missing[SERVER_COUNTS], *fell[SERVER_COUNTS];
};

struct admin_sql {
	const char *fresh; /* script: drops and makes the schema cputop */
	/* rows: process (PostgreSQL) or thread, what it is as part_from_backend_type knows it;
	 * cputop's own connection is known by db_backend_pid, or is "monitor" */
	const char *map;
	const struct admin_counts *counts; /* the newest version first; the last is for any */
	/* what has to run once before sizes; NULL: nothing */
	const char *before_sizes;
	/* rows by table: its name, its bytes, an index or null, its bytes, dead rows of the table
	 * (null where the server does not tell) */
	const char *sizes;
	const char *settings; /* rows: name, value of those that differ from the defaults */
	const char *settling; /* what the variant's statement settle does, in a few words */
};

extern const struct admin_sql admin_mariadb, admin_mysql;

/* NULL for a dialect that this build does not know. */
const struct admin_sql *admin_sql(enum dialect d);

#endif
