/* The frozen display: a copy of everything that a screen reads, so that measuring can go on. */
#include "config.h"

#include "ui/freeze.h"

#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "model/model.h"

static void *copy_array(const void *items, size_t n, size_t size)
{
	void *copy;

	if (!n)
		return NULL;
	copy = xcalloc(n, size);
	memcpy(copy, items, n * size);
	return copy;
}

struct model *freeze_copy(const struct model *m)
{
	struct model *copy = xmalloc(sizeof(*copy));

	*copy = *m;
	copy->counters = copy_array(m->counters, m->counters != NULL, sizeof(*m->counters));
	copy->processes = copy_array(m->processes, m->nprocesses, sizeof(*m->processes));
	copy->results = copy_array(m->results, m->nresults, sizeof(*m->results));
	copy->moves_apart = m->moves_apart ? xstrdup(m->moves_apart) : NULL;
	return copy;
}

void freeze_free(struct model *copy)
{
	if (!copy)
		return;
	free((void *)copy->counters);
	free(copy->processes);
	free(copy->results);
	free((void *)copy->moves_apart);
	free(copy);
}
