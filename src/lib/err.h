/*
 * The text of an error. Functions that can fail for the user's reasons take a struct err and fill
 * it with one line: what failed, why, and what to do. They return 0 or a negative errno value as
 * well.
 */
#ifndef CPUTOP_ERR_H
#define CPUTOP_ERR_H

#include <stdarg.h>

#define ERR_TEXT_MAX 512

struct err {
	int code;                /* negative errno value, 0 when nothing failed */
	char text[ERR_TEXT_MAX]; /* one line, no newline, printable (escaped) */
};

/* Sets code and text and returns code (which must be negative). err may be NULL. Control bytes are
 * escaped. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Puts "PREFIX: " before the text that is there. */
void err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_clear(struct err *err);

#endif
