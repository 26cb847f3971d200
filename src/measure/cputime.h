/*
 * The CPU time of a tree: clocks of the living plus ledgers (cutime + cstime of the living, the
 * root's included). The root's own clock is not in it: it is the observer's.
 *
 * Ledgers are shown in ticks, so the sum may dip by two ticks for each of them when a child's time
 * moves there. Being a lower bound of something that only grows, the total never falls.
 */
#ifndef CPUTOP_CPUTIME_H
#define CPUTOP_CPUTIME_H

#include <stdbool.h>
#include <stdint.h>

struct proctree;

struct cputime {
	uint64_t total_ns; /* everything below the root, alive or dead; never falls */
	uint64_t lost_ns;  /* part of it: last clocks of children that no ledger took, as their
			      parent ignores SIGCHLD */
	uint64_t slack_ns; /* how far from the truth the ledgers' ticks may put it */
	/* private */
	uint64_t carry_ns;
};

/* Takes the reading that proctree_read has made. */
void cputime_update(struct cputime *c, struct proctree *t);

/* Is a loss of so much out of this growth one that the sample must say (above 2 % and slack)? */
bool cputime_is_gap(uint64_t growth_ns, uint64_t loss_ns, uint64_t slack_ns);

#endif
