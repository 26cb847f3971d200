/* The notes in a session's lock file (tmpdir.h): what they name is removed here. */
#ifndef CPUTOP_NOTES_H
#define CPUTOP_NOTES_H

#include <sys/types.h>

/* Acts on every line of text (which is taken apart). Only segments made by owner, or by anybody
 * when owner is the caller, are removed. Unknown lines are skipped. Returns 0, or -EBUSY when
 * something named is still in use. */
int notes_act(char *text, uid_t owner);
/* Removes the segment if it still has this key and nobody is attached. 0 (also when it is gone),
 * -EBUSY while it is in use, or -errno. */
int notes_remove_shm(long key, int id, uid_t owner);

#endif
