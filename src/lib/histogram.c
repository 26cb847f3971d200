/* Bucket i < 16 ends at i + 1 ns. Then each power of two k = 0..38 has 16 buckets of 2^k ns, the
 * j-th of them ending at (17 + j) * 2^k. */
#include "config.h"

#include "lib/histogram.h"

#include <math.h>
#include <string.h>

unsigned histogram_bucket(uint64_t ns)
{
	uint64_t below, bucket;
	unsigned k;

	if (ns <= HISTOGRAM_SUB)
		return ns ? (unsigned)ns - 1 : 0;
	below = ns - 1;
	k = 63 - (unsigned)__builtin_clzll(below) - 4;
	bucket = HISTOGRAM_SUB * (uint64_t)(k + 1) + (below >> k) - HISTOGRAM_SUB;
	return bucket < HISTOGRAM_BUCKETS ? (unsigned)bucket : HISTOGRAM_BUCKETS - 1;
}

uint64_t histogram_upper(unsigned bucket)
{
	unsigned k, j;

	if (bucket < HISTOGRAM_SUB)
		return bucket + 1;
	if (bucket >= HISTOGRAM_BUCKETS)
		bucket = HISTOGRAM_BUCKETS - 1;
	k = bucket / HISTOGRAM_SUB - 1;
	j = bucket % HISTOGRAM_SUB;
	return (uint64_t)(HISTOGRAM_SUB + 1 + j) << k;
}

void histogram_clear(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
}

void histogram_add(struct histogram *h, uint64_t ns)
{
	double us = (double)ns / 1e3;

	h->n[histogram_bucket(ns)]++;
	h->count++;
	h->sum_ns += ns;
	h->sum2_us += us * us;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->n[i] += from->n[i];
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	into->sum2_us += from->sum2_us;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
}

uint64_t histogram_quantile(const struct histogram *h, double p)
{
	uint64_t seen = 0, rank;
	unsigned i;

	if (!h->count)
		return 0;
	p = p > 0 ? p < 1 ? p : 1 : 0;
	rank = (uint64_t)ceil(p * (double)h->count);
	if (!rank)
		rank = 1;
	if (rank > h->count)
		rank = h->count;
	for (i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		seen += h->n[i];
		if (seen >= rank)
			break;
	}
	/* the last bucket has no upper edge */
	if (i == HISTOGRAM_BUCKETS - 1 || histogram_upper(i) > h->max_ns)
		return h->max_ns;
	return histogram_upper(i);
}

double histogram_mean_ns(const struct histogram *h)
{
	return h->count ? (double)h->sum_ns / (double)h->count : 0;
}

double histogram_sd_ns(const struct histogram *h)
{
	double n = (double)h->count, mean_us, variance;

	if (h->count < 2)
		return 0;
	mean_us = histogram_mean_ns(h) / 1e3;
	variance = (h->sum2_us - n * mean_us * mean_us) / (n - 1);
	/* equal values leave a rounding error of either sign */
	return variance > 0 ? sqrt(variance) * 1e3 : 0;
}
