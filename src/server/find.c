/*
 * Where an engine's programs are: the directory asked for, else the prefix that contrib/get-mysql's
 * variable names, else PATH, else the newest version in the usual places, else what
 * contrib/get-mysql has put in a cache folder. MariaDB is installed under MySQL's names as well, so
 * a program is asked which of the two it is.
 */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "server/engine.h"

#define ROOT_CACHE "/var/cache"

enum found { FOUND, NOT_THERE, NO_INIT, OTHER_ENGINE, DOES_NOT_RUN };

/* What a search looks for and what it has found. */
struct search {
	const struct server_ops *ops;
	char origin[64]; /* what gives the directory */
	struct server_programs *out;
	const char *program;          /* the one that was not good enough */
	char broken[SERVER_PATH_MAX]; /* the first program that does not run; empty: none */
	char reason[256];
};

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool join(char *out, const char *dir, const char *below, const char *name)
{
	int n = snprintf(out, SERVER_PATH_MAX, "%s%s/%s", dir, below, name);

	return n > 0 && n < SERVER_PATH_MAX;
}

static bool find_init(struct search *s)
{
	const struct server_ops *ops = s->ops;
	char path[SERVER_PATH_MAX], *real;

	if (!ops->init_programs) {
		memcpy(s->out->init, s->out->server, sizeof(s->out->init));
		return true;
	}
	for (const char *const *dir = ops->init_dirs; *dir; dir++) {
		for (const char *const *name = ops->init_programs; *name; name++) {
			if (!join(path, s->out->dir, *dir, *name) || !is_program(path))
				continue;
			if (!**dir) {
				memcpy(s->out->init, path, sizeof(path));
				return true;
			}
			real = realpath(path, NULL);
			text_copy(s->out->init, SERVER_PATH_MAX, real ? real : path);
			free(real);
			return true;
		}
	}
	return false;
}

/* Whether the program that was found is this engine's. */
static enum found ask(struct search *s)
{
	char text[1024];

	if (!s->ops->is_version)
		return FOUND;
	if (!server_ask(s->out->server, s->ops->version_args, text, sizeof(text))) {
		if (!s->broken[0]) {
			text_copy(s->broken, sizeof(s->broken), s->out->server);
			text[strcspn(text, "\n")] = '\0';
			text_copy(s->reason, sizeof(s->reason),
				  text[0] ? text : "it does not tell its version");
		}
		return DOES_NOT_RUN;
	}
	return s->ops->is_version(text) ? FOUND : OTHER_ENGINE;
}

static enum found look_in(struct search *s, const char *dir)
{
	enum found found = NOT_THERE;

	for (const char *const *name = s->ops->programs; *name && found != FOUND; name++) {
		enum found f;

		if (!join(s->out->server, dir, "", *name) || !is_program(s->out->server))
			continue;
		text_copy(s->out->dir, sizeof(s->out->dir), dir);
		f = ask(s);
		if (f == FOUND && !find_init(s))
			f = NO_INIT;
		s->program = *name;
		found = f;
	}
	return found;
}

static int broken(const struct search *s, struct err *err)
{
	return err_set(err, -ENOENT,
		       "%s does not run: %s; mend that or give another directory with %s",
		       s->broken, s->reason, s->origin);
}

static int find_asked(struct search *s, const char *asked, struct err *err)
{
	const struct server_ops *ops = s->ops;
	const char *init = ops->init_programs ? ops->init_programs[0] : NULL;
	/* The keeper changes directory before it runs it. */
	char *dir = realpath(asked, NULL);
	enum found found = dir ? look_in(s, dir) : NOT_THERE;

	free(dir);
	switch (found) {
	case FOUND:
		return 0;
	case DOES_NOT_RUN:
		return broken(s, err);
	case OTHER_ENGINE:
		return err_set(err, -ENOENT,
			       "the program %s in %s is not %s's; %s takes the directory with "
			       "%s, or leave it out",
			       s->program, asked, ops->title, s->origin, ops->programs[0]);
	case NOT_THERE:
	case NO_INIT:
		break;
	}
	return err_set(err, -ENOENT,
		       "there is no program %s in %s; %s takes the directory with %s%s%s",
		       found == NO_INIT ? init : ops->programs[0], asked, s->origin,
		       ops->programs[0], init ? " and " : "", init ? init : "");
}

static bool find_in_path(struct search *s)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : ""), *rest = copy, *dir;
	bool found = false;

	while (!found && (dir = strsep(&rest, ":")))
		found = dir[0] == '/' && look_in(s, dir) == FOUND;
	free(copy);
	return found;
}

