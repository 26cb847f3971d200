/*
 * A lock file may be another user's when root sweeps, so that a note is believed only as far as it
 * does no harm: a segment must be the note's writer's own.
 */
#include "config.h"

#include "proc/notes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

int notes_remove_shm(long key, int id, uid_t owner)
{
	struct shmid_ds ds;

	if (shmctl(id, IPC_STAT, &ds) < 0)
		return errno == EINVAL || errno == EIDRM ? 0 : -errno;
	if ((long)ds.shm_perm.__key != key)
		return 0;
	if (owner != geteuid() && ds.shm_perm.cuid != owner)
		return 0;
	if (ds.shm_nattch > 0)
		return -EBUSY;
	return shmctl(id, IPC_RMID, NULL) < 0 ? -errno : 0;
}

int notes_act(char *text, uid_t owner)
{
	char *rest = text, *line;
	bool busy = false;
	long key;
	int id;

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "shm %ld %d", &key, &id) == 2)
			busy |= notes_remove_shm(key, id, owner) == -EBUSY;
	}
	return busy ? -EBUSY : 0;
}
