#include "config.h"

#include "variant/variant.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "variant/builtin.h"
#include "variant/ini.h"

#define INI_MAX     65536
#define BUILTIN_MAX 32

/* The name of a variant goes into schemas, file names and tables. */
static int set_name(struct variant *v, const char *dir, struct err *err)
{
	const char *slash = strrchr(dir, '/'), *name = slash ? slash + 1 : dir;
	bool ok = name[0] && name[0] != '.' && strlen(name) < sizeof(v->name);

	for (const char *c = name; *c && ok; c++)
		ok = isalnum((unsigned char)*c) || *c == '-' || *c == '_' || *c == '.';
	if (!ok || strlen(dir) >= sizeof(v->dir))
		return err_set(err, -EINVAL,
			       "'%s' is no name for a variant; a folder's name takes up to %zu "
			       "letters, digits, '-', '_', '.'",
			       name, sizeof(v->name) - 1);
	memcpy(v->name, name, strlen(name) + 1);
	memcpy(v->dir, dir, strlen(dir) + 1);
	return 0;
}

static int load_dir(struct variant *v, const char *dir, struct err *err)
{
	struct strbuf text;
	char *file, *full = realpath(dir, NULL);
	int rc;

	if (!full)
		return err_set(err, -errno, "cannot open variant %s: %s", dir, strerror(errno));
	file = xasprintf("%s/variant.ini", full);
	strbuf_init(&text);
	rc = set_name(v, full, err);
	if (rc < 0)
		goto out;
	rc = strbuf_read_file(&text, file, INI_MAX);
	if (rc < 0)
		err_set(err, rc, "cannot read %s: %s; a variant is a folder that has one", file,
			strerror(-rc));
	else
		rc = ini_parse(v, file, text.buf, text.len, err);
out:
	strbuf_release(&text);
	free(file);
	free(full);
	return rc;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Nobody has a variant of this name: says which there are. */
static int unknown(const char *name, struct err *err)
{
	struct variant *all = xcalloc(BUILTIN_MAX, sizeof(*all));
	struct err why = {0, ""};
	size_t n = variant_builtin(all, BUILTIN_MAX, &why);
	struct strbuf names;

	strbuf_init(&names);
	for (size_t i = 0; i < n && i < BUILTIN_MAX; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", all[i].name);
	if (n > 0)
		err_set(err, -ENOENT,
			"unknown variant '%s'; built in: %s; a folder is given with a slash", name,
			names.buf);
	else
		err_set(err, -ENOENT, "unknown variant '%s': %s", name, why.text);
	strbuf_release(&names);
	free(all);
	return -ENOENT;
}

int variant_load(struct variant *v, const char *name_or_dir, struct err *err)
{
	char builtin[PATH_MAX], *dir;
	int rc;

	memset(v, 0, sizeof(*v));
	if (strchr(name_or_dir, '/'))
		return load_dir(v, name_or_dir, err);
	if (name_or_dir[0] && name_or_dir[0] != '.' &&
	    builtin_dir(builtin, sizeof(builtin), NULL) == 0) {
		dir = xasprintf("%s/%s", builtin, name_or_dir);
		if (is_dir(dir)) {
			rc = load_dir(v, dir, err);
			v->builtin = rc == 0;
			free(dir);
			return rc;
		}
		free(dir);
	}
	if (is_dir(name_or_dir))
		return load_dir(v, name_or_dir, err);
	return unknown(name_or_dir, err);
}
