/* Where the built-in variants are. For src/variant only. */
#ifndef CPUTOP_BUILTIN_H
#define CPUTOP_BUILTIN_H

#include <stddef.h>

struct err;

/* The folder that holds the folders of the built-in variants. Returns 0 or -ENOENT with err. */
int builtin_dir(char *out, size_t size, struct err *err);

#endif
