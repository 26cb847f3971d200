/*
 * Latency histogram: log-linear buckets, HISTOGRAM_SUB buckets for each power of two, so that a
 * bucket is at most 1/16 wide relative to its value. Histograms add and subtract bucket by bucket,
 * so windows can be merged exactly. Bucket i holds values in (upper(i-1), upper(i)] ns; the last
 * one holds everything above.
 */
#ifndef CPUTOP_HISTOGRAM_H
#define CPUTOP_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB 16
/* 16 linear ones, then 39 powers of two: up to 2^43 ns, 2.4 hours. */
#define HISTOGRAM_BUCKETS 640

struct histogram {
	uint64_t n[HISTOGRAM_BUCKETS];
	uint64_t count;
	uint64_t sum_ns;
	double sum2_us; /* sum of squares, in us^2 */
	uint64_t max_ns;
};

unsigned histogram_bucket(uint64_t ns);    /* the bucket of a value */
uint64_t histogram_upper(unsigned bucket); /* its largest value in ns */
void histogram_clear(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *from);
/* The value in ns at or below which the fraction p (0..1) of the values lies: the upper edge of its
 * bucket, at most max_ns. 0 when empty. */
uint64_t histogram_quantile(const struct histogram *h, double p);
double histogram_mean_ns(const struct histogram *h); /* 0 when empty */
double histogram_sd_ns(const struct histogram *h);   /* 0 with fewer than 2 values */

#endif
