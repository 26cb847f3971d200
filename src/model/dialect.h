/* The databases that cputop knows. */
#ifndef CPUTOP_DIALECT_H
#define CPUTOP_DIALECT_H

#include <stdbool.h>

/* In the order in which cputop takes the first that has a server. */
enum dialect { DIALECT_POSTGRES, DIALECT_MARIADB, DIALECT_MYSQL, DIALECT_COUNT };

const char *dialect_name(enum dialect d); /* "postgres" */
bool dialect_parse(const char *name, enum dialect *out);
/* Whether the server itself wakes those who listen (NOTIFY). */
bool dialect_notifies(enum dialect d);

#endif
