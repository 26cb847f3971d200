/* What libpq says, as the rest of cputop hears it. For src/db/pg.c only. */
#ifndef CPUTOP_PG_RESULT_H
#define CPUTOP_PG_RESULT_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "db/db.h"

struct err;

bool pg_result_failed(const PGresult *r);
bool pg_result_is_copy(const PGresult *r);
/* Whether it says that the server ends the connection; err then says why. */
bool pg_result_is_fatal(const PGresult *r, struct err *err);
/* Of several results the last one counts, or the first error: puts r into *kept (which may be NULL)
 * or clears it. */
void pg_result_keep(PGresult **kept, PGresult *r);
/* Fills out from r, which it borrows; err holds the text of an error and must live as long as out.
 * offset is added to an error's position, when it has one. */
void pg_result_read(struct db_result *out, const PGresult *r, unsigned offset, struct err *err);
/* Makes one line of the text of a connection's error. */
void pg_error_line(struct err *err, const char *text);

#endif
