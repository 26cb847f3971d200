/*
 * The server's own directory: 0700 and the server's user's, below the session's. The log is ours
 * and opened once: its reader looks through that descriptor, so that the server's user cannot put
 * another file in its place. The password is in one file, until the data directory is initialised
 * or, where the server reads it, until it has let cputop in.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/rng.h"
#include "lib/xalloc.h"
#include "proc/child.h"
#include "proc/tmpdir.h"
#include "server/engine.h"

#define LOG_ROOM (256 * 1024) /* bytes */

enum { PASSWORD_LENGTH = 32, DIRS_MAX = 100 };

static int stay_self(const char *name, struct err *err)
{
	uid_t uid;
	gid_t gid;
	int rc = child_find_user(name, &uid, &gid, err);

	if (rc == 0 && uid != geteuid())
		rc = err_set(err, -EPERM,
			     "the server can run as %s only when root runs cputop; leave "
			     "--server-user out",
			     name);
	return rc;
}

static int find_user(struct server *s, const char *asked, struct err *err)
{
	const char *name = asked ? asked : s->ops->user;
	int rc;

	if (geteuid() != 0)
		return asked ? stay_self(asked, err) : 0;
	rc = child_find_user(name, &s->user.uid, &s->user.gid, err);
	if (rc < 0 && !asked)
		rc = child_find_user("nobody", &s->user.uid, &s->user.gid, err);
	if (rc == 0 && s->user.uid == 0)
		rc = err_set(err, -EPERM, "%s does not run as root; name another user",
			     s->ops->title);
	if (rc < 0)
		err_prefix(err, "--server-user");
	s->drop = rc == 0;
	return rc;
}

static int check_programs(const struct server *s, const struct server_options *options,
			  struct err *err)
{
	/* the directory as well: what is in it may be a link to elsewhere */
	const char *const programs[] = {s->programs.dir, s->programs.server, s->programs.init};
	char origin[64];
	int rc;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		rc = user_can_reach(programs[i], X_OK, s->drop ? &s->user : NULL, err);
		if (rc < 0) {
			server_bin_origin(options, origin, sizeof(origin));
			err_prefix(err, "cannot run %s, give another directory with %s",
				   programs[i], origin);
			return rc;
		}
	}
	return 0;
}

/* The first of "pg", "pg-2", ... that is not there. */
static int make_dir(struct server *s, struct err *err)
{
	char name[32];
	int rc = -EEXIST;

	for (unsigned i = 1; rc == -EEXIST && i <= DIRS_MAX; i++) {
		if (i == 1)
			snprintf(name, sizeof(name), "%s", s->ops->dir);
		else
			snprintf(name, sizeof(name), "%s-%u", s->ops->dir, i);
		rc = tmpdir_add(s->tmp, name, s->drop ? &s->user : NULL, s->dir, sizeof(s->dir),
				err);
	}
	if (rc < 0)
		s->dir[0] = '\0';
	return rc;
}

static int in_dir(const struct server *s, const char *name, char *path)
{
	int n = snprintf(path, SERVER_PATH_MAX, "%s/%s", s->dir, name);

	return n < 0 || n >= SERVER_PATH_MAX ? -ENAMETOOLONG : 0;
}

/* O_EXCL: the directory is another user's, who may have put a link there. */
static int create_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int write_whole(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_password(const struct server *s)
{
	char *text = s->ops->password_text ? s->ops->password_text(s)
					   : xasprintf("%s\n", s->dsn.password);
	int fd = create_file(s->password_file, O_WRONLY);
	int rc = fd < 0 ? fd : 0;

	if (rc == 0 && s->drop && fchown(fd, s->user.uid, s->user.gid) < 0)
		rc = -errno;
	if (rc == 0)
		rc = write_whole(fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
	explicit_bzero(text, strlen(text));
	free(text);
	return rc;
}

static int fill_dir(struct server *s)
{
	int rc;

	if (in_dir(s, "data", s->data_dir) < 0 || in_dir(s, "log", s->log) < 0 ||
	    in_dir(s, "password", s->password_file) < 0)
		return -ENAMETOOLONG;
	s->log_fd = create_file(s->log, O_RDWR | O_APPEND);
	if (s->log_fd < 0)
		return s->log_fd;
	/* Room for the line that says that the disk is full; a file system that cannot promise it
	 * only makes the message less clear. */
	(void)!fallocate(s->log_fd, FALLOC_FL_KEEP_SIZE, 0, LOG_ROOM);
	rc = rng_token(s->dsn.password, PASSWORD_LENGTH);
	return rc < 0 ? rc : write_password(s);
}

int server_make_files(struct server *s, const struct server_options *options, struct err *err)
{
	int rc = find_user(s, options->user, err);

	if (rc == 0)
		rc = check_programs(s, options, err);
	if (rc == 0)
		rc = make_dir(s, err);
	if (rc < 0)
		return rc;
	rc = fill_dir(s);
	if (rc < 0)
		err_set(err, rc, "cannot write in %s: %s; set TMPDIR to a directory with space",
			s->dir, strerror(-rc));
	return rc;
}

void server_remove_files_now(struct server *s)
{
	if (s->removed)
		return;
	s->removed = true;
	if (s->password_file[0])
		unlink(s->password_file);
	if (s->dir[0] && !s->tmp->keep)
		remove_tree(s->dir);
}

static void remove_cb(uv_work_t *work)
{
	server_remove_files_now(work->data);
}

static void removed_cb(uv_work_t *work, int status)
{
	struct server *s = work->data;

	(void)status;
	s->removing = false;
	s->done(s, s->done_arg);
}

void server_remove_files(struct server *s)
{
	if (s->removing)
		return;
	s->removing = true;
	s->remove.data = s;
	/* refused only without a function to run */
	if (uv_queue_work(s->loop, &s->remove, remove_cb, removed_cb) < 0)
		abort();
}

int server_copy_log(const struct server *s, int out_fd, size_t max)
{
	char buf[16384];
	off_t at = 0;
	int rc = 0;

	while (rc == 0 && max > 0) {
		ssize_t n = pread(s->log_fd, buf, max < sizeof(buf) ? max : sizeof(buf), at);

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		rc = write_whole(out_fd, buf, (size_t)n);
		at += n;
		max -= (size_t)n;
	}
	return rc;
}
