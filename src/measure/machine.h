/* The whole machine: how long its processors were busy, and how long somebody else had them. */
#ifndef CPUTOP_MACHINE_H
#define CPUTOP_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/procfs.h"

struct machine {
	uint64_t busy_ns, steal_ns; /* cumulative since the first reading; never fall */
	/* private */
	struct procmachine last;
	uint64_t last_ns;
	int64_t exact_ns; /* busy before it was held from falling */
	bool begun;
};

/* Adds a reading of /proc/stat made at now_ns with so many processors. */
void machine_add(struct machine *m, const struct procmachine *now, uint64_t now_ns, unsigned cpus);
/* Reads and adds. False when it cannot be read. */
bool machine_read(struct machine *m, const char *proc_root, uint64_t now_ns);

#endif
