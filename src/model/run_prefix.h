/*
 * What a program is run by: words that come before its own, and variables. The counter source
 * decides (measure gives one for a role that is to run under Valgrind), whoever starts the role
 * obeys: server and run need not know what it is.
 */
#ifndef CPUTOP_RUN_PREFIX_H
#define CPUTOP_RUN_PREFIX_H

#include <sys/types.h>

struct run_prefix {
	char **argv; /* owned strings, NULL at the end */
	char **env;  /* "NAME=value", added to the program's own; NULL at the end */
	char *file;  /* owned; the program writes it, so it must be its user's */
};

/* All functions take NULL for: the program runs by itself. */

/* The whole command line, the whole environment: a new array (free it) of strings that stay those
 * of p and of the program. */
char **run_prefix_argv(const struct run_prefix *p, char *const *argv);
char **run_prefix_env(const struct run_prefix *p, char *const *env);
/* Gives the file to the user that the program will run as. Returns 0 or a negative errno. */
int run_prefix_give(const struct run_prefix *p, uid_t uid, gid_t gid);
void run_prefix_free(struct run_prefix *p);

#endif
