/*
 * Making JSON and putting it into a file. Every function gives a new reference; none fails: memory
 * comes from xmalloc, foreign text is escaped to valid UTF-8, and what is not a number is null.
 */
#ifndef CPUTOP_JSON_OUT_H
#define CPUTOP_JSON_OUT_H

#include <stdint.h>

#include <jansson.h>

#include "model/value.h"

struct err;

void json_out_init(void); /* before anything else here; again is fine */

json_t *json_text(const char *s);         /* null for NULL */
json_t *json_text_or_null(const char *s); /* null for the empty string as well */
json_t *json_count(uint64_t n);           /* at most 2^63 - 1, what JSON readers can hold */
json_t *json_seconds(uint64_t ns);
json_t *json_number(double v);               /* null unless finite */
json_t *json_value(struct value v);          /* null when missing */
json_t *json_figure(struct figure f);        /* null when missing */
json_t *json_at_least(int64_t v, int64_t n); /* v, null below n */

/* Writes root and a newline to path, "-" for standard output, and gives up its reference. A regular
 * file is written beside its name and renamed; a device or pipe is written into. Returns 0 or a
 * negative errno with err. */
int json_out_write(json_t *root, const char *path, struct err *err);

#endif
