/*
 * What MySQL and MariaDB say, as the rest of cputop hears it: the rows of a result, copied (text
 * and binary protocol give the same), and errors. For src/db/my*.c only.
 */
#ifndef CPUTOP_MY_RESULT_H
#define CPUTOP_MY_RESULT_H

#include <mysql.h>
#include <stdbool.h>
#include <stdint.h>

#include "db/db.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

struct err;

struct my_rows {
	unsigned rows, cols;
	uint64_t affected;
	struct strbuf text;       /* the fields, each with a zero at its end */
	struct vec_of(size_t) at; /* row by row: where each begins; SIZE_MAX for null */
};
void my_rows_init(struct my_rows *r);
void my_rows_reset(struct my_rows *r); /* keeps the memory */
void my_rows_release(struct my_rows *r);
/* Adds a field; text may be NULL for null. */
void my_rows_add(struct my_rows *r, const char *text, size_t len);
/* Copies a whole result of the text protocol, which is in memory. */
void my_rows_read(struct my_rows *r, MYSQL_RES *res);

/* Makes out of rows, which it borrows. */
void my_result_ok(struct db_result *out, const struct my_rows *r);
/* Makes out of an error of the server; its text is in err, which out borrows. */
void my_result_error(struct db_result *out, unsigned number, const char *sqlstate,
		     const struct err *err);
/* Whether the connection is gone after an error of this number. */
bool my_error_is_fatal(unsigned number);
/* One line of an error's text. */
void my_error_line(struct err *err, const char *text);
/* The error that a server sends to a connection that it then closes, n bytes of it; false when it
 * is no such thing. */
bool my_error_packet(struct err *err, const unsigned char *packet, size_t n);

#endif
