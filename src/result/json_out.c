/*
 * JSON and files. The text is made in memory first, so that a file is begun only when all of it is
 * there; a temporary name beside the target keeps the rename within one file system.
 */
#include "config.h"

#include "result/json_out.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "lib/fdio.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

/* Enough to tell any two measurements apart, and 0.9 stays 0.9. */
#define REAL_DIGITS  15
#define NAME_TRIES   100
#define STDOUT_LABEL "standard output"

void json_out_init(void)
{
	json_set_alloc_funcs(xmalloc, free);
}

json_t *json_text(const char *s)
{
	if (!s)
		return json_null();
	struct strbuf sb;
	strbuf_init(&sb);
	escape_text(&sb, s, strlen(s), true);
	json_t *text = json_stringn(sb.buf, sb.len);
	strbuf_release(&sb);
	return text ? text : json_null();
}

json_t *json_text_or_null(const char *s)
{
	return s && s[0] ? json_text(s) : json_null();
}

json_t *json_count(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

json_t *json_seconds(uint64_t ns)
{
	return json_real((double)ns / NS_PER_S);
}

json_t *json_number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *json_value(struct value v)
{
	return value_known(v) ? json_integer(v.v) : json_null();
}

json_t *json_figure(struct figure f)
{
	return figure_known(f) ? json_number(f.v) : json_null();
}

json_t *json_at_least(int64_t v, int64_t n)
{
	return v >= n ? json_integer(v) : json_null();
}

static int fail(struct err *err, int code, const char *path)
{
	const char *todo = "choose another file with --json or -o";
	if (code == -ENOSPC || code == -EDQUOT)
		todo = "free some space or choose another file";
	else if (code == -ENOENT || code == -ENOTDIR)
		todo = "make its folder first";
	return err_set(err, code, "cannot write %s: %s; %s", path, strerror(-code), todo);
}

/* Creates a file beside path that nobody else has; *name is owned by the caller. Returns the
 * descriptor or a negative errno. */
static int create_beside(const char *path, char **name)
{
	for (unsigned i = 0; i < NAME_TRIES; i++) {
		*name = xasprintf("%s.%ld-%u.tmp", path, (long)getpid(), i);
		int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		int code = -errno;
		if (fd >= 0)
			return fd;
		free(*name);
		*name = NULL;
		if (code != -EEXIST)
			return code;
	}
	return -EEXIST;
}

static int write_renamed(const char *path, const char *data, size_t len)
{
	char *name = NULL;
	int fd = create_beside(path, &name);
	if (fd < 0)
		return fd;
	int code = write_all(fd, data, len);
	if (close(fd) < 0 && code == 0)
		code = -errno;
	if (code == 0 && rename(name, path) < 0)
		code = -errno;
	if (code < 0)
		unlink(name);
	free(name);
	return code;
}

static int write_into(const char *path, const char *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int code = write_all(fd, data, len);
	if (close(fd) < 0 && code == 0)
		code = -errno;
	return code;
}

static int write_file(const char *path, const char *data, size_t len)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return write_renamed(path, data, len);
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return write_into(path, data, len);
	/* a link stays a link: what it points to is replaced */
	char *real = realpath(path, NULL);
	int code = real ? write_renamed(real, data, len) : -errno;
	free(real);
	return code;
}

int json_out_write(json_t *root, const char *path, struct err *err)
{
	char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(root);
	if (!text)
		return fail(err, -EINVAL, path);
	struct strbuf sb;
	strbuf_init(&sb);
	strbuf_addstr(&sb, text);
	strbuf_addch(&sb, '\n');
	free(text);
	bool to_stdout = strcmp(path, "-") == 0;
	int code = to_stdout ? write_all(STDOUT_FILENO, sb.buf, sb.len)
			     : write_file(path, sb.buf, sb.len);
	strbuf_release(&sb);
	return code < 0 ? fail(err, code, to_stdout ? STDOUT_LABEL : path) : 0;
}
