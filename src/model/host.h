/* Facts about the machine that every snapshot records: a figure without them cannot be compared. */
#ifndef CPUTOP_HOST_H
#define CPUTOP_HOST_H

#include <stdint.h>

#define HOST_MITIGATIONS_MAX 40

/* What disturbs a measurement, as counters that grow: told before and after. -1: not there. */
struct host_noise {
	int64_t steal_ns;       /* CPU time that the hypervisor gave to others */
	int64_t pressure_ns;    /* some task waited for a processor (/proc/pressure/cpu) */
	int64_t throttled_ns;   /* the quota of cputop's cgroup held it back ... */
	int64_t throttled_runs; /* ... in so many periods */
};

/* One file of /sys/devices/system/cpu/vulnerabilities. */
struct host_mitigation {
	char name[40];
	char text[160];
};

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

	/* processors */
	char microcode[32];
	char cpus_isolated[64]; /* "2-3", "none" */
	char cpus_allowed[64];  /* that cputop may run on: "0-1" */
	char cpu_clusters[160]; /* PMUs of a mixed processor: "cpu_core 0-7, cpu_atom 8-15" */
	char pmus[256];         /* everything that perf knows: "cpu msr software" */
	char cpufreq_driver[32];
	int64_t cpufreq_min_khz, cpufreq_max_khz; /* the limits in force */
	char energy_preference[32];               /* energy_performance_preference */
	int turbo;                                /* 0, 1 or -1 */
	char idle_driver[32], idle_governor[32];
	char clocksources[64]; /* available: "tsc kvm-clock" */
	/* -1: cannot be told */
	int nmitigations;
	struct host_mitigation mitigations[HOST_MITIGATIONS_MAX];

	/* kernel */
	char kernel_options[256]; /* those of the command line that change figures */
	int nmi_watchdog;         /* 0, 1 or -1 */
	int ksm;                  /* 0, 1 or -1 */
	int numa_balancing;       /* 0 off, 1, 2 */
	int swappiness;
	int overcommit_memory;
	int io_uring_disabled;
	int64_t uptime_s;

	/* cputop's own place */
	char container[32];       /* "docker"; empty in none, or when nothing tells */
	double cgroup_quota_cpus; /* the smallest limit at or above its cgroup; -1: none */
	int64_t nice;             /* INT64_MIN when unreadable */
	int64_t timer_slack_ns;
	struct host_noise before, after; /* at the start, and when the snapshot was written */
};

#endif
