/* Windows and results for the tests of src/result: made by hand, without a machine. */
#ifndef CPUTOP_TESTS_RESULT_FIXTURE_H
#define CPUTOP_TESTS_RESULT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "model/window.h"

/* Counters of one role: instructions and cycles in millions, CPU in ms, all for the whole window.
 */
static inline struct usage usage_of(double instructions_m, double cycles_m, double cpu_ms)
{
	return (struct usage){
		.instructions = value_of((int64_t)(instructions_m * 1e6)),
		.instructions_user = value_of((int64_t)(instructions_m * 0.6e6)),
		.cycles = value_of((int64_t)(cycles_m * 1e6)),
		.cycles_user = value_of((int64_t)(cycles_m * 0.6e6)),
		.cpu_ns = value_of((int64_t)(cpu_ms * 1e6)),
		.context_switches = value_of(1200),
		.read_bytes = value_of(0),
		.written_bytes = value_of(4096),
		.coverage = 1,
		.processes = 1,
	};
}

static inline void without_counters(struct usage *u)
{
	struct value none = {0, VALUE_NONE};
	u->instructions = u->instructions_user = u->cycles = u->cycles_user = none;
	u->coverage = 0;
}

/* A valid window of 20 s whose three roles used these per job, times scale. */
static inline struct window window_of(const char *variant, uint64_t jobs, double scale)
{
	struct window w = {.dialect = DIALECT_POSTGRES,
			   .start_wall_ns = 1764535400123456789ULL,
			   .start_ns = 5 * NS_PER_S,
			   .length_ns = 20 * NS_PER_S,
			   .done = true,
			   .valid = true};
	double n = (double)jobs * scale;
	snprintf(w.variant, sizeof(w.variant), "%s", variant);
	w.usage.length_ns = w.length_ns;
	w.usage.roles[ROLE_WORKER] = usage_of(1.18 * n, 2.34 * n, 1.48 * n);
	w.usage.roles[ROLE_PRODUCER] = usage_of(0.61 * n, 2.48 * n, 1.55 * n);
	w.usage.roles[ROLE_DATABASE] = usage_of(2.21 * n, 4.00 * n, 2.55 * n);
	w.jobs.completed = w.jobs.enqueued = jobs;
	w.jobs.worker_statements = 2 * jobs;
	w.jobs.producer_statements = jobs;
	w.jobs.worker_commits = 2 * jobs;
	w.jobs.producer_commits = jobs;
	w.server.wal_bytes = value_of((int64_t)(1330 * jobs));
	w.server.rows_examined = value_of((int64_t)(5 * jobs));
	w.server.buffers = value_of((int64_t)(29 * jobs));
	return w;
}

#endif
