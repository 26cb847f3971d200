/*
 * Access is asked of the kernel by a short-lived process that has become the user: mode bits alone
 * are not the whole answer (access control lists, security modules, read-only mounts).
 */
#include "config.h"

#include "proc/user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/err.h"

enum { GROUPS_MAX = 1024 };

/* What the asking process says: which part of the path is closed. */
struct verdict {
	int code; /* negative errno, 0 when all is open */
	size_t len;
};

int user_groups(uid_t uid, gid_t gid, gid_t *groups, int max)
{
	const struct passwd *pw = getpwuid(uid);
	int n = max;

	if (!pw) {
		groups[0] = gid;
		return 1;
	}
	return getgrouplist(pw->pw_name, gid, groups, &n) < 0 ? -E2BIG : n;
}

static struct verdict ask(const char *path, int mode)
{
	struct verdict v = {0, 0};
	char part[PATH_MAX];
	size_t i;

	for (i = 1; i < sizeof(part) - 1 && path[i]; i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (access(part, X_OK) < 0) {
			v.code = -errno;
			v.len = i;
			return v;
		}
	}
	if (access(path, mode) < 0) {
		v.code = -errno;
		v.len = strlen(path);
	}
	return v;
}

struct groups {
	gid_t ids[GROUPS_MAX];
	int n;
};

static _Noreturn void ask_as(const char *path, int mode, const struct run_as *who,
			     const struct groups *groups, int fd)
{
	struct verdict v = {0, 0};

	if (setgroups((size_t)groups->n, groups->ids) < 0 ||
	    setresgid(who->gid, who->gid, who->gid) < 0 ||
	    setresuid(who->uid, who->uid, who->uid) < 0)
		v.code = -errno;
	else
		v = ask(path, mode);
	_exit(write(fd, &v, sizeof(v)) == (ssize_t)sizeof(v) ? 0 : 1);
}

static int ask_in_child(const char *path, int mode, const struct run_as *who, struct verdict *v)
{
	struct groups groups;
	int ends[2] = {-1, -1};
	int rc = 0;
	pid_t pid;

	groups.n = user_groups(who->uid, who->gid, groups.ids, GROUPS_MAX);
	if (groups.n < 0)
		return groups.n;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		rc = -errno;
		goto out;
	}
	pid = fork();
	if (pid == 0)
		ask_as(path, mode, who, &groups, ends[1]);
	if (pid < 0) {
		rc = -errno;
		goto out;
	}
	close(ends[1]);
	ends[1] = -1;
	if (read(ends[0], v, sizeof(*v)) != (ssize_t)sizeof(*v))
		rc = -EIO;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
out:
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
	}
	return rc;
}

static const char *user_name(uid_t uid, char *buf, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		snprintf(buf, size, "%s", pw->pw_name);
	else
		snprintf(buf, size, "%u", (unsigned)uid);
	return buf;
}

int user_can_reach(const char *path, int mode, const struct run_as *who, struct err *err)
{
	struct verdict v = {0, 0};
	char *real = realpath(path, NULL);
	uid_t uid = who ? who->uid : getuid();
	char name[64];
	int rc = 0;

	if (!real)
		return err_set(err, -errno, "cannot find %s: %s", path, strerror(errno));
	if (who)
		rc = ask_in_child(real, mode, who, &v);
	else
		v = ask(real, mode);
	if (rc < 0)
		err_set(err, rc, "cannot ask whether the user %s reaches %s: %s",
			user_name(uid, name, sizeof(name)), real, strerror(-rc));
	else if (v.code && v.len == 0)
		rc = err_set(err, v.code, "cannot become the user %s: %s",
			     user_name(uid, name, sizeof(name)), strerror(-v.code));
	else if (v.code)
		rc = err_set(err, v.code, "%.*s is closed to the user %s: %s", (int)v.len, real,
			     user_name(uid, name, sizeof(name)), strerror(-v.code));
	free(real);
	return rc;
}
