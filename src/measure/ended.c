/*
 * What was last read of processes and threads of the database that ended. Their part keeps that, so
 * that a window is not short of it; what they used after it is with the exited. Of one whose part
 * was never known all is with the exited.
 */
#include "config.h"

#include <string.h>

#include "lib/xalloc.h"
#include "measure/track.h"

/* The oldest are forgotten: what they used is with the exited then. */
#define ENDED_MAX 512

static bool part_was_known(const struct procinfo *i)
{
	if (i->part == PART_BACKGROUND)
		return i->asked;
	return i->part != PART_NONE && i->part != PART_OTHER && i->part != PART_MONITOR;
}

void ended_note(struct track *t, const struct procinfo *i, const struct ended *who)
{
	struct ended *e;

	if (t->role != ROLE_DATABASE || !part_was_known(i))
		return;
	t->ended_count++;
	if (t->ended.len == ENDED_MAX) {
		t->ended.len--;
		memmove(t->ended.items, t->ended.items + 1, t->ended.len * sizeof(*t->ended.items));
	}
	e = vec_push(&t->ended);
	*e = *who;
	e->part = i->part;
	memcpy(e->last, i->last, sizeof(e->last));
}

/* The values that the living have at this reading, too. */
static void fill_usage(const struct track *t, const int64_t last[Q_COUNT], bool edge,
		       struct usage *u)
{
	if (!track_is_under(t))
		u->cpu_ns = value_of(last[Q_CPU]);
	if (t->family && t->measure->info.parts) {
		if (t->measure->info.instructions.available)
			u->instructions = value_of(last[Q_INSTRUCTIONS]);
		if (t->measure->info.cycles.available)
			u->cycles = value_of(last[Q_CYCLES]);
		u->coverage = t->counted.coverage;
	}
	if (edge) {
		u->context_switches = value_of(last[Q_SWITCHES]);
		u->read_bytes = value_of(last[Q_READ]);
		u->written_bytes = value_of(last[Q_WRITTEN]);
	}
	track_fill_user(t, u);
}

void ended_fill(const struct track *t, bool edge, struct sample *out)
{
	if (t->role != ROLE_DATABASE)
		return;
	out->ended_count = t->ended_count;
	out->nended = t->ended.len;
	out->ended = t->ended.len ? xcalloc(t->ended.len, sizeof(*out->ended)) : NULL;
	for (size_t n = 0; n < t->ended.len; n++) {
		const struct ended *e = &t->ended.items[n];
		struct ended_row *row = &out->ended[n];

		row->pid = e->pid;
		row->tid = e->tid;
		row->start = e->start;
		row->part = e->part;
		row->thread = e->thread;
		fill_usage(t, e->last, edge, &row->usage);
	}
}
