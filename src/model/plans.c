#include "config.h"

#include "model/plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"

static struct plan_count *find_plan(const struct plan_counts *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->v[i].name, name) == 0)
			return &p->v[i];
	}
	return NULL;
}

void plan_counts_add(struct plan_counts *p, const char *name, uint64_t generic, uint64_t custom)
{
	struct plan_count *c = find_plan(p, name);

	if (!c) {
		p->v = xreallocarray(p->v, p->n + 1, sizeof(*p->v));
		c = &p->v[p->n++];
		*c = (struct plan_count){.generic = 0};
		snprintf(c->name, sizeof(c->name), "%s", name);
	}
	c->generic += generic;
	c->custom += custom;
}

void plan_counts_sub(struct plan_counts *to, const struct plan_counts *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct plan_count *c = find_plan(to, from->v[i].name);

		/* One that is gone was prepared anew since. */
		if (!c || c->generic < from->v[i].generic || c->custom < from->v[i].custom)
			continue;
		c->generic -= from->v[i].generic;
		c->custom -= from->v[i].custom;
	}
}

void plan_counts_clear(struct plan_counts *p)
{
	free(p->v);
	*p = (struct plan_counts){.n = 0};
}

const struct plan_count *plan_counts_anew(const struct plan_counts *p, unsigned connections)
{
	const struct plan_count *most = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct plan_count *c = &p->v[i];

		if (c->custom > (uint64_t)PLANS_TRIED * connections && c->custom > c->generic &&
		    (!most || c->custom > most->custom))
			most = c;
	}
	return most;
}
