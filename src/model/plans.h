/* How often a server planned the prepared statements of worker and producer. */
#ifndef CPUTOP_PLANS_H
#define CPUTOP_PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A prepared statement of worker or producer, and how often the server took its plan for all
 * parameters, or made a new one for those that came; over all connections. */
struct plan_count {
	char name[64];
	uint64_t generic, custom;
};
struct plan_counts {
	struct plan_count *v; /* owned */
	size_t n;
	bool known; /* the server tells, and was asked */
};
void plan_counts_add(struct plan_counts *p, const char *name, uint64_t generic, uint64_t custom);
/* to -= from, by name. */
void plan_counts_sub(struct plan_counts *to, const struct plan_counts *from);
void plan_counts_clear(struct plan_counts *p);
/* The statement that was planned anew most often, and more often than it takes a server to find
 * that one plan would do (PLANS_TRIED times on each of so many connections); NULL: none was. */
#define PLANS_TRIED 5
const struct plan_count *plan_counts_anew(const struct plan_counts *p, unsigned connections);

#endif
