/* The table that batch prints and that ends a live session (DESIGN: "The table"). */
#ifndef CPUTOP_TABLE_H
#define CPUTOP_TABLE_H

#include <stddef.h>

#include "model/counters.h"
#include "model/result.h"

struct strbuf;

/* First block: worker / producer / database = total of instructions, cycles (millions) and CPU (ms)
 * per job; second line of a variant with several windows: change, interval, verdict. Then why a
 * column is missing, marks (scaled *, unbalanced !, invalid windows, duplicates, lost), then
 * statements, commits, WAL bytes, rows examined and buffers per job, and why one of them is
 * missing. counters may be NULL (nothing was measured). Plain text, no escapes, columns aligned. */
void table_print(struct strbuf *out, const struct result *results, size_t n,
		 const struct counters_info *counters);

#endif
