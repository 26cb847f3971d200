/* The raw counts are told as they are: the judgement is perf.c's, when it opens the source. */
#include "config.h"

#include "measure/perf_try.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"
#include "measure/counters.h"
#include "measure/perf_event.h"
#include "measure/perf_loop.h"
#include "measure/perf_pmu.h"

struct trial_pmus {
	struct perf_pmu pmus[PERF_PMUS_MAX];
	struct perf_pair pairs[PERF_PMUS_MAX];
	size_t n;
};

static uint64_t thread_ns(void)
{
	struct timespec ts = {0, 0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void close_all(struct trial_pmus *t)
{
	for (size_t i = 0; i < t->n; i++)
		perf_pair_close(&t->pairs[i]);
}

/* Returns whether any of them was refused for want of permission. */
static bool open_all(struct trial_pmus *t, bool user_only)
{
	static const bool both[PERF_PAIR] = {true, true};
	struct perf_mode mode = {.family = false, .user_only = user_only};
	bool refused = false;

	for (size_t i = 0; i < t->n; i++) {
		perf_pair_open(&t->pairs[i], t->pmus[i].spec, both, 0, &mode);
		for (int e = 0; e < PERF_PAIR; e++)
			refused = refused || t->pairs[i].error[e] == -EACCES ||
				  t->pairs[i].error[e] == -EPERM;
	}
	return refused;
}

static void read_sums(const struct trial_pmus *t, struct perf_raw sums[PERF_PAIR])
{
	memset(sums, 0, sizeof(*sums) * PERF_PAIR);
	for (size_t i = 0; i < t->n; i++) {
		struct perf_raw raw[PERF_PAIR];

		perf_pair_read(&t->pairs[i], raw);
		for (int e = 0; e < PERF_PAIR; e++) {
			sums[e].valid = sums[e].valid || raw[e].valid;
			sums[e].value += raw[e].value;
		}
	}
}

static struct value counted(const struct perf_raw *from, const struct perf_raw *to)
{
	if (!from->valid || !to->valid)
		return (struct value){0, VALUE_NONE};
	return value_of((int64_t)(to->value - from->value));
}

void perf_try_loop(struct perf_trial *out, const struct counter_roots *roots)
{
	struct perf_raw before[PERF_PAIR], after[PERF_PAIR];
	struct trial_pmus t;
	uint64_t begun;

	memset(out, 0, sizeof(*out));
	out->turns = PERF_LOOP_TURNS;
	out->expected = perf_loop_expected(PERF_LOOP_TURNS);
	t.n = perf_pmus_find(roots->sys, t.pmus);
	out->user_only = open_all(&t, false);
	if (out->user_only) {
		close_all(&t);
		open_all(&t, true);
	}
	read_sums(&t, before);
	begun = thread_ns();
	perf_loop_run(PERF_LOOP_TURNS);
	out->cpu_ns = thread_ns() - begun;
	read_sums(&t, after);
	close_all(&t);
	out->instructions = counted(&before[PERF_INSTRUCTIONS], &after[PERF_INSTRUCTIONS]);
	out->cycles = counted(&before[PERF_CYCLES], &after[PERF_CYCLES]);
}
