#include "config.h"

#include "model/sample.h"

#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"

static const char *const role_names[ROLE_COUNT] = {
	[ROLE_WORKER] = "worker",
	[ROLE_PRODUCER] = "producer",
	[ROLE_DATABASE] = "database",
};

static const char *const part_names[PART_COUNT] = {
	[PART_NONE] = "process",
	[PART_BACKEND] = "backend",
	[PART_PARALLEL] = "parallel worker",
	[PART_CHECKPOINTER] = "checkpointer",
	[PART_BGWRITER] = "background writer",
	[PART_WALWRITER] = "walwriter",
	[PART_AV_LAUNCHER] = "autovacuum launcher",
	[PART_AV_WORKER] = "autovacuum worker",
	[PART_LR_LAUNCHER] = "logical replication launcher",
	[PART_POSTMASTER] = "postmaster",
	[PART_CONNECTION] = "connection",
	[PART_LOG_WRITER] = "log writer",
	[PART_LOG_FLUSHER] = "log flusher",
	[PART_PAGE_CLEANER] = "page cleaner",
	[PART_PURGE] = "purge",
	[PART_IO] = "I/O",
	[PART_SIGNAL] = "signal handler",
	[PART_BACKGROUND] = "background",
	[PART_MONITOR] = "monitor",
	[PART_OTHER] = "other",
	[PART_EXITED] = "exited",
};

const char *role_name(enum role r)
{
	return (unsigned)r < ROLE_COUNT ? role_names[r] : "?";
}

const char *part_name(enum part p)
{
	return (unsigned)p < PART_COUNT ? part_names[p] : "?";
}

static void combine(struct usage *into, const struct usage *u,
		    struct value (*op)(struct value, struct value))
{
	into->instructions = op(into->instructions, u->instructions);
	into->instructions_user = op(into->instructions_user, u->instructions_user);
	into->cycles = op(into->cycles, u->cycles);
	into->cycles_user = op(into->cycles_user, u->cycles_user);
	into->cpu_ns = op(into->cpu_ns, u->cpu_ns);
	into->context_switches = op(into->context_switches, u->context_switches);
	into->read_bytes = op(into->read_bytes, u->read_bytes);
	into->written_bytes = op(into->written_bytes, u->written_bytes);
}

void usage_zero(struct usage *u)
{
	struct value zero = value_of(0);

	*u = (struct usage){zero, zero, zero, zero, zero, zero, zero, zero, 1, 0};
}

void usage_add(struct usage *into, const struct usage *u)
{
	combine(into, u, value_add);
	if (u->coverage < into->coverage)
		into->coverage = u->coverage;
	into->processes += u->processes;
}

void usage_sub(struct usage *into, const struct usage *u)
{
	combine(into, u, value_sub);
}

void sample_drop_titles(struct sample *s)
{
	for (size_t i = 0; i < s->nrows; i++) {
		free(s->rows[i].title);
		s->rows[i].title = NULL;
	}
}

void sample_release(struct sample *s)
{
	sample_drop_titles(s);
	free(s->rows);
	free(s->ended);
	s->rows = NULL;
	s->nrows = 0;
	s->ended = NULL;
	s->nended = 0;
}

void sample_copy(struct sample *into, const struct sample *from)
{
	*into = *from;
	into->rows = NULL;
	into->ended = NULL;
	if (from->nended) {
		into->ended = xreallocarray(NULL, from->nended, sizeof(*from->ended));
		memcpy(into->ended, from->ended, from->nended * sizeof(*from->ended));
	}
	if (!from->nrows)
		return;
	into->rows = xreallocarray(NULL, from->nrows, sizeof(*from->rows));
	memcpy(into->rows, from->rows, from->nrows * sizeof(*from->rows));
	for (size_t i = 0; i < into->nrows; i++)
		if (into->rows[i].title)
			into->rows[i].title = xstrdup(into->rows[i].title);
}

/* The order of the rows. */
static int compare(const struct proc_row *a, const struct proc_row *b)
{
	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return 0;
}

