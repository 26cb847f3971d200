/* Reads back what the snapshot's tests have written. */
#ifndef CPUTOP_TESTS_SNAPSHOT_READ_H
#define CPUTOP_TESTS_SNAPSHOT_READ_H

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/xalloc.h"
#include "snapshot_fixture.h"

/* The directory of the test, and names in it. */
static char dir[64];

static inline char *path_of(const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

static inline int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/cputop-test-snapshot-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

/* Names in the directory. */
static inline unsigned entries(void)
{
	unsigned n = 0;
	DIR *d = opendir(dir);
	assert_non_null(d);
	for (const struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static inline int tear_down(void **state)
{
	(void)state;
	return rmdir(dir);
}

static inline void drop(char *path)
{
	assert_int_equal(unlink(path), 0);
	free(path);
}

static inline json_t *written(const struct snapshot *s)
{
	struct err err = {0};
	char *path = path_of("snapshot.json");
	assert_int_equal(snapshot_write(s, path, &err), 0);
	json_error_t why;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	assert_non_null(root);
	assert_int_equal(entries(), 1);
	drop(path);
	return root;
}

/* at(root, "windows", "0", "jobs", NULL): members by name, items by number. */
static inline json_t *at(json_t *o, ...)
{
	va_list ap;
	va_start(ap, o);
	for (const char *key; (key = va_arg(ap, const char *));) {
		o = json_is_array(o) ? json_array_get(o, strtoul(key, NULL, 10))
				     : json_object_get(o, key);
		if (!o)
			fail_msg("no member '%s'", key);
	}
	va_end(ap);
	return o;
}

#define assert_member(v, ...) assert_int_equal(json_integer_value(at(__VA_ARGS__, NULL)), v)
#define assert_null_at(...)   assert_true(json_is_null(at(__VA_ARGS__, NULL)))
#define assert_text(s, ...)   assert_string_equal(json_string_value(at(__VA_ARGS__, NULL)), s)

#endif
