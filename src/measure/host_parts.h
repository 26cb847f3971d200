/* The two longer parts of measure_host: for host.c. */
#ifndef CPUTOP_HOST_PARTS_H
#define CPUTOP_HOST_PARTS_H

#include <stdint.h>

struct host;

/* Whole number in DIR/NAME that fits an int, else missing. */
int host_int(const char *dir, const char *name, int missing);
/* Frequency, idling, mitigations, PMUs. */
void host_processors(struct host *h, const char *proc_root, const char *sys_root);
/* Settings of the kernel, and cputop's own place: container, cgroup, priority. */
void host_kernel(struct host *h, const char *proc_root, const char *sys_root);

#endif
