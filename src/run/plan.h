/*
 * The plan: dialects x repeats x variants, in the order in which they run. Within a dialect the
 * variants of each second repeat run backwards (ABBA), so that drift of the machine or the server
 * does not favour one of them.
 */
#ifndef CPUTOP_PLAN_H
#define CPUTOP_PLAN_H

#include <stddef.h>

#include "model/dialect.h"

struct plan_item {
	enum dialect dialect;
	unsigned variant; /* index in the list of variants */
	unsigned repeat;  /* from 0 */
	unsigned order;   /* position within its repeat, from 0 */
};

struct plan {
	struct plan_item *items; /* owned */
	size_t len;
};

void plan_build(struct plan *p, const enum dialect *dialects, size_t ndialects, size_t nvariants,
		unsigned repeat);
void plan_release(struct plan *p);

#endif
