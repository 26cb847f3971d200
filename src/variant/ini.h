/* variant.ini: a section [variant] with "name = value" lines. For src/variant only. */
#ifndef CPUTOP_INI_H
#define CPUTOP_INI_H

#include <stddef.h>

struct err;
struct variant;

/* Reads the text of a variant.ini into v (title, claim and so on); file is used in messages, which
 * name the line. "#" and ";" begin a comment at the start of a line or behind a blank. Returns 0 or
 * -EINVAL. */
int ini_parse(struct variant *v, const char *file, const char *text, size_t len, struct err *err);

#endif
