/*
 * Statements with parameters for MySQL and MariaDB. cputop writes $1, $2 ... in the SQL of all
 * dialects; here they become question marks (prepared) or literals (unprepared). A statement need
 * not use all parameters that are given, and may use one more than once. For src/db/my*.c only.
 */
#ifndef CPUTOP_MY_STMT_H
#define CPUTOP_MY_STMT_H

#include <mysql.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

struct my_rows;

#define MY_MARKS_MAX 16

/* A prepared statement of a connection. */
struct my_stmt {
	struct my_stmt *next;
	char *name;        /* owned */
	struct strbuf sql; /* with question marks */
	MYSQL_STMT *stmt;  /* owned; freed after its connection, so that nothing is sent */

	unsigned nmarks;
	unsigned char number[MY_MARKS_MAX]; /* of the parameter at each question mark, from 1 */
	MYSQL_BIND marks[MY_MARKS_MAX];
	struct strbuf values; /* the parameters' text */

	unsigned ncolumns;         /* that columns and results have room for */
	struct my_column *columns; /* owned */
	MYSQL_BIND *results;       /* owned */
};

/* A statement that has yet to be prepared; NULL when it has too many parameters or there is no
 * memory. */
struct my_stmt *my_stmt_new(MYSQL *mysql, const char *name, const char *sql);
void my_stmt_free(struct my_stmt *s); /* NULL is fine */
/* Binds parameters, which are copied; one that is not given is null. */
bool my_stmt_bind(struct my_stmt *s, int nparams, const char *const *params);
/* Copies the whole result, which is in memory. False when the library refuses. */
bool my_stmt_read(struct my_stmt *s, struct my_rows *rows);

/* The statement with its parameters as literals. */
void my_literals(struct strbuf *out, MYSQL *mysql, const char *sql, int nparams,
		 const char *const *params);

#endif
