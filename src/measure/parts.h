/*
 * Which part of the database a process is. PostgreSQL: by its title, by pg_stat_activity where it
 * has been read (that wins, as titles hold names that users chose). MySQL and MariaDB: a thread by
 * its name where it has one of its own, by the list of connections where that has been read.
 */
#ifndef CPUTOP_PARTS_H
#define CPUTOP_PARTS_H

#include <stdbool.h>

#include "model/sample.h"

/* The part of a child of the postmaster by its title. False: the title does not tell; *out is then
 * PART_OTHER. */
bool part_from_title(const char *title, enum part *out);
/* Does this title (its command line) belong to a postmaster? */
bool title_is_postmaster(const char *title);
/* Does this title belong to a server of which each thread is a part? */
bool title_is_thread_server(const char *title);
/* The part of such a thread by its name (comm). False, and PART_OTHER, when the name is not known.
 */
bool part_from_thread_name(const char *name, enum part *out);
/* The part by pg_stat_activity.backend_type, or "connection" and "monitor" for threads. False, and
 * PART_OTHER, when the name is not known. */
bool part_from_backend_type(const char *backend_type, enum part *out);

#endif
