/* MariaDB and MySQL for the tests in C, as a struct pgserver, whose other functions serve for them
 * too. The user cputop may do everything. */
#ifndef CPUTOP_MYSERVER_H
#define CPUTOP_MYSERVER_H

#include "pgserver.h"

/* Whether there is one, in MARIADB_BIN or MYSQL_BIN, or where cputop finds it, and a client for it;
 * else prints the TAP line of a program that cannot run. */
bool myserver_find(struct pgserver *s, enum dialect dialect);
int myserver_start(struct pgserver *s); /* 0, or -1 with a message on stderr */

#endif
