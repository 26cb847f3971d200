/*
 * A growing string. buf is always NUL-terminated and never NULL after strbuf_init; len does not
 * count the NUL. All numbers are written without regard to the locale.
 */
#ifndef CPUTOP_STRBUF_H
#define CPUTOP_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *buf; /* owned */
	size_t len;
	size_t cap;
};

void strbuf_init(struct strbuf *sb);
void strbuf_release(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb); /* empties it, keeps the memory */
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Gives the string to the caller, who frees it; sb is as after strbuf_init. */
char *strbuf_detach(struct strbuf *sb);
/* Appends the whole file (at most max bytes). Returns 0 or -errno (-EFBIG above max). */
int strbuf_read_file(struct strbuf *sb, const char *path, size_t max);

#endif
