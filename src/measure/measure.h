/*
 * Reading the machine. A measure object follows the process trees of the roles, from their keepers
 * down, and turns each call of measure_sample into a struct sample: CPU time by ledger (live clocks
 * + reaped children, or a cgroup), counters by the source in force, parts by process. It sends no
 * statement and never blocks on anything but /proc.
 */
#ifndef CPUTOP_MEASURE_H
#define CPUTOP_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "model/counters.h"
#include "model/host.h"
#include "model/sample.h"

struct err;
struct measure;

struct run_prefix;

/* For the icount source. */
struct icount_options {
	unsigned roles;   /* 1u << role for each that is to run under it */
	const char *dir;  /* where the files are made in which it counts */
	const char *tool; /* path of the tool; NULL: it is not there */
};

struct measure_options {
	enum counter_source counters; /* asked for; PERF is an error when it cannot be had, AUTO
					 falls back to NONE */
	enum cpu_source cpu;          /* CGROUP is an error when it cannot be had */
	const char *proc_root;        /* "/proc"; tests use a fixture */
	const char *sys_root;         /* "/sys" */
	struct icount_options icount; /* borrowed strings */
};

/* A row of the server's own map: which process (thread) is which part. */
struct part_row {
	pid_t pid; /* 0 or = tid: of MySQL and MariaDB, whose threads need no more than their tid */
	pid_t tid; /* = pid for PostgreSQL */
	enum part part; /* PART_MONITOR for cputop's own connection */
};

/* The edge of a window: context switches and I/O are read, and what is told about a stretch (the
 * coverage of the counters, a gap) begins anew with this reading. */
#define MEASURE_EDGE   1u
#define MEASURE_EXTRAS 4u /* context switches and I/O, too */
#define MEASURE_TITLES 2u /* read process titles and command lines again */

/* Probes the counters by opening and by counting a known loop. NULL with err. */
struct measure *measure_new(const struct measure_options *options, struct err *err);
void measure_free(struct measure *m); /* closes counters, removes cgroups; NULL is fine */

/* Begins to follow the tree of a held keeper: counters opened with inherit and enable_on_exec, a
 * cgroup where one is used. Call before child_release. Returns 0 or a negative errno with err. */
int measure_add_role(struct measure *m, enum role role, pid_t keeper, struct err *err);
/* Stops following; after the tree has ended. */
void measure_remove_role(struct measure *m, enum role role);

/*
 * Several servers may be up; the one selected is the database, and the calls above are about it.
 * The others are followed as well: what they use while they are not selected is idle_servers_ns of
 * the sample and in no role. The first is selected at the beginning.
 */
#define MEASURE_DATABASES 4
void measure_select_database(struct measure *m, unsigned which);
/* The same for a server that need not be the selected one. */
int measure_add_database(struct measure *m, unsigned which, pid_t keeper, struct err *err);
void measure_remove_database(struct measure *m, unsigned which);

/* How the programs of this role are to be started for their counters; NULL: as they are. It stays
 * until measure_free. */
const struct run_prefix *measure_prefix(const struct measure *m, enum role role);
/* The database's program, whose build-id belongs to counts of the icount source. */
void measure_set_server(struct measure *m, const char *binary);

/* Gives the database's map; rows are copied. Pids that are not in it keep what their title says. */
void measure_set_map(struct measure *m, const struct part_row *rows, size_t n);
/* A process of the database was seen whose part neither the map nor its title tells: read the map
 * again (outside a window). Cleared by measure_set_map. */
bool measure_wants_map(const struct measure *m);

/* One reading. The sample is the caller's (sample_release). Returns 0, or a negative errno with err
 * when a root process is gone (its role is then not present). */
int measure_sample(struct measure *m, unsigned flags, struct sample *out, struct err *err);

const struct counters_info *measure_counters(const struct measure *m);

/* Fills host. data_dir may be NULL. */
void measure_host(struct host *h, const char *proc_root, const char *sys_root,
		  const char *data_dir);
/* Load averages now, into h. */
void measure_host_load(struct host *h, const char *proc_root);
/* What disturbs, now; measure_host fills host.before with it. */
void measure_host_noise(struct host_noise *n, const char *proc_root);

/* Removes cgroups that sessions which were killed left behind. Returns how many. */
unsigned measure_sweep_cgroups(const char *proc_root);

#endif
