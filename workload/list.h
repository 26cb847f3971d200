/*
 * A list of ids as one parameter, so that one statement does for any number: the text of an array
 * on PostgreSQL, '{1,2}', of a JSON array on MySQL and MariaDB, '[1,2]'. What is not a number
 * stands in double quotes.
 */
#ifndef CPUTOP_LIST_H
#define CPUTOP_LIST_H

#include "model/dialect.h"

struct strbuf;

/* Each adds to the text; begin empties it. */
void list_begin(struct strbuf *out, enum dialect d);
void list_add(struct strbuf *out, const char *item);
void list_end(struct strbuf *out, enum dialect d);

#endif
