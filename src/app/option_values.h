/* Checks of option values that several options share. Each returns 0 or -EINVAL with err: why. */
#ifndef CPUTOP_OPTION_VALUES_H
#define CPUTOP_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;

int value_number(const char *s, double min, double max, double *out, struct err *err);
int value_count(const char *s, uint64_t min, uint64_t max, unsigned *out, struct err *err);
/* Seconds, fractions allowed, to ns. */
int value_seconds(const char *s, double min, double max, uint64_t *out, struct err *err);
/* One of two words; *out is whether it is the second. */
int value_choice(const char *s, const char *first, const char *second, bool *out, struct err *err);
/* Replaces *out (owned) by a copy. */
int value_string(const char *s, char **out, struct err *err);
/* The next item of a list separated by commas or blanks, in buf; returns NULL at the end. *s moves
 * on. */
const char *value_next_item(const char **s, char *buf, size_t size);
void put_number(struct strbuf *out, double v);

#endif
