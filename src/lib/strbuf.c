#include "config.h"

#include "lib/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cformat.h"
#include "lib/xalloc.h"

/* What buf is while cap is 0: nothing is ever written to it but its NUL. */
static char empty[1];

void strbuf_init(struct strbuf *sb)
{
	sb->buf = empty;
	sb->len = 0;
	sb->cap = 0;
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->buf);
	strbuf_init(sb);
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->cap)
		sb->buf[0] = '\0';
}

/* Makes room for extra bytes and the NUL behind them. */
static void grow(struct strbuf *sb, size_t extra)
{
	size_t need, cap;

	if (__builtin_add_overflow(sb->len, extra, &need) || need > SIZE_MAX / 4)
		need = SIZE_MAX - 1; /* more than can be had: the allocation aborts */
	if (need < sb->cap)
		return;
	cap = sb->cap ? sb->cap : 32;
	while (cap <= need && cap < SIZE_MAX / 2)
		cap *= 2;
	if (cap <= need)
		cap = need + 1;
	sb->buf = xreallocarray(sb->cap ? sb->buf : NULL, cap, 1);
	sb->buf[sb->len] = '\0';
	sb->cap = cap;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (!len)
		return;
	grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = c_vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		abort();
	grow(sb, (size_t)len);
	c_vsnprintf(sb->buf + sb->len, (size_t)len + 1, fmt, ap);
	sb->len += (size_t)len;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *out = sb->cap ? sb->buf : xstrdup("");

	strbuf_init(sb);
	return out;
}

static int read_fd(struct strbuf *sb, int fd, size_t max)
{
	char chunk[8192];
	size_t total = 0;

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		if ((size_t)n > max - total)
			return -EFBIG;
		total += (size_t)n;
		strbuf_add(sb, chunk, (size_t)n);
	}
}

int strbuf_read_file(struct strbuf *sb, const char *path, size_t max)
{
	size_t before = sb->len;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int rc;

	if (fd < 0)
		return -errno;
	rc = read_fd(sb, fd, max);
	close(fd);
	if (rc < 0 && sb->cap) {
		sb->len = before;
		sb->buf[before] = '\0';
	}
	return rc;
}
