/* Small files of one line below /proc and /sys. */
#ifndef CPUTOP_SYSFILE_H
#define CPUTOP_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line of DIR/NAME, without blanks at its end. False, and out empty, when there is none.
 */
bool sysfile_text(char *out, size_t size, const char *dir, const char *name);
/* A whole number, with sign. */
bool sysfile_int(int64_t *out, const char *dir, const char *name);

#endif
