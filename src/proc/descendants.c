/*
 * One walk over /proc takes (pid, parent) of every process; the tree is then spread from the root,
 * generation by generation. A walk is not an instant: who is forked meanwhile is missed, so that a
 * caller repeats it until it has no child left. The file "children" would be shorter to read, but
 * not every kernel has it.
 */
#include "config.h"

#include "proc/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/vec.h"

struct kin {
	pid_t pid, parent;
	bool listed; /* is in the family */
};
struct kin_list vec_of(struct kin);
struct pid_list vec_of(pid_t);

/* The parent of a live process from its stat file; -1 when it is gone or a zombie. */
static pid_t parent_of(int proc_fd, const char *pid)
{
	char path[64], text[1024];
	const char *end;
	char state;
	long parent;
	ssize_t n;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/stat", pid) >= sizeof(path))
		return -1;
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	/* The name is in parentheses and may hold some itself. */
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %c %ld", &state, &parent) != 2 || state == 'Z')
		return -1;
	return (pid_t)parent;
}

static void read_all(struct kin_list *all)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	if (!dir)
		return;
	while ((e = readdir(dir))) {
		pid_t parent;
		struct kin *k;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		parent = parent_of(dirfd(dir), e->d_name);
		if (parent < 0)
			continue;
		k = vec_push(all);
		k->pid = (pid_t)strtol(e->d_name, NULL, 10);
		k->parent = parent;
	}
	closedir(dir);
}

size_t descendants_signal(pid_t root, int sig)
{
	struct kin_list all = VEC_INIT;
	struct pid_list family = VEC_INIT;
	size_t i, j, sent = 0;

	read_all(&all);
	*vec_push(&family) = root;
	for (i = 0; i < family.len; i++) {
		for (j = 0; j < all.len; j++) {
			if (all.items[j].listed || all.items[j].parent != family.items[i])
				continue;
			all.items[j].listed = true;
			*vec_push(&family) = all.items[j].pid;
			if (kill(all.items[j].pid, sig) == 0)
				sent++;
		}
	}
	vec_release(&all);
	vec_release(&family);
	return sent;
}
