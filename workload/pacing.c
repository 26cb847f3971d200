#include "config.h"

#include "workload/pacing.h"

#include "lib/clock.h"

__extension__ typedef unsigned __int128 wide;

void pacing_start(struct pacing *p, uint64_t now_ns, uint64_t mjobs, uint64_t first)
{
	p->origin_ns = now_ns;
	p->next = first;
	p->mjobs = mjobs;
}

uint64_t pacing_due_ns(const struct pacing *p)
{
	wide after;

	if (p->mjobs == 0)
		return PACING_NEVER;
	after = (wide)p->next * (1000 * NS_PER_S) / p->mjobs;
	if (after >= PACING_NEVER - p->origin_ns)
		return PACING_NEVER;
	return p->origin_ns + (uint64_t)after;
}

void pacing_advance(struct pacing *p, unsigned jobs)
{
	p->next += jobs;
}
