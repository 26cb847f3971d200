/*
 * What drivers share, for src/db only: the head of every connection, and the splitting of scripts.
 */
#ifndef CPUTOP_DRIVER_H
#define CPUTOP_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "db/db.h"

/* First member of each driver's connection. */
struct db {
	const struct db_ops *ops;
	void (*on_notify)(struct db *, void *arg); /* may be NULL */
	void *notify_arg;
	void (*on_broken)(struct db *, const char *reason, void *arg); /* may be NULL */
	void *broken_arg;
};

extern const struct db_ops db_pg_ops, db_mariadb_ops, db_mysql_ops;

/* Finds the next statement of a script from *pos on: *start and the length that is returned,
 * without its semicolon; *pos moves behind it. Semicolons in quotes, dollar quotes and comments do
 * not end a statement. Returns 0 when only blanks and comments are left. */
size_t db_script_next(const char *sql, size_t *pos, size_t *start);
/* The same by the rules of MySQL and MariaDB. */
size_t db_script_next_my(const char *sql, size_t *pos, size_t *start);
/* Finds the next parameter ($1 to $9) from *pos on, by the same rules: *pos is moved to it and *end
 * behind it. Returns its number; 0, with both at the end of the text, when there is none. */
unsigned db_script_parameter_my(const char *sql, size_t *pos, size_t *end);
/* How many characters of UTF-8 text lie in the first len bytes. */
unsigned db_characters(const char *text, size_t len);

#endif
