/* Which counters are in force, and why some are not: said in the header of every screen and in the
 * snapshot. */
#ifndef CPUTOP_COUNTERS_H
#define CPUTOP_COUNTERS_H

#include <stdbool.h>

enum counter_source { COUNTERS_AUTO, COUNTERS_PERF, COUNTERS_ICOUNT, COUNTERS_NONE };
enum cpu_source { CPU_AUTO, CPU_CLOCKS, CPU_CGROUP };

struct counter_state {
	bool available;
	char reason[160]; /* why not: "no hardware counters in this virtual machine"; empty when
			     available */
	char remedy[160]; /* the least that would change it: "sudo sysctl
			     kernel.perf_event_paranoid=1"; may be empty */
};

/* What counts of the icount source depend on; figures of others cannot be compared with them. */
struct icount_facts {
	unsigned roles;            /* 1u << role for each that runs under Valgrind */
	char valgrind[32];         /* its version; empty until something ran */
	char libc[48];             /* "glibc 2.36" */
	char server_build_id[132]; /* of the database's program, in hexadecimal; may be empty */
};

struct counters_info {
	enum counter_source source; /* never AUTO once measuring has begun */
	bool user_only;             /* the kernel's share is not counted */
	enum cpu_source cpu_source; /* never AUTO */
	char cpu_reason[160];       /* why clocks and not cgroup; empty otherwise */
	struct counter_state instructions, cycles;
	char no_cpu_reason[160];    /* why the roles of icount.roles have no CPU time; else empty */
	struct icount_facts icount; /* roles is 0 with any other source */
	bool parts; /* instructions by part are counted (they are given up when the family
		       multiplexes) */
};

const char *counter_source_name(enum counter_source s); /* "auto", "perf", "icount", "none" */
const char *cpu_source_name(enum cpu_source s);         /* "auto", "clocks", "cgroup" */

#endif
