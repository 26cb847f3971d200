/*
 * The perf source: one group {instructions, cycles} for each family and process, per PMU. What the
 * machine can do is found out by opening and by counting a known loop, never from a setting.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "measure/counters.h"
#include "measure/perf_event.h"
#include "measure/perf_loop.h"
#include "measure/perf_pmu.h"
#include "measure/perf_reason.h"
#include "measure/perf_scale.h"

struct counters {
	struct perf_pmu pmus[PERF_PMUS_MAX];
	size_t npmus;
	bool wanted[PERF_PAIR]; /* can be counted */
	bool user_only;
};

struct counter_set {
	const struct counters *counters; /* borrowed */
	struct perf_pair pairs[PERF_PMUS_MAX];
	struct perf_accum accum[PERF_PAIR];
};

/* Opens the set's pairs. On failure of any that is wanted nothing stays open; errors, where not
 * NULL, gets the reason of each event. */
static int open_pairs(struct counter_set *s, pid_t pid, const struct perf_mode *mode,
		      int errors[PERF_PAIR])
{
	const struct counters *c = s->counters;
	int r = 0;

	for (size_t i = 0; i < c->npmus; i++) {
		perf_pair_open(&s->pairs[i], c->pmus[i].spec, c->wanted, pid, mode);
		for (int e = 0; e < PERF_PAIR; e++) {
			int error = c->wanted[e] ? s->pairs[i].error[e] : 0;

			if (error)
				r = error;
			if (error && errors)
				errors[e] = error;
		}
	}
	if (r)
		for (size_t i = 0; i < c->npmus; i++)
			perf_pair_close(&s->pairs[i]);
	return r;
}

static void read_sums(const struct counter_set *s, struct perf_raw sums[PERF_PAIR])
{
	struct perf_raw raw[PERF_PAIR][PERF_PMUS_MAX];
	size_t n = s->counters->npmus;

	for (size_t i = 0; i < n; i++) {
		struct perf_raw pair[PERF_PAIR];

		perf_pair_read(&s->pairs[i], pair);
		for (int e = 0; e < PERF_PAIR; e++)
			raw[e][i] = pair[e];
	}
	for (int e = 0; e < PERF_PAIR; e++)
		sums[e] = perf_raw_sum(raw[e], n);
}

/* Which of the two can be opened on ourselves; one that cannot is left out and the other tried
 * alone. */
static void probe_open(struct counters *c, int errors[PERF_PAIR])
{
	struct perf_mode mode = {.family = false, .user_only = c->user_only};
	struct counter_set s = {.counters = c};

	errors[0] = errors[1] = 0;
	c->wanted[0] = c->wanted[1] = true;
	while ((c->wanted[0] || c->wanted[1]) && open_pairs(&s, 0, &mode, errors) != 0)
		for (int e = 0; e < PERF_PAIR; e++)
			if (errors[e])
				c->wanted[e] = false;
	if (c->wanted[0] || c->wanted[1])
		for (size_t i = 0; i < c->npmus; i++)
			perf_pair_close(&s.pairs[i]);
}

static bool refused(int error)
{
	return error == -EACCES || error == -EPERM;
}

/* What the known loop says against a counter; NULL: nothing. */
static const char *loop_objection(const struct perf_raw *before, const struct perf_raw *after,
				  bool hybrid, bool (*ok)(uint32_t, uint64_t))
{
	struct perf_accum a = {.last = *before};
	struct value v;

	if (!before->valid || !after->valid)
		return "the counter is there but cannot be read";
	if (after->running_ns == before->running_ns)
		return "all counters are taken by others (another perf, the NMI watchdog)";
	v = perf_accum_add(&a, after, hybrid);
	/* Scaled it is no proof, but no counter-proof either. */
	if (a.multiplexed || (value_known(v) && ok(PERF_LOOP_TURNS, (uint64_t)v.v)))
		return NULL;
	return "the counter is there but counts a loop of known length wrongly";
}

