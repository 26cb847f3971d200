/* From a child_spec to the keeper's command line (keeper_main.c reads it), and where programs and
 * users are found. */
#include "config.h"

#include "proc/child_args.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "proc/child.h"
#include "proc/user.h"

static unsigned long nofile; /* the user's soft limit; 0: not remembered */

void child_remember_limits(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur != RLIM_INFINITY)
		nofile = rl.rlim_cur;
}

static void add(struct child_args *a, const char *s)
{
	*vec_push(&a->argv) = xstrdup(s);
}

static void add_option(struct child_args *a, const char *name, const char *value)
{
	add(a, name);
	add(a, value);
}

static void add_number(struct child_args *a, const char *name, unsigned long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", value);
	add_option(a, name, text);
}

static int add_user(struct child_args *a, const struct child_spec *spec, struct err *err)
{
	gid_t groups[KEEPER_GROUPS_MAX];
	struct strbuf list;
	int n;

	if (!spec->drop)
		return 0;
	n = user_groups(spec->uid, spec->gid, groups, KEEPER_GROUPS_MAX);
	if (n < 0)
		return err_set(err, n, "%s: the user %u is in more than %d groups", spec->name,
			       (unsigned)spec->uid, KEEPER_GROUPS_MAX);
	strbuf_init(&list);
	for (int i = 0; i < n; i++)
		strbuf_addf(&list, "%s%u", i ? "," : "", (unsigned)groups[i]);
	add_number(a, "--uid", spec->uid);
	add_number(a, "--gid", spec->gid);
	add_option(a, "--groups", list.buf);
	strbuf_release(&list);
	return 0;
}

static int add_fds(struct child_args *a, const struct child_spec *spec, struct err *err)
{
	struct strbuf list;

	if (spec->nfds > KEEPER_FDS_MAX)
		return err_set(err, -E2BIG, "%s: more than %d descriptors to hand on", spec->name,
			       KEEPER_FDS_MAX);
	if (spec->nfds == 0)
		return 0;
	strbuf_init(&list);
	for (size_t i = 0; i < spec->nfds; i++)
		strbuf_addf(&list, "%s%d", i ? "," : "", spec->fds[i].target);
	add_option(a, "--fds", list.buf);
	strbuf_release(&list);
	return 0;
}

int child_args_init(struct child_args *a, const struct child_spec *spec, struct err *err)
{
	char keeper[4096];
	int rc;

	memset(a, 0, sizeof(*a));
	rc = child_find_program("cputop-keeper", keeper, sizeof(keeper), err);
	if (rc < 0)
		return rc;
	add(a, keeper);
	add_option(a, "--name", spec->name);
	add_number(a, "--stop-signal", (unsigned long)spec->stop_signal);
	add_number(a, "--eof-signal",
		   (unsigned long)(spec->eof_signal ? spec->eof_signal : spec->stop_signal));
	if (spec->death_signal)
		add_number(a, "--death-signal", (unsigned long)spec->death_signal);
	add_number(a, "--kill-after", spec->kill_after_ms);
	add_option(a, "--cwd", spec->cwd ? spec->cwd : "/");
	if (nofile)
		add_number(a, "--nofile", nofile);
	rc = add_user(a, spec, err);
	if (rc == 0)
		rc = add_fds(a, spec, err);
	if (rc < 0)
		return rc;
	add(a, "--");
	for (size_t i = 0; spec->argv[i]; i++)
		add(a, spec->argv[i]);
	*vec_push(&a->argv) = NULL;
	return 0;
}

void child_args_release(struct child_args *a)
{
	for (size_t i = 0; i < a->argv.len; i++)
		free(a->argv.items[i]);
	vec_release(&a->argv);
}

static bool try_program(const char *dir, const char *name, char *out, size_t size)
{
	int n = snprintf(out, size, "%s/%s", dir, name);

	return n > 0 && (size_t)n < size && access(out, X_OK) == 0;
}

int child_find_program(const char *name, char *out, size_t size, struct err *err)
{
	const char *libexec = getenv("CPUTOP_LIBEXEC");
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	/* An answer that was asked for is the only one. */
	if (libexec && *libexec) {
		if (try_program(libexec, name, out, size))
			return 0;
		return err_set(err, -ENOENT, "%s is not in %s, where CPUTOP_LIBEXEC says it is",
			       name, libexec);
	}
	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		if (try_program(self, name, out, size))
			return 0;
	}
	if (try_program(CPUTOP_LIBEXECDIR, name, out, size))
		return 0;
	return err_set(err, -ENOENT,
		       "%s is neither beside cputop nor in %s; install cputop again, or set "
		       "CPUTOP_LIBEXEC to its directory",
		       name, CPUTOP_LIBEXECDIR);
}

int child_find_user(const char *name, uid_t *uid, gid_t *gid, struct err *err)
{
	const struct passwd *pw = getpwnam(name);

	if (!pw)
		return err_set(err, -ENOENT, "there is no user %s on this machine", name);
	*uid = pw->pw_uid;
	*gid = pw->pw_gid;
	return 0;
}
