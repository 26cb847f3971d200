#include "config.h"

#include "run/plan.h"

#include <stdlib.h>

#include "lib/xalloc.h"

void plan_build(struct plan *p, const enum dialect *dialects, size_t ndialects, size_t nvariants,
		unsigned repeat)
{
	size_t n = 0;

	p->len = ndialects * nvariants * repeat;
	p->items = xcalloc(p->len ? p->len : 1, sizeof(*p->items));
	for (size_t d = 0; d < ndialects; d++) {
		for (unsigned r = 0; r < repeat; r++) {
			for (unsigned o = 0; o < nvariants; o++) {
				p->items[n++] = (struct plan_item){
					.dialect = dialects[d],
					.variant = r % 2 ? (unsigned)nvariants - 1 - o : o,
					.repeat = r,
					.order = o,
				};
			}
		}
	}
}

void plan_release(struct plan *p)
{
	free(p->items);
	p->items = NULL;
	p->len = 0;
}
