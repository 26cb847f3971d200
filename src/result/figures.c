/*
 * Counters divided by jobs or by seconds. Sums are made of raw counters and divided once, so a
 * total is the sum before rounding. A value that is missing stays missing on the way: see
 * model/value.h.
 */
#include "config.h"

#include "result/figures.h"

#include <math.h>
#include <string.h>

#include "lib/clock.h"

struct value usage_counter(const struct usage *u, enum counter c)
{
	switch (c) {
	case COUNTER_INSTRUCTIONS:
		return u->instructions;
	case COUNTER_CYCLES:
		return u->cycles;
	case COUNTER_CPU_NS:
		return u->cpu_ns;
	case COUNTER_COUNT:
		break;
	}
	return (struct value){0, VALUE_NONE};
}

struct value window_work(const struct window *w, enum work k, const char **why)
{
	const struct jobs_counts *j = &w->jobs;
	const struct server_counts *s = &w->server;
	const char *reason = NULL;
	struct value v = {0, VALUE_NONE};

	switch (k) {
	case WORK_STATEMENTS:
		v = value_of((int64_t)(j->worker_statements + j->producer_statements));
		break;
	case WORK_COMMITS:
		v = value_of((int64_t)(j->worker_commits + j->producer_commits));
		break;
	case WORK_LOG_BYTES:
		v = s->wal_bytes;
		reason = s->why[SERVER_WAL_BYTES];
		break;
	case WORK_ROWS:
		v = s->rows_examined;
		reason = s->why[SERVER_ROWS_EXAMINED];
		break;
	case WORK_BUFFERS:
		v = s->buffers;
		reason = s->why[SERVER_BUFFERS];
		break;
	case WORK_COUNT:
		break;
	}
	if (why)
		*why = value_known(v) ? NULL : reason;
	return v;
}

struct figure window_work_per(const struct window *w, enum work k, bool per_second)
{
	return value_per(window_work(w, k, NULL),
			 per_second ? (double)w->length_ns / NS_PER_S : (double)w->jobs.completed);
}

static void usage_total(const struct usage_diff *d, struct usage *total)
{
	*total = d->roles[0];
	for (unsigned r = 1; r < ROLE_COUNT; r++)
		usage_add(total, &d->roles[r]);
}

static void divide_all(const struct usage_diff *d, double divisor,
		       struct figure out[ROLE_COUNT + 1][COUNTER_COUNT])
{
	for (unsigned c = 0; c < COUNTER_COUNT; c++) {
		struct value sum = usage_counter(&d->roles[0], c);
		for (unsigned r = 0; r < ROLE_COUNT; r++) {
			struct value v = usage_counter(&d->roles[r], c);
			out[r][c] = value_per(v, divisor);
			if (r > 0)
				sum = value_add(sum, v);
		}
		out[ROLE_TOTAL][c] = value_per(sum, divisor);
	}
}

void figures_per_job(const struct usage_diff *d, uint64_t jobs,
		     struct figure out[ROLE_COUNT + 1][COUNTER_COUNT])
{
	divide_all(d, (double)jobs, out);
}

void figures_per_second(const struct usage_diff *d,
			struct figure out[ROLE_COUNT + 1][COUNTER_COUNT])
{
	divide_all(d, (double)d->length_ns / NS_PER_S, out);
}

bool backlog_is_unbalanced(const struct jobs_counts *before, const struct jobs_counts *after,
			   uint64_t completed, unsigned concurrency)
{
	double change = (double)jobs_counts_waiting(after) - (double)jobs_counts_waiting(before);
	return fabs(change) > fmax(concurrency, 0.02 * (double)completed);
}

bool window_is_unbalanced(const struct window *w, unsigned concurrency)
{
	return backlog_is_unbalanced(&w->jobs_before, &w->jobs_after, w->jobs.completed,
				     concurrency);
}

