/*
 * Conservation finds the children that nobody reaped: what processes had when they vanished must
 * appear in the ledgers of the others (which also get what the vanished ran after they were seen
 * last, and children that were never seen; so growth of the ledgers is the larger one). What is
 * short of that is carried on, never below zero, as the ticks of a ledger come back later; beyond
 * the slack it is lost time, and is kept here.
 */
#include "config.h"

#include "measure/cputime.h"

#include "lib/clock.h"
#include "measure/proctree.h"

#define GAP_MIN_NS (20 * NS_PER_MS)

bool cputime_is_gap(uint64_t growth_ns, uint64_t loss_ns, uint64_t slack_ns)
{
	uint64_t limit = slack_ns > GAP_MIN_NS ? slack_ns : GAP_MIN_NS;

	return loss_ns > limit && loss_ns > growth_ns / 50;
}

static void find_lost(struct cputime *c, uint64_t vanished, uint64_t ledger_growth)
{
	c->carry_ns += vanished;
	c->carry_ns = c->carry_ns > ledger_growth ? c->carry_ns - ledger_growth : 0;
	if (c->carry_ns > c->slack_ns) {
		c->lost_ns += c->carry_ns;
		c->carry_ns = 0;
	}
}

void cputime_update(struct cputime *c, struct proctree *t)
{
	uint64_t live = 0, ledgers = 0, growth = 0, total;
	unsigned kept = 1;

	for (size_t i = 0; i < t->n; i++) {
		struct proc *p = t->procs[i];
		uint64_t ledger = proc_ledger_ns(p);

		if (p->pid != t->root) {
			live += p->cpu_ns;
			kept += ledger > 0;
		}
		ledgers += ledger;
		if (ledger > p->settled_ledger_ns)
			growth += ledger - p->settled_ledger_ns;
		p->settled_ledger_ns = ledger;
		p->settled_cpu_ns = p->cpu_ns;
	}
	c->slack_ns = kept * 2 * procfs_ticks_ns(1);
	find_lost(c, t->vanished_ns, growth);
	t->vanished_ns = 0;
	total = live + ledgers + c->lost_ns;
	if (total > c->total_ns)
		c->total_ns = total;
}
