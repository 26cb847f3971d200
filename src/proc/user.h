/* Other users, as far as starting programs as them goes. */
#ifndef CPUTOP_USER_H
#define CPUTOP_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;

/* Another user; where a pointer to one is NULL the caller itself is meant. */
struct run_as {
	uid_t uid;
	gid_t gid;
};

/* All groups of a user, gid among them; of one without an account: gid alone. Returns how many, or
 * -E2BIG when they are more than max. */
int user_groups(uid_t uid, gid_t gid, gid_t *groups, int max);

/* Whether a user can reach path: search permission on every directory above it, and mode (R_OK,
 * W_OK, X_OK) on itself. Returns 0, or -errno with err that names the directory or file that is
 * closed and the user. */
int user_can_reach(const char *path, int mode, const struct run_as *who, struct err *err);

#endif