double window_reached_rate(const struct window *w)
{
	return w->length_ns ? (double)w->jobs.enqueued * NS_PER_S / (double)w->length_ns : 0;
}

bool window_is_late(const struct window *w)
{
	double asked = w->rate * (double)w->length_ns / NS_PER_S;
	double missing = asked - (double)w->jobs.enqueued;

	return w->done && w->rate > 0 && missing >= 2 && missing >= 0.05 * asked;
}

bool window_has_few_jobs(const struct window *w)
{
	bool idle = !(w->rate < 0) && !(w->rate > 0);

	return w->done && !idle && w->jobs.completed < MODEL_MIN_JOBS;
}

struct figure figure_ratio(struct figure a, struct figure b)
{
	struct figure none = {0, VALUE_NONE};
	if (!figure_known(a) || !figure_known(b) || !(b.v > 0))
		return none;
	return (struct figure){a.v / b.v, a.state > b.state ? a.state : b.state};
}

struct figure figure_rate(struct value v, uint64_t length_ns)
{
	if (length_ns < SAMPLE_RATE_NS)
		return (struct figure){0, VALUE_NONE};
	return value_per(v, (double)length_ns / NS_PER_S);
}

/* What all rows of one table are divided by and compared with. */
struct basis {
	const struct usage *total;
	const struct result *base; /* NULL: nothing to compare with */
	double divisor;            /* jobs or seconds */
	uint64_t length_ns;
	enum counter shares; /* the counter of the column "share" */
	enum counter versus; /* the counter of the column "vs base" */
	bool enough;
};

/* The same counter for all rows: shares and ratios of different ones do not stand in one column. */
static enum counter counter_of_shares(const struct usage *total)
{
	return value_known(total->instructions) ? COUNTER_INSTRUCTIONS : COUNTER_CPU_NS;
}

static enum counter counter_of_base(const struct usage *total, const struct result *base)
{
	bool both = value_known(total->instructions) &&
		    figure_known(base->per_job[ROLE_TOTAL][COUNTER_INSTRUCTIONS].median);
	return both ? COUNTER_INSTRUCTIONS : COUNTER_CPU_NS;
}

static void fill_cost(struct cost *cost, const struct usage *u, const struct basis *b)
{
	*cost = (struct cost){.processes = u->processes};
	if (!b->enough)
		return;
	struct figure whole[COUNTER_COUNT];
	for (unsigned c = 0; c < COUNTER_COUNT; c++) {
		cost->counters[c] = value_per(usage_counter(u, c), b->divisor);
		whole[c] = value_per(usage_counter(b->total, c), b->divisor);
	}
	cost->ipc =
		figure_ratio(cost->counters[COUNTER_INSTRUCTIONS], cost->counters[COUNTER_CYCLES]);
	cost->ghz = figure_ratio(cost->counters[COUNTER_CYCLES], cost->counters[COUNTER_CPU_NS]);
	cost->cpu_pct = figure_rate(u->cpu_ns, b->length_ns);
	cost->cpu_pct.v *= 100.0 / NS_PER_S;
	cost->csw = value_per(u->context_switches, b->divisor);
	cost->read_bytes = value_per(u->read_bytes, b->divisor);
	cost->written_bytes = value_per(u->written_bytes, b->divisor);
	cost->share = figure_ratio(cost->counters[b->shares], whole[b->shares]);
}

static void add_row(struct model *m, struct cost_row row, const struct usage *u,
		    const struct basis *b)
{
	if (m->nrows == MODEL_ROWS_MAX)
		return;
	fill_cost(&row.cost, u, b);
	if (row.kind != ROW_PART && b->base) {
		unsigned r = row.kind == ROW_TOTAL ? ROLE_TOTAL : row.role;
		row.cost.vs_base = figure_ratio(row.cost.counters[b->versus],
						b->base->per_job[r][b->versus].median);
	}
	m->rows[m->nrows++] = row;
}

