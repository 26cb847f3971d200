/*
 * What will disturb figures of this machine, one line each: what it is, why it matters, and the
 * least that would help.
 */
#include "config.h"

#include <stdarg.h>
#include <string.h>

#include "app/check.h"
#include "lib/cformat.h"

/* A fast clock: a reading without a system call. */
#define FAST_CLOCK_NS 25
#define STEAL_LIMIT   0.02

static void note(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note(struct check *c, const char *fmt, ...)
{
	va_list ap;

	if (c->nnotes == CHECK_NOTES_MAX)
		return;
	va_start(ap, fmt);
	c_vsnprintf(c->notes[c->nnotes], sizeof(c->notes[0]), fmt, ap);
	va_end(ap);
	c->nnotes++;
}

static bool lists(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at = words;

	while ((at = strstr(at, word))) {
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
		at += len;
	}
	return false;
}

/* EXPLAIN ANALYZE reads the clock twice for each row of each node: on a fast clock it makes a query
 * up to twice as dear, on a slow one up to 35 times. */
static void clock_note(struct check *c)
{
	const struct host *h = &c->host;
	unsigned long long ns = c->clock.median_ns;

	if (ns <= CHECK_SLOW_CLOCK_NS)
		return;
	if (lists(h->clocksources, "tsc") && strcmp(h->clocksource, "tsc") != 0)
		note(c,
		     "slow clock: %llu ns a reading, %llu times a fast one; timing in statements "
		     "(EXPLAIN ANALYZE) can be 35 times dearer; clocksource tsc is there: echo tsc "
		     "> /sys/devices/system/clocksource/clocksource0/current_clocksource",
		     ns, ns / FAST_CLOCK_NS);
	else
		note(c,
		     "slow clock: %llu ns a reading, %llu times a fast one; timing in statements "
		     "(EXPLAIN ANALYZE) can be 35 times dearer; use a machine with clock source "
		     "tsc",
		     ns, ns / FAST_CLOCK_NS);
}

static void frequency_notes(struct check *c)
{
	const struct host *h = &c->host;

	if (h->governor[0] && strcmp(h->governor, "performance") != 0)
		note(c,
		     "governor %s: light work runs at a low clock, so its CPU time rises; compare "
		     "instructions, or: cpupower frequency-set -g performance",
		     h->governor);
	if (h->nmi_watchdog == 1 && c->counters.cycles.available)
		note(c, "the NMI watchdog takes a counter of each processor: sudo sysctl "
			"kernel.nmi_watchdog=0");
}

static void company_notes(struct check *c)
{
	const struct host *h = &c->host;

	if (h->cpus_online > 0 && h->loadavg[0] > h->cpus_online)
		note(c,
		     "load %.1f on %d CPUs: CPU time and cycles rise with it; measure when it "
		     "is quiet",
		     h->loadavg[0], h->cpus_online);
	if (c->steal_boot > STEAL_LIMIT || c->steal_now > STEAL_LIMIT)
		note(c,
		     "steal %.1f %%: other virtual machines take the processor; cputop marks "
		     "windows by it",
		     (c->steal_now > c->steal_boot ? c->steal_now : c->steal_boot) * 100);
	if (h->cgroup_quota_cpus >= 0)
		note(c, "a cgroup quota of %.2f CPUs: when it is used up everything stands still%s",
		     h->cgroup_quota_cpus, h->after.throttled_runs > 0 ? ", and it has been" : "");
	if (h->autogroup == 1)
		note(c, "autogroup is on: start what is compared from the same terminal");
}

void check_notes(struct check *c)
{
	c->nnotes = 0;
	clock_note(c);
	frequency_notes(c);
	company_notes(c);
}
