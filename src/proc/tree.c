/*
 * Directories are entered by descriptor and never through a link, so that nobody who may write in
 * the tree can lead the walk out of it. Other file systems are left alone.
 */
#include "config.h"

#include "proc/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/tmpdir.h"

enum { TREE_DEPTH_MAX = 200 };

static void note_failure(int *first, int code)
{
	if (*first == 0 && code != -ENOENT)
		*first = code;
}

static int unlink_one(int dir_fd, const char *name, int flags)
{
	if (unlinkat(dir_fd, name, flags) == 0)
		return 0;
	/* A directory of ours without write permission, as build caches have them. */
	if (errno == EACCES && fchmod(dir_fd, 0700) == 0 && unlinkat(dir_fd, name, flags) == 0)
		return 0;
	return -errno;
}

static int empty_dir(int fd, const char *keep, dev_t device, int depth);

static int remove_entry(int dir_fd, const char *name, dev_t device, int depth)
{
	struct stat st;
	int fd, rc;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return unlink_one(dir_fd, name, 0);
	if (depth >= TREE_DEPTH_MAX)
		return -ELOOP;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = empty_dir(fd, NULL, device, depth + 1);
	close(fd);
	return rc < 0 ? rc : unlink_one(dir_fd, name, AT_REMOVEDIR);
}

static bool is_entry(const char *name, const char *keep)
{
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       (!keep || strcmp(name, keep) != 0);
}

static int empty_dir(int fd, const char *keep, dev_t device, int depth)
{
	struct dirent *e;
	struct stat st;
	int first = 0;
	DIR *dir;
	int own;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_dev != device)
		return -EXDEV;
	own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (own < 0)
		return -errno;
	dir = fdopendir(own);
	if (!dir) {
		first = -errno;
		close(own);
		return first;
	}
	while ((e = readdir(dir))) {
		if (is_entry(e->d_name, keep))
			note_failure(&first, remove_entry(fd, e->d_name, device, depth));
	}
	closedir(dir);
	return first;
}

int tree_empty(int fd, const char *keep)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return empty_dir(fd, keep, st.st_dev, 0);
}

int remove_tree(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = tree_empty(fd, NULL);
	close(fd);
	if (rc == 0 && rmdir(path) < 0)
		rc = -errno;
	return rc;
}
