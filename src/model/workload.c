#include "config.h"

#include "model/workload.h"

#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/rng.h"

void workload_defaults(struct workload *w)
{
	*w = (struct workload){
		.names = 1000,
		.hot_names = 10,
		.hot_share = 0.9,
		.rate = 20,
		.backlog = 1000,
		.workers = 1,
		.concurrency = 8,
		.pool = 4,
		.poll_interval_ns = 5 * NS_PER_S,
		.seed = 1,
		.enqueue_batch = 1,
		.hold_ns = 20 * NS_PER_MS,
		.warmup_ns = 5 * NS_PER_S,
		.measure_ns = 20 * NS_PER_S,
		.repeat = 1,
	};
}

unsigned workload_backlog_swing(const struct workload *w)
{
	unsigned slots = w->workers * w->concurrency;

	return slots > w->enqueue_batch ? slots : w->enqueue_batch;
}

void workload_name(unsigned i, char out[WORKLOAD_NAME_MAX])
{
	char number[FORMAT_U64_MAX];
	size_t n = format_u64(number, i);

	memcpy(out, "job-", 4);
	memcpy(out + 4, number, n + 1);
}

void workload_key(unsigned i, char out[WORKLOAD_KEY_MAX])
{
	char number[FORMAT_U64_MAX];
	size_t n = format_u64(number, i);

	memcpy(out, "key-", 4);
	memcpy(out + 4, number, n + 1);
}

int workload_key_number(const struct workload *w, const char *key)
{
	uint64_t n;

	if (strcmp(key, WORKLOAD_QUEUE_KEY) == 0)
		return (int)w->mutex_keys;
	if (strncmp(key, "key-", 4) != 0 || !parse_u64(key + 4, &n) || n >= w->mutex_keys)
		return -1;
	return (int)n;
}

/* Two numbers are drawn for each job, whatever the groups are, so that a change of the shares alone
 * does not shift the sequence. */
unsigned workload_next_name(const struct workload *w, struct rng *rng)
{
	unsigned hot = w->hot_names < w->names ? w->hot_names : w->names;
	bool is_hot = rng_unit(rng) < w->hot_share;

	if (w->names == 0)
		return 0;
	if (hot == 0 || hot == w->names)
		return (unsigned)rng_below(rng, w->names);
	if (is_hot)
		return (unsigned)rng_below(rng, hot);
	return hot + (unsigned)rng_below(rng, w->names - hot);
}
