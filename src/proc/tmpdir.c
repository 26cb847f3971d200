/*
 * A session's directory is ours if its lock file begins with our marker and the directory's own
 * name (a copy of one is not), and dead if that file can be locked. The file is locked before the
 * marker is written, and removed last: at no moment does a live or half-removed directory look like
 * something else.
 */
#include "config.h"

#include "proc/tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/xalloc.h"
#include "proc/notes.h"
#include "proc/tree.h"
#include "proc/user.h"

#define LOCK_NAME   "lock"
#define LOCK_MARKER "cputop session 1\n"
#define DIR_PREFIX  "cputop-"

enum { LOCK_FILE_MAX = 65536 };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int write_all(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n = write(fd, text, len);

	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -ENOSPC;
}

int tmpdir_note(struct tmpdir *t, const char *line)
{
	char *text;
	int rc;

	if (!t->path[0])
		return -EBADF;
	text = xasprintf("%s\n", line);
	rc = write_all(t->lock_fd, text);
	free(text);
	return rc;
}

static int make_lock(struct tmpdir *t)
{
	char *path = xasprintf("%s/%s", t->path, LOCK_NAME);
	int rc;

	t->lock_fd =
		open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	free(path);
	/* A sweep of another start may hold it for an instant, to find no marker in it. */
	if (t->lock_fd < 0 || flock(t->lock_fd, LOCK_EX) < 0)
		return -errno;
	rc = write_all(t->lock_fd, LOCK_MARKER);
	return rc < 0 ? rc : tmpdir_note(t, base_name(t->path));
}

/* The directory that sessions are made in, without links in its path. NULL with err. */
static char *find_base(struct err *err)
{
	const char *base = getenv("TMPDIR");
	char *real;

	if (!base || !*base)
		base = "/tmp";
	real = realpath(base, NULL);
	if (!real)
		err_set(err, -errno, "cannot use the temporary directory %s: %s; set TMPDIR", base,
			strerror(errno));
	return real;
}

int tmpdir_create(struct tmpdir *t, struct err *err)
{
	char *base = find_base(err);
	int rc = 0, n;

	t->path[0] = '\0';
	t->lock_fd = -1;
	if (!base)
		return err ? err->code : -ENOENT;
	tmpdir_sweep(base);
	n = snprintf(t->path, sizeof(t->path), "%s/" DIR_PREFIX "XXXXXX",
		     strcmp(base, "/") == 0 ? "" : base);
	if (n < 0 || (size_t)n >= sizeof(t->path))
		rc = -ENAMETOOLONG;
	else if (!mkdtemp(t->path))
		rc = -errno;
	if (rc < 0) {
		t->path[0] = '\0';
		goto out;
	}
	rc = make_lock(t);
	if (rc == 0 && chmod(t->path, 0711) < 0)
		rc = -errno;
	if (rc < 0)
		tmpdir_remove(t);
out:
	if (rc < 0)
		err_set(err, rc,
			"cannot make a temporary directory in %s: %s; set TMPDIR to one that "
			"can be written",
			base, strerror(-rc));
	free(base);
	return rc;
}

static int make_owned(const char *path, const struct run_as *who)
{
	if (mkdir(path, 0700) < 0)
		return -errno;
	/* Nobody else can write in the directory above it, so that the path is still ours. */
	if (chmod(path, 0700) < 0 || (who && lchown(path, who->uid, who->gid) < 0))
		return -errno;
	return 0;
}

int tmpdir_add(struct tmpdir *t, const char *name, const struct run_as *who, char *path,
	       size_t size, struct err *err)
{
	int n = snprintf(path, size, "%s/%s", t->path, name);
	int rc;

	if (n < 0 || (size_t)n >= size)
		return err_set(err, -ENAMETOOLONG, "the path %s/%s is too long; set TMPDIR",
			       t->path, name);
	rc = make_owned(path, who);
	if (rc < 0)
		return err_set(err, rc, "cannot make the directory %s: %s", path, strerror(-rc));
	rc = user_can_reach(path, R_OK | W_OK | X_OK, who, err);
	if (rc < 0) {
		rmdir(path);
		err_prefix(err, "cannot work in %s, set TMPDIR to another directory", path);
	}
	return rc;
}

/* Reads the lock file and checks that it is that of the directory called name. Gives what follows,
 * to be freed, or NULL. */
static char *read_notes(int lock_fd, const char *name)
{
	char *text = xmalloc(LOCK_FILE_MAX + 1);
	ssize_t n = pread(lock_fd, text, LOCK_FILE_MAX, 0);
	size_t skip = sizeof(LOCK_MARKER) - 1;
	char *notes = NULL;

	text[n > 0 ? n : 0] = '\0';
	if (strncmp(text, LOCK_MARKER, skip) == 0 &&
	    strncmp(text + skip, name, strlen(name)) == 0 && text[skip + strlen(name)] == '\n')
		notes = xstrdup(text + skip + strlen(name) + 1);
	free(text);
	return notes;
}

void tmpdir_remove(struct tmpdir *t)
{
	char *notes;
	int fd;

	if (!t->path[0])
		return;
	notes = t->lock_fd >= 0 ? read_notes(t->lock_fd, base_name(t->path)) : NULL;
	fd = open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (notes)
		notes_act(notes, geteuid());
	free(notes);
	if (fd >= 0) {
		if (t->keep || tree_empty(fd, LOCK_NAME) == 0)
			unlinkat(fd, LOCK_NAME, 0);
		close(fd);
		if (!t->keep)
			rmdir(t->path);
	}
	if (t->lock_fd >= 0)
		close(t->lock_fd);
	t->lock_fd = -1;
	t->path[0] = '\0';
}

/* Opens and locks the lock file of a dead session of ours in the directory behind fd; -1 if it is
 * anything else. Sets owner. */
static int lock_dead(int fd, uid_t *owner)
{
	struct stat dir, file;
	int lock;

	if (fstat(fd, &dir) < 0 || (dir.st_uid != geteuid() && geteuid() != 0))
		return -1;
	lock = openat(fd, LOCK_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (lock < 0)
		return -1;
	if (fstat(lock, &file) < 0 || !S_ISREG(file.st_mode) || file.st_uid != dir.st_uid ||
	    file.st_nlink != 1 || flock(lock, LOCK_EX | LOCK_NB) < 0) {
		close(lock);
		return -1;
	}
	*owner = dir.st_uid;
	return lock;
}

static bool sweep_one(int base_fd, const char *name)
{
	int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	uid_t owner = 0;
	int lock = fd >= 0 ? lock_dead(fd, &owner) : -1;
	char *notes = lock >= 0 ? read_notes(lock, name) : NULL;
	bool gone = false;

	/* What is still in use belongs to a tree that is just ending: the next sweep gets it. */
	if (notes && notes_act(notes, owner) == 0 && tree_empty(fd, LOCK_NAME) == 0)
		gone = unlinkat(fd, LOCK_NAME, 0) == 0 &&
		       unlinkat(base_fd, name, AT_REMOVEDIR) == 0;
	free(notes);
	if (lock >= 0)
		close(lock);
	if (fd >= 0)
		close(fd);
	return gone;
}

unsigned tmpdir_sweep(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned removed = 0;

	if (!d)
		return 0;
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, DIR_PREFIX, sizeof(DIR_PREFIX) - 1) == 0)
			removed += sweep_one(dirfd(d), e->d_name);
	}
	closedir(d);
	return removed;
}
