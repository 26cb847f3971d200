/* Running a program under the icount tool. */
#ifndef CPUTOP_ICOUNT_RUN_H
#define CPUTOP_ICOUNT_RUN_H

#include <stddef.h>

struct err;
struct run_prefix;

/* The tool's file below the directories where child_find_program looks, empty where Valgrind has no
 * such machine. */
#define ICOUNT_TOOL "icount/icount-" ICOUNT_PLATFORM

/* valgrind on PATH. Returns 0, or -ENOENT with err that says what to install. */
int icount_find_valgrind(char *out, size_t size, struct err *err);
/* tool: path of the tool, in the directory that Valgrind is to use; NULL: there is none. file:
 * where to count. NULL with err when something is missing. */
struct run_prefix *icount_prefix_new(const char *tool, const char *file, struct err *err);

#endif
