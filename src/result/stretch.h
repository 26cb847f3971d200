/*
 * How much the CPU figures vary within the stretch that the live table covers. The stretch is cut
 * into blocks of whole ticks with at least MODEL_MIN_JOBS jobs each (per second: of at least
 * SAMPLE_RATE_NS each); the spread is half of the range of the blocks' figures, once there are 2 of
 * them.
 */
#ifndef CPUTOP_STRETCH_H
#define CPUTOP_STRETCH_H

#include <stdint.h>

#include "model/model.h"
#include "model/sample.h"

#define STRETCH_BLOCKS_MAX 64
/* Roles, total, parts of the database. */
#define STRETCH_ROWS (ROLE_COUNT + 1 + PART_COUNT)

struct stretch_block {
	uint64_t length_ns, jobs;
	struct value cpu_ns[STRETCH_ROWS];
};

/* Zeroed is empty. A ring; the block being filled is not in it. */
struct stretch {
	struct stretch_block blocks[STRETCH_BLOCKS_MAX];
	unsigned n, next;
	struct stretch_block open;
};

/* When a window opens, and when the rate, the variant or the database changes. */
void stretch_reset(struct stretch *s);
/* tick is the difference of two successive samples, jobs what was completed between them. */
void stretch_add(struct stretch *s, const struct usage_diff *tick, uint64_t jobs, bool per_second);
/* Sets spread_ns of m's rows, after figures_fill_rows, from the blocks within the last
 * m->basis_ns. */
void stretch_fill_rows(const struct stretch *s, struct model *m);

#endif
