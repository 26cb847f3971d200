/* Allocation that cannot fail: out of memory runs the hook (see xalloc_set_hook) and aborts. */
#ifndef CPUTOP_XALLOC_H
#define CPUTOP_XALLOC_H

#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1, 2)));
/* Resizes p to n * size bytes; an overflow of the product aborts. */
void *xreallocarray(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *xvasprintf(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0), returns_nonnull));

/* Runs before the abort (the ui restores the terminal there). NULL takes it away. */
void xalloc_set_hook(void (*hook)(void));

#endif
