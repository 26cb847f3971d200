/* The session's directory: what is made, what is removed, and above all what is not. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/xalloc.h"
#include "proc/tmpdir.h"
#include "proc/user.h"
#include "proc_support.h"

static char base[64]; /* TMPDIR of the test */

static int set_up(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/cptest-XXXXXX");
	if (!mkdtemp(base) || chmod(base, 0755) < 0)
		return -1;
	return setenv("TMPDIR", base, 1);
}

static int tear_down(void **state)
{
	(void)state;
	unsetenv("TMPDIR");
	return remove_tree(base);
}

static bool exists(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct stat st;
	bool there = lstat(path, &st) == 0;

	free(path);
	return there;
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", dir, name);

	support_write_file(path, text, 0600);
	free(path);
}

static void put_dir(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);

	assert_int_equal(mkdir(path, 0700), 0);
	free(path);
}

static void create(struct tmpdir *t)
{
	struct err err;

	memset(t, 0, sizeof(*t));
	if (tmpdir_create(t, &err) < 0)
		fail_msg("%s", err.text);
}

/* A session that ended without cleaning up; path is its directory. note may be NULL. */
static void dead_session(char path[4096], const char *note)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct tmpdir t;

		create(&t);
		put_file(t.path, "file", "x");
		if (note && tmpdir_note(&t, note) < 0)
			_exit(1);
		if (write(ends[1], t.path, sizeof(t.path)) < 0)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(ends[0], path, 4096), 4096);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	assert_true(exists(path, "file"));
}

