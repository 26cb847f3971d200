/*
 * The temporary directory of a session: TMPDIR/cputop-XXXXXX, 0711, with a lock file that tells a
 * later start that it is ours and whether its owner still lives. Below it one 0700 directory per
 * server, owned by the server's user.
 *
 * The lock file has a line that says what it is, the directory's name, and then notes: what else of
 * the session is to be removed when it could not do so itself, one per line:
 *   shm KEY ID      a System V shared memory segment that nobody is attached to
 * (Cgroups need none: measure finds those of dead sessions by their names.)
 */
#ifndef CPUTOP_TMPDIR_H
#define CPUTOP_TMPDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;
struct run_as;

struct tmpdir {
	char path[4096]; /* empty when there is none */
	int lock_fd;     /* held with flock while the session lives, -1 otherwise */
	bool keep;       /* --keep: leave it */
};

/* Makes it under $TMPDIR or /tmp, after removing those of dead sessions. err names the directory
 * when it cannot be written. */
int tmpdir_create(struct tmpdir *t, struct err *err);
/* Makes a 0700 directory below it that belongs to who (NULL: to the caller), and checks that this
 * user can reach it (-EACCES with err that names the directory that is closed). path gets its name.
 */
int tmpdir_add(struct tmpdir *t, const char *name, const struct run_as *who, char *path,
	       size_t size, struct err *err);
/* Adds a note (without newline) to the lock file. Returns 0 or -errno. */
int tmpdir_note(struct tmpdir *t, const char *line);
/* Removes it, everything below and what the notes name; with keep only the lock. Safe to call
 * twice. */
void tmpdir_remove(struct tmpdir *t);
/* Removes directory trees, and what their notes name, that dead sessions left in dir: only what
 * carries our lock file, is not locked and belongs to this user (to anybody, for root). Returns how
 * many were removed. */
unsigned tmpdir_sweep(const char *dir);

/* Removes a tree without following links; stays on one file system. 0 or -errno of the first
 * failure. */
int remove_tree(const char *path);

#endif