/* Looks at PLACE*N/bin, where place ends in what stands before the number ("/usr/lib/postgresql/",
 * "/usr/pgsql-"). */
static void find_newest(struct search *s, const char *place, struct strbuf *newest)
{
	const char *prefix = strrchr(place, '/') + 1;
	char *parent = xstrndup(place, (size_t)(prefix - place));
	struct server_programs best = *s->out;
	DIR *d = opendir(parent);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const char *version = e->d_name + strlen(prefix);
		char *dir;

		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 ||
		    !isdigit((unsigned char)version[0]) || strverscmp(version, newest->buf) <= 0)
			continue;
		dir = xasprintf("%s%s/bin", parent, e->d_name);
		if (look_in(s, dir) == FOUND) {
			strbuf_reset(newest);
			strbuf_addstr(newest, version);
			best = *s->out;
		}
		free(dir);
	}
	*s->out = best;
	if (d)
		closedir(d);
	free(parent);
}

static bool find_in_cache(struct search *s, const char *cache)
{
	char *dir = xasprintf("%s/cputop/%s/bin", cache, s->ops->cache_dir);
	bool found = look_in(s, dir) == FOUND;

	free(dir);
	return found;
}

/* The prefix that the variable names, where the engine has one. */
static bool find_in_prefix(struct search *s)
{
	const char *prefix = s->ops->prefix_variable ? getenv(s->ops->prefix_variable) : NULL;
	char *dir;
	bool found;

	if (!prefix || prefix[0] != '/')
		return false;
	dir = xasprintf("%s/bin", prefix);
	found = look_in(s, dir) == FOUND;
	free(dir);
	return found;
}

/* The user's cache, unless that is root's, whose home the server's user cannot enter; then the
 * system's. As contrib/get-mysql chooses. */
static bool find_in_caches(struct search *s)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *own = NULL;
	bool found = false;

	if (!s->ops->cache_dir)
		return false;
	if (geteuid() != 0 && xdg && xdg[0] == '/')
		own = xstrdup(xdg);
	else if (geteuid() != 0 && home && home[0] == '/')
		own = xasprintf("%s/.cache", home);
	if (own)
		found = find_in_cache(s, own);
	free(own);
	return found || find_in_cache(s, ROOT_CACHE);
}

static bool find_in_usual_places(struct search *s)
{
	struct strbuf newest;
	bool found;

	strbuf_init(&newest);
	for (const char *const *p = s->ops->places; *p; p++)
		find_newest(s, *p, &newest);
	found = newest.len > 0;
	strbuf_release(&newest);
	if (found)
		return true;
	for (const char *const *dir = s->ops->usual_dirs; *dir; dir++) {
		if (look_in(s, *dir) == FOUND)
			return true;
	}
	return false;
}

void server_bin_origin(const struct server_options *options, char *out, size_t size)
{
	if (options->bin_variable)
		snprintf(out, size, "%s", options->bin_variable);
	else
		snprintf(out, size, "--%s-bin", dialect_name(options->dialect));
}

int server_find_programs(const struct server_ops *ops, const struct server_options *options,
			 struct server_programs *out, struct err *err)
{
	struct search s = {.ops = ops, .out = out};
	const char *bin_dir = options->bin_dir;
	const char *place = ops->usual_dirs[0] ? ops->usual_dirs[0] : ops->places[0];

	memset(out, 0, sizeof(*out));
	server_bin_origin(options, s.origin, sizeof(s.origin));
	if (bin_dir && *bin_dir)
		return find_asked(&s, bin_dir, err);
	if (find_in_prefix(&s) || find_in_path(&s) || find_in_usual_places(&s) ||
	    find_in_caches(&s))
		return 0;
	if (s.broken[0])
		return broken(&s, err);
	return err_set(err, -ENOENT,
		       "no %s server found, neither in PATH nor %s %s; %s or give its directory "
		       "with --%s-bin",
		       ops->title, ops->usual_dirs[0] ? "in places such as" : "below", place,
		       ops->how_to_get, dialect_name(ops->dialect));
}

bool server_find(enum dialect d, const struct server_options *options, char *path, size_t size,
		 struct err *err)
{
	const struct server_ops *ops = server_ops_for(d);
	struct server_programs found;

	if (!ops) {
		err_set(err, -ENOENT, "this build knows no private server of that kind");
		return false;
	}
	if (server_find_programs(ops, options, &found, err) < 0)
		return false;
	if (strlen(found.server) >= size) {
		err_set(err, -ENAMETOOLONG, "the path %.100s... is too long", found.server);
		return false;
	}
	text_copy(path, size, found.server);
	return true;
}
