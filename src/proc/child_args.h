/* The command line of a keeper, made from a child_spec. */
#ifndef CPUTOP_CHILD_ARGS_H
#define CPUTOP_CHILD_ARGS_H

#include "lib/vec.h"
#include "proc/keeper.h"

struct err;
struct child_spec;

#define CHILD_STDIO_MAX (KEEPER_FIRST_FD + KEEPER_FDS_MAX)

struct child_args {
	struct vec_of(char *) argv; /* NULL-terminated; its strings are owned, and all set */
};

/* Returns 0 or -errno with err; release it in both cases. */
int child_args_init(struct child_args *a, const struct child_spec *spec, struct err *err);
void child_args_release(struct child_args *a);

#endif
