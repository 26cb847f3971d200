#include "config.h"

#include "measure/icount_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/xalloc.h"
#include "model/run_prefix.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

int icount_find_valgrind(char *out, size_t size, struct err *err)
{
	const char *path = getenv("PATH");

	for (const char *p = path && *path ? path : DEFAULT_PATH; *p;) {
		size_t len = strcspn(p, ":");
		int n = snprintf(out, size, "%.*s/valgrind", (int)len, p);

		/* A relative one would depend on where the program is started. */
		if (*p == '/' && n > 0 && (size_t)n < size && access(out, X_OK) == 0)
			return 0;
		p += len + (p[len] == ':');
	}
	return err_set(err, -ENOENT,
		       "Valgrind is not installed; on Debian: apt-get install valgrind");
}

struct run_prefix *icount_prefix_new(const char *tool, const char *file, struct err *err)
{
	const char *slash = tool ? strrchr(tool, '/') : NULL;
	char valgrind[4096];
	struct run_prefix *p;
	size_t n = 0;

	if (!slash) {
		err_set(err, -ENOENT,
			"the icount tool is not built; install Valgrind with its headers "
			"(on Debian: apt-get install valgrind) and build cputop again");
		return NULL;
	}
	if (icount_find_valgrind(valgrind, sizeof(valgrind), err) < 0)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->argv = xcalloc(16, sizeof(*p->argv));
	p->argv[n++] = xstrdup(valgrind);
	p->argv[n++] = xstrdup("-q");
	p->argv[n++] = xstrdup("--tool=icount");
	p->argv[n++] = xstrdup("--trace-children=yes");
	/* It would make files that a killed process leaves behind. */
	p->argv[n++] = xstrdup("--vgdb=no");
	p->argv[n++] = xstrdup("--fair-sched=try");
	p->argv[n++] = xasprintf("--file=%s", file);
	p->argv[n++] = xstrdup("--");
	p->env = xcalloc(3, sizeof(*p->env));
	p->env[0] = xasprintf("VALGRIND_LIB=%.*s", (int)(slash - tool), tool);
	/* Options of the user's own are for other tools. */
	p->env[1] = xstrdup("VALGRIND_OPTS=");
	p->file = xstrdup(file);
	return p;
}
