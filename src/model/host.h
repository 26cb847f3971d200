/* Facts about the machine that every snapshot records: a figure without them cannot be compared. */
#ifndef CPUTOP_HOST_H
#define CPUTOP_HOST_H

#include <stdint.h>

/* Strings are empty where the fact is not there, numbers -1. */
struct host {
	char kernel[128]; /* uname release */
	char arch[32];
	char cpu_model[128];
	int cpus_online;
	char hypervisor[64]; /* "none" on bare metal */
	char governor[32];
	char clocksource[32];
	int64_t clock_read_ns;   /* cost of one clock_gettime */
	int smt;                 /* 0, 1 or -1 */
	int autogroup;           /* 0, 1 or -1 */
	int perf_event_paranoid; /* -2 when unreadable: -1 is a legal value */
	char thp[32];            /* the chosen one of always, madvise, never */
	int aslr;                /* randomize_va_space */
	double loadavg[3];
	char data_dir_fs[32]; /* file system of the data directory: "ext2/ext3", "tmpfs" */
	char boot_id[40];
	int64_t clock_ticks; /* per second, of /proc */
};

#endif
