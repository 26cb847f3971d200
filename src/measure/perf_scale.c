/* Only differences are ever scaled; the counters are never reset (their times would not be). */
#include "config.h"

#include "measure/perf_scale.h"

#include <string.h>

struct perf_raw perf_raw_sum(const struct perf_raw *raw, size_t n)
{
	struct perf_raw sum = {.valid = n > 0};

	for (size_t i = 0; i < n; i++) {
		if (!raw[i].valid)
			return (struct perf_raw){.valid = false};
		sum.value += raw[i].value;
		sum.running_ns += raw[i].running_ns;
		if (raw[i].enabled_ns > sum.enabled_ns)
			sum.enabled_ns = raw[i].enabled_ns;
	}
	return sum;
}

static bool is_covered(uint64_t enabled, uint64_t running, bool hybrid)
{
	/* Half a per cent is what moving between clusters may lose between two clock readings. */
	return running >= enabled || (hybrid && running >= enabled - enabled / 200);
}

static uint64_t scale(uint64_t value, uint64_t enabled, uint64_t running)
{
	long double v = (long double)value * (long double)enabled / (long double)running;

	return v >= (long double)INT64_MAX ? (uint64_t)INT64_MAX : (uint64_t)v;
}

double perf_accum_coverage(const struct perf_accum *a)
{
	if (a->enabled_ns == 0 || a->running_ns >= a->enabled_ns)
		return 1;
	return (double)a->running_ns / (double)a->enabled_ns;
}

void perf_accum_edge(struct perf_accum *a)
{
	a->enabled_ns = a->running_ns = a->owed_ns = 0;
	a->edge_value = a->value;
	a->scaled = a->lost = false;
}

static struct value state_of(const struct perf_accum *a)
{
	if (a->lost || perf_accum_coverage(a) < PERF_COVERAGE_MIN)
		return (struct value){0, VALUE_UNREADABLE};
	return (struct value){(int64_t)a->value, a->scaled ? VALUE_SCALED : VALUE_OK};
}

/* What is to be added for a difference that was not covered. */
static uint64_t estimate(struct perf_accum *a, uint64_t value, uint64_t enabled, uint64_t running)
{
	uint64_t known_ns = a->enabled_ns - a->owed_ns, owed = a->owed_ns + enabled;

	a->owed_ns = 0;
	if (running > 0)
		return scale(value, owed, running);
	if (known_ns > 0)
		return scale(a->value - a->edge_value, owed, known_ns);
	a->owed_ns = owed;
	return 0;
}

struct value perf_accum_add(struct perf_accum *a, const struct perf_raw *now, bool hybrid)
{
	uint64_t dv, de, dr;

	a->multiplexed = false;
	if (!now->valid)
		return (struct value){0, VALUE_UNREADABLE};
	if (now->value < a->last.value || now->enabled_ns < a->last.enabled_ns ||
	    now->running_ns < a->last.running_ns) {
		a->last = *now;
		a->lost = true;
		return state_of(a);
	}
	dv = now->value - a->last.value;
	de = now->enabled_ns - a->last.enabled_ns;
	dr = now->running_ns - a->last.running_ns;
	a->last = *now;
	a->multiplexed = !is_covered(de, dr, hybrid);
	if (a->multiplexed)
		a->scaled = true;
	if (a->multiplexed || (a->owed_ns > 0 && dr > 0))
		dv = estimate(a, dv, de, dr);
	a->enabled_ns += de;
	a->running_ns += dr;
	/* Garbage (a broken PMU's 1.8e19) is no count. */
	if (dv > (uint64_t)INT64_MAX - a->value)
		a->lost = true;
	else
		a->value += dv;
	return state_of(a);
}
