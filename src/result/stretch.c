/* The blocks of a stretch: a ring of sums, divided when they are asked for. */
#include "config.h"

#include "result/stretch.h"

#include <string.h>

#include "lib/clock.h"
#include "result/figures.h"

void stretch_reset(struct stretch *s)
{
	memset(s, 0, sizeof(*s));
}

static unsigned row_index(const struct cost_row *row)
{
	if (row->kind == ROW_PART)
		return ROLE_COUNT + 1 + (unsigned)row->part;
	return row->kind == ROW_TOTAL ? ROLE_TOTAL : (unsigned)row->role;
}

static void tick_values(const struct usage_diff *tick, struct value out[STRETCH_ROWS])
{
	memset(out, 0, STRETCH_ROWS * sizeof(*out));
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		out[r] = tick->roles[r].cpu_ns;
		out[ROLE_TOTAL] = r == 0 ? out[0] : value_add(out[ROLE_TOTAL], out[r]);
	}
	/* a part without a process has used nothing; figures_fill_rows decides whether it is shown
	 */
	for (unsigned p = 0; p < PART_COUNT; p++)
		out[ROLE_COUNT + 1 + p] = tick->has_part[p] ? tick->parts[p].cpu_ns : value_of(0);
}

void stretch_add(struct stretch *s, const struct usage_diff *tick, uint64_t jobs, bool per_second)
{
	struct value now[STRETCH_ROWS];
	tick_values(tick, now);
	for (unsigned i = 0; i < STRETCH_ROWS; i++)
		s->open.cpu_ns[i] =
			s->open.length_ns ? value_add(s->open.cpu_ns[i], now[i]) : now[i];
	s->open.length_ns += tick->length_ns;
	s->open.jobs += jobs;
	if (per_second ? s->open.length_ns < SAMPLE_RATE_NS : s->open.jobs < MODEL_MIN_JOBS)
		return;
	s->blocks[s->next] = s->open;
	s->next = (s->next + 1) % STRETCH_BLOCKS_MAX;
	if (s->n < STRETCH_BLOCKS_MAX)
		s->n++;
	memset(&s->open, 0, sizeof(s->open));
}

static struct figure block_figure(const struct stretch_block *b, unsigned row, bool joined,
				  bool per_second)
{
	struct value v = b->cpu_ns[row];
	if (joined)
		v = value_add(v, b->cpu_ns[ROLE_COUNT + 1 + PART_EXITED]);
	return value_per(v, per_second ? (double)b->length_ns / NS_PER_S : (double)b->jobs);
}

static struct figure row_spread(const struct stretch *s, const struct model *m,
				const struct cost_row *row, bool joined)
{
	double min = 0, max = 0;
	unsigned n = 0;
	uint64_t age = s->open.length_ns;
	for (unsigned i = 0; i < s->n; i++) {
		const struct stretch_block *b =
			&s->blocks[(s->next + STRETCH_BLOCKS_MAX - 1 - i) % STRETCH_BLOCKS_MAX];
		age += b->length_ns;
		/* half a block of grace: the stretch and the ticks have not the same edges */
		if (age > m->basis_ns + b->length_ns / 2)
			break;
		struct figure f = block_figure(b, row_index(row), joined, m->per_second);
		if (!figure_known(f))
			continue;
		min = n == 0 || f.v < min ? f.v : min;
		max = n == 0 || f.v > max ? f.v : max;
		n++;
	}
	return n < 2 ? (struct figure){0, VALUE_NONE} : (struct figure){(max - min) / 2, VALUE_OK};
}

void stretch_fill_rows(const struct stretch *s, struct model *m)
{
	bool has_exited = false;
	for (size_t i = 0; i < m->nrows; i++)
		has_exited |= m->rows[i].kind == ROW_PART && m->rows[i].part == PART_EXITED;
	for (size_t i = 0; i < m->nrows; i++) {
		struct cost_row *row = &m->rows[i];
		bool joined = row->kind == ROW_PART && row->part == PART_OTHER && !has_exited;
		row->cost.spread_ns = (struct figure){0, VALUE_NONE};
		if (figure_known(row->cost.counters[COUNTER_CPU_NS]))
			row->cost.spread_ns = row_spread(s, m, row, joined);
	}
}
