/* The lines below the table: why figures are missing, and what the marks mean. For table.c. */
#ifndef CPUTOP_TABLE_NOTES_H
#define CPUTOP_TABLE_NOTES_H

#include <stddef.h>

#include "model/counters.h"
#include "model/result.h"

struct strbuf;

/* Appends nothing when there is nothing to say. */
void table_notes(struct strbuf *out, const struct result *results, size_t n,
		 const struct counters_info *counters);
/* Why the server's counts are missing: below the block of the work. */
void table_work_notes(struct strbuf *out, const struct result *results, size_t n);

#endif
