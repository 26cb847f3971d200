/* Where an engine's programs are: the directory asked for, else PATH, else the newest version in
 * the usual places. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/format.h"
#include "lib/xalloc.h"
#include "server/engine.h"

static bool has_program(const char *dir, const char *program)
{
	char *path = xasprintf("%s/%s", dir, program);
	bool found = access(path, X_OK) == 0;

	free(path);
	return found;
}

static bool has_all(const struct server_ops *ops, const char *dir)
{
	return has_program(dir, ops->program) && has_program(dir, ops->init_program);
}

static int copy_path(char *out, size_t size, const char *dir, struct err *err)
{
	int n = snprintf(out, size, "%s", dir);

	if (n < 0 || (size_t)n >= size)
		return err_set(err, -ENAMETOOLONG, "the path %.100s... is too long", dir);
	return 0;
}

static int find_asked(const struct server_ops *ops, const char *dir, char *out, size_t size,
		      struct err *err)
{
	const char *missing = has_program(dir, ops->program) ? ops->init_program : ops->program;
	char *real;
	int rc;

	if (!has_all(ops, dir))
		return err_set(err, -ENOENT,
			       "there is no program %s in %s; --%s-bin takes the directory with %s "
			       "and %s",
			       missing, dir, dialect_name(ops->dialect), ops->program,
			       ops->init_program);
	/* The keeper changes directory before it runs it. */
	real = realpath(dir, NULL);
	if (!real)
		return err_set(err, -errno, "cannot use %s: %s", dir, strerror(errno));
	rc = copy_path(out, size, real, err);
	free(real);
	return rc;
}

static bool find_in_path(const struct server_ops *ops, char *out, size_t size)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : ""), *rest = copy, *dir;
	bool found = false;

	while (!found && (dir = strsep(&rest, ":")))
		found = dir[0] == '/' && has_all(ops, dir) && copy_path(out, size, dir, NULL) == 0;
	free(copy);
	return found;
}

/* Looks at PLACE*N/bin, where place ends in what stands before the number ("/usr/lib/postgresql/",
 * "/usr/pgsql-"). */
static void find_newest(const struct server_ops *ops, const char *place, double *newest, char *out,
			size_t size)
{
	const char *prefix = strrchr(place, '/') + 1;
	char *parent = xstrndup(place, (size_t)(prefix - place));
	DIR *d = opendir(parent);
	struct dirent *e;
	double number;

	while (d && (e = readdir(d))) {
		char *dir;

		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 ||
		    !parse_double(e->d_name + strlen(prefix), &number) || number <= *newest)
			continue;
		dir = xasprintf("%s%s/bin", parent, e->d_name);
		if (has_all(ops, dir) && copy_path(out, size, dir, NULL) == 0)
			*newest = number;
		free(dir);
	}
	if (d)
		closedir(d);
	free(parent);
}

int server_find_bin(const struct server_ops *ops, const char *bin_dir, char *out, size_t size,
		    struct err *err)
{
	double newest = 0;

	if (bin_dir && *bin_dir)
		return find_asked(ops, bin_dir, out, size, err);
	if (find_in_path(ops, out, size))
		return 0;
	for (const char *const *p = ops->places; *p; p++)
		find_newest(ops, *p, &newest, out, size);
	if (newest > 0)
		return 0;
	return err_set(err, -ENOENT,
		       "no %s server found, neither in PATH nor below %s; install it (on Debian: "
		       "apt-get install %s) or give its directory with --%s-bin",
		       ops->title, ops->places[0], ops->package, dialect_name(ops->dialect));
}

bool server_find(enum dialect d, const struct server_options *options, char *path, size_t size,
		 struct err *err)
{
	const struct server_ops *ops = server_ops_for(d);
	char dir[SERVER_PATH_MAX];
	int n;

	if (!ops) {
		err_set(err, -ENOENT, "this build knows no private server of that kind");
		return false;
	}
	if (server_find_bin(ops, options->bin_dir, dir, sizeof(dir), err) < 0)
		return false;
	n = snprintf(path, size, "%s/%s", dir, ops->program);
	return n > 0 && (size_t)n < size;
}
