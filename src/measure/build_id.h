/* Which build of a program this is. */
#ifndef CPUTOP_BUILD_ID_H
#define CPUTOP_BUILD_ID_H

#include <stddef.h>

/* The GNU build-id of an ELF program of this machine's word size, in hexadecimal. Returns 0,
 * -ENOENT when it has none, or another negative errno. */
int build_id_read(const char *path, char *out, size_t size);

#endif