static void add_to_part(struct usage_diff *d, enum part part, const struct usage *u)
{
	if (!d->has_part[part])
		usage_zero(&d->parts[part]);
	d->has_part[part] = true;
	usage_add(&d->parts[part], u);
}

const struct proc_row *sample_row_before(const struct sample *a, size_t *ia,
					 const struct proc_row *row)
{
	while (*ia < a->nrows && compare(&a->rows[*ia], row) < 0)
		++*ia;
	if (*ia < a->nrows && compare(&a->rows[*ia], row) == 0 && a->rows[*ia].start == row->start)
		return &a->rows[*ia];
	return NULL;
}

static void diff_row(const struct sample *a, size_t *ia, const struct proc_row *row,
		     struct usage_diff *d)
{
	const struct proc_row *before = sample_row_before(a, ia, row);
	struct usage u = row->usage;

	if (before)
		usage_sub(&u, &before->usage);
	u.processes = 1;
	add_to_part(d, row->part, &u);
}

static void zero_known(struct value *v)
{
	if (value_known(*v))
		v->v = 0;
}

static const struct proc_row *row_of(const struct sample *s, const struct ended_row *e)
{
	for (size_t i = 0; i < s->nrows; i++) {
		const struct proc_row *row = &s->rows[i];

		if (row->role == ROLE_DATABASE && row->tid == e->tid && row->pid == e->pid &&
		    row->start == e->start)
			return row;
	}
	return NULL;
}

/* Those of b that had not ended at a. */
static void diff_ended(const struct sample *a, const struct sample *b, struct usage_diff *d)
{
	for (size_t i = 0; i < b->nended; i++) {
		const struct ended_row *e = &b->ended[i];
		const struct proc_row *before;
		struct usage u = e->usage;

		if (b->ended_count - b->nended + i < a->ended_count)
			continue;
		before = row_of(a, e);
		if (before)
			usage_sub(&u, &before->usage);
		/* The account of a parent holds what its children read and wrote. */
		if (!e->thread) {
			zero_known(&u.read_bytes);
			zero_known(&u.written_bytes);
		}
		add_to_part(d, e->part, &u);
	}
}

static void diff_parts(const struct sample *a, const struct sample *b, struct usage_diff *d)
{
	struct usage *left = &d->parts[PART_EXITED];
	size_t ia = 0;

	for (size_t i = 0; i < b->nrows; i++)
		if (b->rows[i].role == ROLE_DATABASE && b->rows[i].tid != 0)
			diff_row(a, &ia, &b->rows[i], d);
	diff_ended(a, b, d);
	if (!b->roles[ROLE_DATABASE].present)
		return;
	*left = d->roles[ROLE_DATABASE];
	left->processes = 0;
	for (unsigned p = 0; p < PART_COUNT; p++)
		if (d->has_part[p] && p != PART_MONITOR)
			usage_sub(left, &d->parts[p]);
	d->has_part[PART_EXITED] = true;
}

static uint64_t since(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

uint64_t sample_rate_ns(const struct sample *a, const struct sample *b)
{
	uint64_t length = a ? since(a->taken_ns, b->taken_ns) : 0;

	if (length < SAMPLE_RATE_NS || a->cost_ns > length / 4 || b->cost_ns > length / 4)
		return 0;
	return length;
}

void sample_diff(const struct sample *a, const struct sample *b, struct usage_diff *d)
{
	memset(d, 0, sizeof(*d));
	d->length_ns = since(a->taken_ns, b->taken_ns);
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		if (!b->roles[r].present)
			continue;
		d->roles[r] = b->roles[r].total;
		if (a->roles[r].present)
			usage_sub(&d->roles[r], &a->roles[r].total);
	}
	diff_parts(a, b, d);
	d->cputop = b->cputop;
	usage_sub(&d->cputop, &a->cputop);
	d->machine_busy_ns = since(a->machine_busy_ns, b->machine_busy_ns);
	d->machine_steal_ns = since(a->machine_steal_ns, b->machine_steal_ns);
	d->idle_servers_ns = since(a->idle_servers_ns, b->idle_servers_ns);
}
