/* How a connection to MySQL or MariaDB is made ready to begin. For src/db/my*.c only. */
#ifndef CPUTOP_MY_START_H
#define CPUTOP_MY_START_H

#include <mysql.h>
#include <stddef.h>

struct db_dsn;

/* A handle with its options set: over TCP, unencrypted, READ COMMITTED (gap locks would make a
 * claim block the producer). Takes the library's variables (MYSQL_PWD, LIBMYSQL_PLUGINS, ...) out
 * of the environment: what the user has set for other servers is not for this one. NULL when there
 * is no memory. */
MYSQL *my_start(const char *application);
const char *my_client_version(char *buf, size_t size); /* "libmariadb 3.3.20" */

#endif
