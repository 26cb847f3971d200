/*
 * The cost of reading the clock, as pg_test_timing measures it: the difference of two readings that
 * follow each other. Each is sorted in, so that a reading that was interrupted is one among many;
 * the median is the figure.
 */
#include "config.h"

#include <string.h>
#include <time.h>

#include "app/check.h"
#include "lib/clock.h"
#include "lib/histogram.h"

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void check_clock_add(struct check_clock *c, uint64_t ns)
{
	unsigned i = 0;

	while (i < CHECK_CLOCK_BUCKETS - 1 && ns > 1ULL << i)
		i++;
	c->buckets[i]++;
	c->readings++;
}

void check_clock_read(struct check_clock *c, unsigned readings)
{
	struct histogram h;
	uint64_t last = now();

	memset(c, 0, sizeof(*c));
	histogram_clear(&h);
	for (unsigned i = 0; i < readings; i++) {
		uint64_t at = now();

		check_clock_add(c, at - last);
		histogram_add(&h, at - last);
		last = now(); /* sorting in is not part of it */
	}
	c->median_ns = histogram_quantile(&h, 0.5);
	c->mean_ns = (uint64_t)histogram_mean_ns(&h);
}