/* Counts the known loop and takes away what does not count it. */
static void probe_loop(struct counters *c, struct counters_info *info)
{
	struct perf_mode mode = {.family = false, .user_only = c->user_only};
	struct counter_set s = {.counters = c};
	struct perf_raw before[PERF_PAIR], after[PERF_PAIR];
	struct counter_state *states[PERF_PAIR] = {&info->instructions, &info->cycles};
	static bool (*const ok[PERF_PAIR])(uint32_t, uint64_t) = {perf_loop_instructions_ok,
								  perf_loop_cycles_ok};

	if ((!c->wanted[0] && !c->wanted[1]) || open_pairs(&s, 0, &mode, NULL) != 0)
		return;
	read_sums(&s, before);
	perf_loop_run(PERF_LOOP_TURNS);
	read_sums(&s, after);
	for (int e = 0; e < PERF_PAIR; e++) {
		const char *why =
			c->wanted[e] ? loop_objection(&before[e], &after[e], c->npmus > 1, ok[e])
				     : NULL;

		if (!why)
			continue;
		c->wanted[e] = false;
		text_copy(states[e]->reason, sizeof(states[e]->reason), why);
	}
	for (size_t i = 0; i < c->npmus; i++)
		perf_pair_close(&s.pairs[i]);
}

static void fill_info(const struct counters *c, const int errors[PERF_PAIR],
		      const struct counter_roots *roots, struct counters_info *info)
{
	struct counter_state *states[PERF_PAIR] = {&info->instructions, &info->cycles};

	for (int e = 0; e < PERF_PAIR; e++) {
		states[e]->available = c->wanted[e];
		if (errors[e])
			perf_reason(states[e], errors[e], roots);
	}
	info->user_only = c->user_only && (c->wanted[0] || c->wanted[1]);
	info->parts = c->wanted[0] || c->wanted[1];
}

static struct counters *perf_open(const struct counter_roots *roots, struct counters_info *info,
				  struct err *err)
{
	struct counters *c = xcalloc(1, sizeof(*c));
	int errors[PERF_PAIR];

	c->npmus = perf_pmus_find(roots->sys, c->pmus);
	memset(&info->instructions, 0, sizeof(info->instructions));
	memset(&info->cycles, 0, sizeof(info->cycles));
	probe_open(c, errors);
	if (refused(errors[0]) || refused(errors[1])) {
		c->user_only = true;
		probe_open(c, errors);
	}
	probe_loop(c, info);
	fill_info(c, errors, roots, info);
	if (c->wanted[0] || c->wanted[1])
		return c;
	err_set(err, errors[0] ? errors[0] : -EIO, "%s%s%s", info->instructions.reason,
		info->instructions.remedy[0] ? "; " : "", info->instructions.remedy);
	free(c);
	return NULL;
}

static void perf_close(struct counters *c)
{
	free(c);
}

static struct counter_set *perf_set_open(struct counters *c, pid_t pid, bool family,
					 struct err *err)
{
	struct perf_mode mode = {.family = family, .user_only = c->user_only};
	struct counter_set *s = xcalloc(1, sizeof(*s));
	int r;

	s->counters = c;
	r = open_pairs(s, pid, &mode, NULL);
	if (r == 0)
		return s;
	err_set(err, r, "counters of process %d: %s", (int)pid, strerror(-r));
	free(s);
	return NULL;
}

static void perf_set_read(struct counter_set *s, bool edge, struct counter_reading *out)
{
	const struct counters *c = s->counters;
	struct value *values[PERF_PAIR] = {&out->instructions, &out->cycles};
	struct perf_raw sums[PERF_PAIR];

	memset(out, 0, sizeof(*out));
	out->coverage = 1;
	read_sums(s, sums);
	for (int e = 0; e < PERF_PAIR; e++) {
		struct perf_accum *a = &s->accum[e];

		if (!c->wanted[e])
			continue;
		*values[e] = perf_accum_add(a, &sums[e], c->npmus > 1);
		if (a->multiplexed)
			out->multiplexed = true;
		if (a->last.enabled_ns > out->enabled_ns)
			out->enabled_ns = a->last.enabled_ns;
		if (perf_accum_coverage(a) < out->coverage)
			out->coverage = perf_accum_coverage(a);
		if (edge)
			perf_accum_edge(a);
	}
}

static void perf_set_close(struct counter_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->counters->npmus; i++)
		perf_pair_close(&s->pairs[i]);
	free(s);
}

const struct counter_ops counters_perf = {
	.name = "perf",
	.open = perf_open,
	.close = perf_close,
	.set_open = perf_set_open,
	.set_read = perf_set_read,
	.set_close = perf_set_close,
};
