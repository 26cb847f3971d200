/*
 * A cgroup (v2) of a role: everything that ever ran in it is in its usage, whoever reaped it. They
 * are made below cputop's own cgroup, named cputop-PID-ROLE-N, and need no controller.
 */
#ifndef CPUTOP_CGROUP_H
#define CPUTOP_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_PATH_MAX 4096

struct err;

struct cgroup {
	char path[CGROUP_PATH_MAX]; /* empty: none */
	uint64_t last_ns;
	bool broken; /* its counter fell or is gone: nothing that it says counts any more */
};

/* The directory in which they are made: where the v2 hierarchy is mounted, and there cputop's own.
 * Returns 0, or a negative errno with err: why there is none. */
int cgroup_base(char out[CGROUP_PATH_MAX], const char *proc_root, struct err *err);
/* Can one be made below base, with a usage to read, and processes be moved there? */
int cgroup_probe(const char *base, struct err *err);
/* Makes cputop-PID-NAME-N and puts the process in it. */
int cgroup_create(struct cgroup *c, const char *base, const char *name, pid_t member,
		  struct err *err);
/* CPU time of everything that was in it. Returns 0 or -EIO: for good, once it fell or was gone. */
int cgroup_usage_ns(struct cgroup *c, uint64_t *out);
/* Returns 0 when it is gone, -EBUSY while something is still ending in it. */
int cgroup_remove(struct cgroup *c);
/* Removes those below base whose cputop lives no more. Returns how many. */
unsigned cgroup_sweep(const char *base, const char *proc_root);

#endif
