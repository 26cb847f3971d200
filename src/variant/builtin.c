/*
 * Finding the built-in variants: the variable CPUTOP_DATADIR, which is then the only place; the
 * build tree of the running program; the installed data directory.
 */
#include "config.h"

#include "variant/builtin.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "variant/variant.h"

static bool has_variants(const char *dir)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/skiplocked/variant.ini", dir);

	return n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0;
}

static bool try_dir(char *out, size_t size, const char *base, const char *below)
{
	int n = snprintf(out, size, "%s%s", base, below);

	return n > 0 && (size_t)n < size && has_variants(out);
}

/* The folder of the running program, without the slash at its end. */
static bool program_dir(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);
	char *slash;

	if (n <= 0)
		return false;
	out[n] = '\0';
	slash = strrchr(out, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

int builtin_dir(char *out, size_t size, struct err *err)
{
	/* "variants" is a link that the build makes, since it may be outside the source tree */
	static const char *const build[] = {"/variants", "/workload/variants", "/../variants",
					    "/../workload/variants", "/../../variants"};
	const char *data = getenv("CPUTOP_DATADIR");
	char exe[PATH_MAX];

	if (data && data[0]) {
		if (try_dir(out, size, data, "/variants"))
			return 0;
		return err_set(err, -ENOENT,
			       "there are no variants in %s/variants; CPUTOP_DATADIR must name the "
			       "folder above them",
			       data);
	}
	if (program_dir(exe, sizeof(exe)))
		for (size_t i = 0; i < sizeof(build) / sizeof(build[0]); i++)
			if (try_dir(out, size, exe, build[i]))
				return 0;
	if (try_dir(out, size, CPUTOP_DATADIR, "/variants"))
		return 0;
	return err_set(err, -ENOENT,
		       "the built-in variants are not in %s/variants; install cputop, or set "
		       "CPUTOP_DATADIR",
		       CPUTOP_DATADIR);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* skiplocked, then pername, then the others by name. */
static unsigned rank(const char *name)
{
	if (strcmp(name, "skiplocked") == 0)
		return 0;
	return strcmp(name, "pername") == 0 ? 1 : 2;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	unsigned x = rank((*a)->d_name), y = rank((*b)->d_name);

	return x != y ? (x < y ? -1 : 1) : strcmp((*a)->d_name, (*b)->d_name);
}

size_t variant_builtin(struct variant *out, size_t max, struct err *err)
{
	char dir[PATH_MAX];
	struct dirent **entries = NULL;
	struct variant v;
	size_t found = 0;
	int n;

	if (builtin_dir(dir, sizeof(dir), err) < 0)
		return 0;
	n = scandir(dir, &entries, visible, compare);
	if (n < 0)
		err_set(err, -errno, "cannot read %s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (variant_load(&v, entries[i]->d_name, err) == 0) {
			if (found < max)
				out[found] = v;
			found++;
		}
		free(entries[i]);
	}
	free(entries);
	return found;
}
