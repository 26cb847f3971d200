#include "config.h"

#include "lib/xalloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cformat.h"

static void (*oom_hook)(void);

void xalloc_set_hook(void (*hook)(void))
{
	oom_hook = hook;
}

static void __attribute__((noreturn)) out_of_memory(void)
{
	static const char text[] = "cputop: out of memory\n";

	if (oom_hook)
		oom_hook();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		abort();
	abort();
}

/* An empty block is a block of one byte: the caller never sees NULL. */
void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = n && size ? calloc(n, size) : calloc(1, 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory();
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

char *xstrdup(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(xmalloc(size), s, size);
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	va_list again;
	char *out;
	int len;

	va_copy(again, ap);
	len = c_vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		abort();
	out = xmalloc((size_t)len + 1);
	c_vsnprintf(out, (size_t)len + 1, fmt, ap);
	return out;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *out;

	va_start(ap, fmt);
	out = xvasprintf(fmt, ap);
	va_end(ap);
	return out;
}