static void test_create_and_remove(void **state)
{
	struct tmpdir t;
	struct stat st;
	mode_t old = umask(0);

	(void)state;
	create(&t);
	umask(old);
	assert_int_equal(stat(t.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711);
	assert_true(exists(t.path, "lock"));
	assert_true(fcntl(t.lock_fd, F_GETFD) & FD_CLOEXEC);
	put_dir(t.path, "a");
	put_file(t.path, "a/b", "x");
	tmpdir_remove(&t);
	assert_string_equal(t.path, "");
	assert_int_equal(t.lock_fd, -1);
	tmpdir_remove(&t);
	assert_int_equal(rmdir(base), 0);
	assert_int_equal(mkdir(base, 0755), 0);
}

static void test_keep(void **state)
{
	struct tmpdir t;
	char path[4096];

	(void)state;
	create(&t);
	snprintf(path, sizeof(path), "%s", t.path);
	put_file(path, "file", "x");
	t.keep = true;
	tmpdir_remove(&t);
	assert_true(exists(path, "file"));
	/* nor does a later start take it away */
	assert_int_equal(tmpdir_sweep(base), 0);
	assert_true(exists(path, "file"));
}

static void test_cannot_create(void **state)
{
	struct tmpdir t = {.lock_fd = -1};
	struct err err;

	(void)state;
	setenv("TMPDIR", "/nonexistent/dir", 1);
	assert_int_equal(tmpdir_create(&t, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/dir"));
	assert_non_null(strstr(err.text, "TMPDIR"));
	assert_string_equal(t.path, "");
	setenv("TMPDIR", "/proc", 1);
	assert_true(tmpdir_create(&t, &err) < 0);
	assert_non_null(strstr(err.text, "/proc"));
	tmpdir_remove(&t);
}

static void test_sweep_dead(void **state)
{
	char dead[4096];
	struct tmpdir live;

	(void)state;
	dead_session(dead, NULL);
	/* creating sweeps */
	create(&live);
	assert_false(exists(dead, ""));
	dead_session(dead, NULL);
	assert_int_equal(tmpdir_sweep(base), 1);
	assert_true(exists(live.path, "lock"));
	tmpdir_remove(&live);
}

static void test_sweep_spares_foreign(void **state)
{
	char dead[4096];
	char *copy, *command;

	(void)state;
	put_dir(base, "cputop-nolock");
	put_dir(base, "cputop-nomark");
	put_file(base, "cputop-nomark/lock", "");
	put_dir(base, "cputop-other");
	put_file(base, "cputop-other/lock", "some other program\ncputop-other\n");
	put_dir(base, "cputop-fifo");
	copy = xasprintf("%s/cputop-fifo/lock", base);
	assert_int_equal(mkfifo(copy, 0600), 0);
	free(copy);
	dead_session(dead, NULL);
	copy = xasprintf("%s/cputop-copied", base);
	command = xasprintf("%s/lock", dead);
	assert_int_equal(mkdir(copy, 0700), 0);
	put_file(base, "cputop-copied/lock", support_read_file(command));
	free(command);
	free(copy);
	/* one: the real one */
	assert_int_equal(tmpdir_sweep(base), 1);
	assert_true(exists(base, "cputop-nolock"));
	assert_true(exists(base, "cputop-nomark"));
	assert_true(exists(base, "cputop-other"));
	assert_true(exists(base, "cputop-fifo"));
	assert_true(exists(base, "cputop-copied"));
}

static void test_links_are_not_followed(void **state)
{
	char dead[4096];
	char *link, *outside = xasprintf("%s/outside", base);

	(void)state;
	put_dir(base, "outside");
	put_file(base, "outside/precious", "x");
	dead_session(dead, NULL);
	link = xasprintf("%s/link", dead);
	assert_int_equal(symlink(outside, link), 0);
	free(link);
	assert_int_equal(tmpdir_sweep(base), 1);
	assert_true(exists(base, "outside/precious"));

	/* the session's directory itself, and its lock file */
	dead_session(dead, NULL);
	link = xasprintf("%s/%s", outside, strrchr(dead, '/') + 1);
	assert_int_equal(rename(dead, link), 0);
	assert_int_equal(symlink(link, dead), 0);
	free(link);
	put_dir(base, "cputop-lockln");
	link = xasprintf("%s/cputop-lockln/lock", base);
	assert_int_equal(symlink("../outside/precious", link), 0);
	free(link);
	assert_int_equal(tmpdir_sweep(base), 0);
	assert_true(exists(dead, "file"));
	assert_true(exists(base, "cputop-lockln"));
	assert_int_equal(remove_tree(outside), 0);
	free(outside);
}

static void test_remove_tree(void **state)
{
	char *path = xasprintf("%s/tree", base);
	char *sub = xasprintf("%s/tree/a", base);
	char *file = xasprintf("%s/file", base);

	(void)state;
	assert_int_equal(remove_tree(path), -ENOENT);
	put_dir(base, "tree");
	put_dir(base, "tree/a");
	put_dir(base, "tree/a/b");
	put_file(base, "tree/a/b/file", "x");
	put_file(base, "file", "x");
	chmod(sub, 0500);
	assert_int_equal(remove_tree(path), 0);
	assert_int_equal(remove_tree(file), -ENOTDIR);
	assert_true(exists(base, "file"));
	free(path);
	free(sub);
	free(file);
}

static int new_segment(char *note, size_t size)
{
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);

	assert_true(id >= 0);
	snprintf(note, size, "shm 0 %d", id);
	return id;
}

static bool segment_exists(int id)
{
	struct shmid_ds ds;

	return shmctl(id, IPC_STAT, &ds) == 0;
}

static void test_notes(void **state)
{
	char dead[4096], note[64];
	struct tmpdir t;
	int id = new_segment(note, sizeof(note));
	void *at = shmat(id, NULL, 0);

	(void)state;
	/* somebody still uses it: the whole session waits for the next sweep */
	dead_session(dead, note);
	assert_int_equal(tmpdir_sweep(base), 0);
	assert_true(segment_exists(id));
	assert_true(exists(dead, "lock"));
	shmdt(at);
	assert_int_equal(tmpdir_sweep(base), 1);
	assert_false(segment_exists(id));

	/* another key: the number was given to something else since */
	id = new_segment(note, sizeof(note));
	snprintf(note, sizeof(note), "shm 77 %d", id);
	dead_session(dead, note);
	assert_int_equal(tmpdir_sweep(base), 1);
	assert_true(segment_exists(id));

	/* an orderly end acts on them too */
	snprintf(note, sizeof(note), "shm 0 %d", id);
	create(&t);
	assert_int_equal(tmpdir_note(&t, note), 0);
	tmpdir_remove(&t);
	assert_false(segment_exists(id));
	assert_int_equal(tmpdir_note(&t, note), -EBADF);
}

/* Of another version, or damaged: nothing happens to what they name. */
static void test_unknown_notes(void **state)
{
	char dead[4096];
	char *note = xasprintf("cgroup %s/cputop-x\n%s/cputop-x\n\nshm\nshm x y", base, base);

	(void)state;
	put_dir(base, "cputop-x");
	dead_session(dead, note);
	assert_int_equal(tmpdir_sweep(base), 1);
	assert_true(exists(base, "cputop-x"));
	free(note);
}

static void test_add(void **state)
{
	char path[4096];
	struct tmpdir t;
	struct stat st;
	struct err err;

	(void)state;
	create(&t);
	assert_int_equal(tmpdir_add(&t, "pg", NULL, path, sizeof(path), &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_equal(tmpdir_add(&t, "pg", NULL, path, sizeof(path), &err), -EEXIST);
	assert_int_equal(tmpdir_add(&t, "my", NULL, path, 5, &err), -ENAMETOOLONG);
	tmpdir_remove(&t);
}

static void test_add_for_other_user(void **state)
{
	const struct passwd *pw = getpwnam("nobody");
	char path[4096], closed[96];
	struct tmpdir t;
	struct stat st;
	struct run_as who = {pw->pw_uid, pw->pw_gid};
	struct err err;

	(void)state;
	create(&t);
	assert_int_equal(tmpdir_add(&t, "pg", &who, path, sizeof(path), &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, pw->pw_uid);
	assert_int_equal(st.st_gid, pw->pw_gid);
	assert_int_equal(st.st_mode & 07777, 0700);
	tmpdir_remove(&t);

	put_dir(base, "closed");
	snprintf(closed, sizeof(closed), "%s/closed", base);
	setenv("TMPDIR", closed, 1);
	create(&t);
	assert_int_equal(tmpdir_add(&t, "pg", &who, path, sizeof(path), &err), -EACCES);
	snprintf(path, sizeof(path), "%s is closed to the user nobody", closed);
	assert_non_null(strstr(err.text, path));
	assert_false(exists(t.path, "pg"));
	tmpdir_remove(&t);
}

static void test_user_can_reach(void **state)
{
	const struct passwd *pw = getpwnam("nobody");
	struct run_as who = {pw->pw_uid, pw->pw_gid};
	struct err err;

	(void)state;
	assert_int_equal(user_can_reach("/bin/sh", X_OK, &who, &err), 0);
	assert_int_equal(user_can_reach("/etc/passwd", X_OK, &who, &err), -EACCES);
	assert_non_null(strstr(err.text, "/etc/passwd is closed to the user nobody"));
	assert_int_equal(user_can_reach("/nonexistent", X_OK, &who, &err), -ENOENT);
}

/* Another user sweeps the same directory: what is not theirs stays. */
static void test_sweep_spares_others(void **state)
{
	const struct passwd *pw = getpwnam("nobody");
	char dead[4096];
	char *lock;
	int status;
	pid_t pid;

	(void)state;
	chmod(base, 01777);
	dead_session(dead, NULL);
	/* even where they could */
	lock = xasprintf("%s/lock", dead);
	chmod(lock, 0666);
	chmod(dead, 0777);
	free(lock);
	pid = fork();
	if (pid == 0) {
		if (setgid(pw->pw_gid) < 0 || setuid(pw->pw_uid) < 0)
			_exit(99);
		_exit((int)tmpdir_sweep(base));
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_true(exists(dead, "file"));
}

/* A lock file of another user may name what it likes: root removes only what is theirs. */
static void test_notes_of_others(void **state)
{
	const struct passwd *pw = getpwnam("nobody");
	char note[64], path[256];
	int id = new_segment(note, sizeof(note));
	char *text = xasprintf("cputop session 1\ncputop-evil00\n%s\n", note);

	(void)state;
	put_dir(base, "cputop-evil00");
	put_file(base, "cputop-evil00/lock", text);
	snprintf(path, sizeof(path), "%s/cputop-evil00", base);
	assert_int_equal(chown(path, pw->pw_uid, pw->pw_gid), 0);
	/* a lock file that is not the directory owner's is nothing */
	assert_int_equal(tmpdir_sweep(base), 0);
	snprintf(path, sizeof(path), "%s/cputop-evil00/lock", base);
	assert_int_equal(chown(path, pw->pw_uid, pw->pw_gid), 0);
	assert_int_equal(tmpdir_sweep(base), 1);
	assert_true(segment_exists(id));
	shmctl(id, IPC_RMID, NULL);
	free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create_and_remove),
		TEST(test_keep),
		TEST(test_cannot_create),
		TEST(test_sweep_dead),
		TEST(test_sweep_spares_foreign),
		TEST(test_links_are_not_followed),
		TEST(test_remove_tree),
		TEST(test_notes),
		TEST(test_unknown_notes),
		TEST(test_add),
		/* these four need root */
		TEST(test_add_for_other_user),
		TEST(test_user_can_reach),
		TEST(test_sweep_spares_others),
		TEST(test_notes_of_others),
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);

	return _cmocka_run_group_tests("tmpdir", tests, geteuid() == 0 ? n : n - 4, NULL, NULL);
}
