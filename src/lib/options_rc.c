/* The rc file: "name = value" lines. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/fdio.h"
#include "lib/options_internal.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

#define RC_SIZE_MAX (1u << 20)

static const char blanks[] = " \t\r\v\f";

/* Cuts blanks off both ends of the NUL-terminated text, in place. */
static char *trim(char *s)
{
	size_t len;

	s += strspn(s, blanks);
	for (len = strlen(s); len && strchr(blanks, s[len - 1]); len--)
		continue;
	s[len] = '\0';
	return s;
}

static const struct option_spec *find(const struct option_table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->specs[i].name, name) == 0)
			return &t->specs[i];
	return NULL;
}

/* The text of err does not say where. */
static int parse_line(const struct option_table *t, void *target, char *line, struct err *err)
{
	const struct option_spec *spec;
	char *name = trim(line), *equals, *value;
	struct err why = {0};

	if (!*name || *name == '#')
		return 0;
	equals = strchr(name, '=');
	if (!equals)
		return err_set(err, -EINVAL, "not 'name = value': '%s'", name);
	*equals = '\0';
	name = trim(name);
	value = trim(equals + 1);
	spec = find(t, name);
	if (!spec)
		return err_set(err, -EINVAL, "unknown setting '%s'", name);
	if (!spec->in_rc)
		return err_set(err, -EINVAL, "'%s' cannot be set here, only as an option", name);
	if (!*value)
		return err_set(err, -EINVAL, "'%s' has no value", name);
	if (option_set_text(spec, target, value, &why) < 0)
		return err_set(err, -EINVAL, "%s: %s", name, why.text);
	return 0;
}

int options_rc_text(const struct option_table *t, void *target, const char *name, const char *text,
		    size_t len, struct err *err)
{
	unsigned number = 0;
	int rc = 0;

	while (rc == 0 && len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		char *line = xstrndup(text, n);
		struct err why = {0};

		number++;
		if (memchr(text, '\0', n))
			rc = err_set(&why, -EINVAL, "a NUL byte");
		else
			rc = parse_line(t, target, line, &why);
		if (rc < 0)
			err_set(err, rc, "%s:%u: %s; see cputoprc(5)", name, number, why.text);
		free(line);
		text += end ? n + 1 : n;
		len -= end ? n + 1 : n;
	}
	return rc;
}

int options_from_rc(const struct option_table *t, void *target, const char *path, struct err *err)
{
	struct strbuf text;
	int rc;

	strbuf_init(&text);
	rc = strbuf_read_file(&text, path, RC_SIZE_MAX);
	if (rc == -ENOENT || rc == -ENOTDIR)
		rc = 0;
	else if (rc < 0)
		err_set(err, rc, "cannot read %s: %s; repair or remove it", path, strerror(-rc));
	else
		rc = options_rc_text(t, target, path, text.buf, text.len, err);
	strbuf_release(&text);
	return rc;
}

static int compose(const struct option_table *t, const void *target, struct strbuf *out,
		   struct err *err)
{
	struct strbuf value;
	int rc = 0;

	strbuf_init(&value);
	strbuf_addf(out, "# Written by %s; see cputoprc(5).\n", t->program);
	for (size_t i = 0; rc == 0 && i < t->n; i++) {
		const struct option_spec *spec = &t->specs[i];

		if (!spec->in_rc || !spec->get)
			continue;
		strbuf_reset(&value);
		spec->get(target, &value);
		if (memchr(value.buf, '\n', value.len) || memchr(value.buf, '\0', value.len))
			rc = err_set(err, -EINVAL,
				     "--%s: its value has more than one line; choose another",
				     spec->name);
		else if (value.len)
			strbuf_addf(out, "%s = %s\n", spec->name, value.buf);
	}
	strbuf_release(&value);
	return rc;
}

/* Makes the folders above path that are not there; the open that follows tells what failed. */
static void make_folders(const char *path)
{
	char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
}

static int replace_file(const char *path, const struct strbuf *text)
{
	char *beside = xasprintf("%s.XXXXXX", path);
	int rc, fd = mkostemp(beside, O_CLOEXEC);

	if (fd < 0) {
		rc = -errno;
		goto out;
	}
	rc = write_all(fd, text->buf, text->len);
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(beside, path) < 0)
		rc = -errno;
	if (rc < 0)
		unlink(beside);
out:
	free(beside);
	return rc;
}

int options_write_rc(const struct option_table *t, const void *target, const char *path,
		     struct err *err)
{
	struct strbuf text;
	int rc;

	strbuf_init(&text);
	rc = compose(t, target, &text, err);
	if (rc == 0) {
		make_folders(path);
		rc = replace_file(path, &text);
		if (rc < 0)
			err_set(err, rc, "cannot write %s: %s; is its folder writable?", path,
				strerror(-rc));
	}
	strbuf_release(&text);
	return rc;
}
