#include "config.h"

#include "lib/clock.h"

#include <stddef.h>
#include <time.h>

#include "lib/cformat.h"

static uint64_t (*clock_source)(void *);
static void *clock_source_arg;

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return clock_source ? clock_source(clock_source_arg) : read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_set_source(uint64_t (*source)(void *), void *arg)
{
	clock_source = source;
	clock_source_arg = arg;
}

void clock_rfc3339(uint64_t wall_ns, char out[32])
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	/* 2^64 ns end in the year 2554: gmtime_r cannot fail */
	gmtime_r(&s, &tm);
	c_snprintf(out, 32, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ",
		   (unsigned)(tm.tm_year + 1900) % 10000, (unsigned)(tm.tm_mon + 1) % 100,
		   (unsigned)tm.tm_mday % 100, (unsigned)tm.tm_hour % 100,
		   (unsigned)tm.tm_min % 100, (unsigned)tm.tm_sec % 100,
		   (unsigned)(wall_ns % NS_PER_S / NS_PER_MS));
}

uint64_t clock_read_cost_ns(unsigned n)
{
	uint64_t begin, end;

	if (!n)
		n = 1;
	begin = read_clock(CLOCK_MONOTONIC);
	for (unsigned i = 0; i < n; i++)
		end = read_clock(CLOCK_MONOTONIC);
	return (end - begin) / n;
}