/* Whether a part is below 1 % of the total, in either direction. */
static bool is_small(const struct usage *u, const struct basis *b)
{
	struct value part = usage_counter(u, b->shares);
	struct value total = usage_counter(b->total, b->shares);
	if (!value_known(part)) {
		part = u->cpu_ns;
		total = b->total->cpu_ns;
	}
	return value_known(part) && value_known(total) &&
	       fabs((double)part.v) < 0.01 * (double)total.v;
}

static void add_parts(struct model *m, const struct usage_diff *d, const struct basis *b)
{
	const struct usage *other = &d->parts[PART_OTHER], *exited = &d->parts[PART_EXITED];
	bool join = d->has_part[PART_OTHER] && d->has_part[PART_EXITED] && is_small(other, b) &&
		    is_small(exited, b);
	for (unsigned p = PART_NONE + 1; p < PART_COUNT; p++) {
		/* the monitor is not charged to the database */
		if (!d->has_part[p] || p == PART_MONITOR || (join && p == PART_EXITED))
			continue;
		struct cost_row row = {.kind = ROW_PART, .role = ROLE_DATABASE, .part = p};
		struct usage u = d->parts[p];
		if (join && p == PART_OTHER) {
			usage_add(&u, exited);
			u.processes = other->processes;
		}
		add_row(m, row, &u, b);
	}
}

/* More than a factor of 2 between the change of instructions and that of CPU time: the cost of one
 * instruction has changed, not only their number. */
static const char *moves_apart(const struct cost *total, const struct result *base)
{
	struct figure ratio[COUNTER_COUNT];
	for (unsigned c = 0; c < COUNTER_COUNT; c++)
		ratio[c] = figure_ratio(total->counters[c], base->per_job[ROLE_TOTAL][c].median);
	struct figure apart = figure_ratio(ratio[COUNTER_CPU_NS], ratio[COUNTER_INSTRUCTIONS]);
	if (!figure_known(apart) || (apart.v >= 0.5 && apart.v <= 2))
		return NULL;
	return apart.v > 2
		       ? "CPU per instruction is over twice the base's: clock and caches, not work"
		       : "CPU per instruction is under half the base's: clock and caches, not work";
}

static struct figure divided(uint64_t a, uint64_t b, const struct basis *basis)
{
	if (!basis->enough)
		return (struct figure){0, VALUE_NONE};
	return value_per(value_of((int64_t)(a + b)), basis->divisor);
}

void figures_fill_rows(struct model *m, const struct usage_diff *d, const struct jobs_counts *jobs,
		       const struct result *base)
{
	struct usage total;
	usage_total(d, &total);
	struct basis b = {.total = &total, .length_ns = d->length_ns};
	b.divisor = m->per_second ? (double)b.length_ns / NS_PER_S : (double)jobs->completed;
	b.enough =
		m->per_second ? b.length_ns >= SAMPLE_RATE_NS : jobs->completed >= MODEL_MIN_JOBS;
	b.shares = counter_of_shares(&total);
	/* the base's medians are per job: nothing per second can be compared with them */
	if (base && !m->per_second) {
		b.base = base;
		b.versus = counter_of_base(&total, base);
	}
	m->enough_jobs = b.enough;
	m->nrows = 0;
	memset(m->rows, 0, sizeof(m->rows));
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		add_row(m, (struct cost_row){.kind = ROW_ROLE, .role = r}, &d->roles[r], &b);
		if (r == ROLE_DATABASE)
			add_parts(m, d, &b);
	}
	add_row(m, (struct cost_row){.kind = ROW_TOTAL}, &total, &b);
	m->moves_apart = b.base ? moves_apart(&m->rows[m->nrows - 1].cost, b.base) : NULL;
	m->statements = divided(jobs->worker_statements, jobs->producer_statements, &b);
	m->commits = divided(jobs->worker_commits, jobs->producer_commits, &b);
}
