/* Writing all of it. */
#ifndef CPUTOP_FDIO_H
#define CPUTOP_FDIO_H

#include <stddef.h>

/* Also to a pipe that somebody made non-blocking: waits then. Returns 0 or a negative errno. */
int write_all(int fd, const char *data, size_t len);

#endif
