#include "config.h"

#include "model/run_prefix.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/xalloc.h"

static size_t count(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static char **join(char *const *first, char *const *then)
{
	size_t n = count(first), m = count(then);
	char **all = xcalloc(n + m + 1, sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i] = first[i];
	for (size_t i = 0; i < m; i++)
		all[n + i] = then[i];
	return all;
}

char **run_prefix_argv(const struct run_prefix *p, char *const *argv)
{
	return join(p ? p->argv : NULL, argv);
}

char **run_prefix_env(const struct run_prefix *p, char *const *env)
{
	return join(p ? p->env : NULL, env);
}

int run_prefix_give(const struct run_prefix *p, uid_t uid, gid_t gid)
{
	if (!p || !p->file)
		return 0;
	return lchown(p->file, uid, gid) < 0 ? -errno : 0;
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void run_prefix_free(struct run_prefix *p)
{
	if (!p)
		return;
	free_list(p->argv);
	free_list(p->env);
	free(p->file);
	free(p);
}
