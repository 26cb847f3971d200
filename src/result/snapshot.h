/*
 * The snapshot: the JSON file with everything about a session; cputop-snapshot(5) and
 * contrib/snapshot.schema.json say what is in it. Missing values are null. Written beside its name
 * and renamed, so it is whole or absent.
 */
#ifndef CPUTOP_SNAPSHOT_H
#define CPUTOP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"
#include "model/host.h"
#include "model/result.h"
#include "model/variant.h"
#include "model/window.h"
#include "model/workload.h"

struct err;

struct snapshot_setting {
	const char *name, *value;
};

struct snapshot_database {
	enum dialect dialect;
	const char *version, *binary;
	const struct snapshot_setting *settings; /* those that differ from the defaults */
	size_t nsettings;
};

/* Everything borrowed for the time of the call. */
struct snapshot {
	uint64_t created_wall_ns;
	bool complete; /* every run of the plan ended with a valid window */
	const struct host *host;
	const struct counters_info *counters; /* NULL when nothing was measured */
	const struct workload *workload;
	const char *const *from_environment; /* names of variables */
	size_t nfrom_environment;
	const struct snapshot_database *databases;
	size_t ndatabases;
	const struct variant *variants;
	size_t nvariants;
	const struct window *const *windows;
	size_t nwindows;
	const struct result *results;
	size_t nresults;
};

/* path "-" is standard output. Returns 0 or a negative errno with err. */
int snapshot_write(const struct snapshot *s, const char *path, struct err *err);
/* before.json or after.json of a window: its processes. */
int snapshot_write_sample(const struct sample *s, const char *path, struct err *err);

struct snapshot_index {
	const char *name;
	uint64_t bytes;
};
struct snapshot_table {
	const char *name;
	uint64_t bytes;
	const struct snapshot_index *indexes;
	size_t nindexes;
	struct value dead_rows;
};
/* sizes.json, after the set-up; sizes-after.json, after a window. */
int snapshot_write_sizes(const struct snapshot_table *tables, size_t n, const char *path,
			 struct err *err);

#endif
