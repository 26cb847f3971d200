/*
 * Parsing works on a cursor over the text: every step checks the end, none needs a NUL. A file of
 * /proc is read with one call where it fits, so that it is of one moment.
 */
#include "config.h"

#include "measure/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"

struct cursor {
	const char *at, *end;
};

static bool next_u64(struct cursor *c, uint64_t *out)
{
	uint64_t v = 0;
	const char *from;

	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
	for (from = c->at; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
		if (v > (UINT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (uint64_t)(*c->at - '0');
	}
	*out = v;
	return c->at > from;
}

/* Fields of stat may be negative; those that are used are not. */
static bool skip_field(struct cursor *c)
{
	const char *from;

	while (c->at < c->end && *c->at == ' ')
		c->at++;
	for (from = c->at; c->at < c->end && *c->at != ' ' && *c->at != '\n'; c->at++)
		;
	return c->at > from;
}

static bool skip_fields(struct cursor *c, unsigned n)
{
	while (n-- > 0)
		if (!skip_field(c))
			return false;
	return true;
}

/* The kernel writes a newline of a name as "\n" and a backslash as "\\". */
static void copy_comm(char *out, size_t size, const char *from, const char *end)
{
	size_t n = 0;

	while (from < end && n + 1 < size) {
		if (*from == '\\' && from + 1 < end && (from[1] == 'n' || from[1] == '\\')) {
			out[n++] = from[1] == 'n' ? '\n' : '\\';
			from += 2;
		} else {
			out[n++] = *from++;
		}
	}
	out[n] = '\0';
}

int procfs_parse_stat(const char *text, size_t len, struct procstat *out)
{
	struct cursor c = {text, text + len};
	const char *open = memchr(text, '(', len);
	const char *close = memrchr(text, ')', len);
	uint64_t pid, ppid, threads;

	memset(out, 0, sizeof(*out));
	if (!open || !close || close < open || !next_u64(&c, &pid) || pid > INT32_MAX)
		return -EINVAL;
	copy_comm(out->comm, sizeof(out->comm), open + 1, close);
	c.at = close + 1;
	while (c.at < c.end && *c.at == ' ')
		c.at++;
	if (c.at == c.end)
		return -EINVAL;
	out->state = *c.at++;
	/* 3 state, 4 ppid, 14 utime to 17 cstime, 20 num_threads, 22 starttime */
	if (!next_u64(&c, &ppid) || ppid > INT32_MAX || !skip_fields(&c, 9) ||
	    !next_u64(&c, &out->utime) || !next_u64(&c, &out->stime) ||
	    !next_u64(&c, &out->cutime) || !next_u64(&c, &out->cstime) || !skip_fields(&c, 2) ||
	    !next_u64(&c, &threads) || threads > INT32_MAX || !skip_fields(&c, 1) ||
	    !next_u64(&c, &out->start))
		return -EINVAL;
	/* A number that ends with the text may have been cut. */
	if (c.at == c.end)
		return -EINVAL;
	out->pid = (pid_t)pid;
	out->ppid = (pid_t)ppid;
	out->threads = (long)threads;
	return 0;
}

/* The number after a key at the beginning of a line. */
static int line_u64(const char *text, size_t len, const char *key, uint64_t *out)
{
	size_t keylen = strlen(key);
	const char *end = text + len;
	const char *line = text;

	while (line && (size_t)(end - line) > keylen) {
		if (memcmp(line, key, keylen) == 0) {
			struct cursor c = {line + keylen, end};

			return next_u64(&c, out) ? 0 : -EINVAL;
		}
		line = memchr(line, '\n', (size_t)(end - line));
		if (line)
			line++;
	}
	return -EINVAL;
}

int procfs_parse_switches(const char *text, size_t len, uint64_t *out)
{
	uint64_t voluntary, forced;

	if (line_u64(text, len, "voluntary_ctxt_switches:", &voluntary) ||
	    line_u64(text, len, "nonvoluntary_ctxt_switches:", &forced))
		return -EINVAL;
	*out = voluntary + forced;
	return 0;
}

int procfs_parse_io(const char *text, size_t len, struct procio *out)
{
	if (line_u64(text, len, "read_bytes:", &out->read_bytes) ||
	    line_u64(text, len, "write_bytes:", &out->write_bytes))
		return -EINVAL;
	return 0;
}

int procfs_read_switches(const char *path, uint64_t *out)
{
	char text[4096];
	ssize_t n = procfs_read(path, text, sizeof(text));

	return n < 0 ? (int)n : procfs_parse_switches(text, (size_t)n, out);
}

int procfs_read_io(const char *path, struct procio *out)
{
	char text[512];
	ssize_t n = procfs_read(path, text, sizeof(text));

	return n < 0 ? (int)n : procfs_parse_io(text, (size_t)n, out);
}

int procfs_parse_machine(const char *text, size_t len, struct procmachine *out)
{
	struct cursor c = {text, text + len};

	memset(out, 0, sizeof(*out));
	if (len < 4 || memcmp(text, "cpu ", 4) != 0)
		return -EINVAL;
	c.at += 4;
	if (!next_u64(&c, &out->user) || !next_u64(&c, &out->nice) || !next_u64(&c, &out->system) ||
	    !next_u64(&c, &out->idle))
		return -EINVAL;
	/* The others came with later kernels. */
	if (next_u64(&c, &out->iowait) && next_u64(&c, &out->irq) && next_u64(&c, &out->softirq))
		next_u64(&c, &out->steal);
	return 0;
}

bool procfs_next_pid(const char **text, pid_t *out)
{
	struct cursor c = {*text, *text + strlen(*text)};
	uint64_t pid;

	if (!next_u64(&c, &pid) || pid == 0 || pid > INT32_MAX)
		return false;
	*text = c.at;
	*out = (pid_t)pid;
	return true;
}

size_t procfs_title(char *text, size_t len)
{
	while (len > 0 && (text[len - 1] == '\0' || text[len - 1] == ' '))
		len--;
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	text[len] = '\0';
	return len;
}

ssize_t procfs_pread(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

ssize_t procfs_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = procfs_pread(fd, buf, size);
	close(fd);
	return n;
}

void procfs_path(char out[PROCFS_PATH_MAX], const char *root, pid_t pid, const char *name)
{
	int n = snprintf(out, PROCFS_PATH_MAX, "%s/%d/%s", root, (int)pid, name);

	/* A path that does not fit names nothing. */
	if (n < 0 || n >= PROCFS_PATH_MAX)
		out[0] = '\0';
}

uint64_t procfs_ticks_ns(uint64_t ticks)
{
	static uint64_t tick_ns;

	if (tick_ns == 0) {
		long hz = sysconf(_SC_CLK_TCK);

		tick_ns = NS_PER_S / (uint64_t)(hz > 0 ? hz : 100);
	}
	return ticks * tick_ns;
}
