/*
 * What "cputop check" found out: what this machine can measure, at what cost, and what will
 * disturb. Filled by app/check_probe.c, printed by app/check_print.c and result/check_json.c.
 */
#ifndef CPUTOP_MODEL_CHECK_H
#define CPUTOP_MODEL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/counters.h"
#include "model/dialect.h"
#include "model/host.h"
#include "model/value.h"

/* Costs of single readings of the clock: bucket i holds those of at most 2^i ns and more than the
 * bucket before. */
#define CHECK_CLOCK_BUCKETS 40
#define CHECK_SLOW_CLOCK_NS 100

struct check_clock {
	uint64_t readings;
	uint64_t median_ns, mean_ns; /* the mean holds what else ran on this processor */
	uint64_t buckets[CHECK_CLOCK_BUCKETS];
};

/* A loop of known length, run by cputop itself. */
struct check_loop {
	uint32_t turns;
	uint64_t expected; /* instructions; 0: not known on this processor */
	uint64_t cpu_ns;
	bool user_only;
	struct value instructions, cycles; /* as the counters say, right or wrong */
};

#define CHECK_READINGS 3

struct check_reading {
	unsigned processes;
	struct value cpu_ns; /* CPU time of reading all of them once */
};

struct check_server {
	struct counter_state found;
	char version[64]; /* empty when it would not tell */
	char binary[4096];
};

struct check_client {
	char name[32]; /* "libpq"; empty: none is linked */
	char version[64];
	char limits[64];              /* what it cannot do */
	struct counter_state missing; /* why none is linked */
};

#define CHECK_NOTES_MAX 12
#define CHECK_NEEDS_MAX 32

struct check_need {
	const char *name; /* borrowed */
	struct counter_state state;
};

struct check {
	struct host host;
	struct check_clock clock;
	struct counters_info counters; /* of perf */
	struct counter_state icount;
	char icount_tool[4096];
	struct check_loop loop;
	/* Processes that used used_ns were measured, and gave measured. */
	struct counter_state cpu;
	uint64_t used_ns;
	struct value measured_ns;
	struct check_reading reading[CHECK_READINGS];
	double steal_boot, steal_now; /* share of all processors' time, 0..1; -1: not there */
	struct check_server servers[DIALECT_COUNT];
	struct check_client clients[DIALECT_COUNT];
	char notes[CHECK_NOTES_MAX][256]; /* what will disturb, and what would help */
	size_t nnotes;
	struct check_need needs[CHECK_NEEDS_MAX]; /* what was asked for */
	size_t nneeds;
	bool ok; /* CPU time can be measured, and no need is missing */
};

#endif
