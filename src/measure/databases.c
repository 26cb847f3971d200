/*
 * Which server is the database. A track moves between roles[ROLE_DATABASE] and idle[] with all that
 * it has opened: its counters go on, so that coming back to a server costs nothing.
 */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "measure/measure.h"
#include "measure/track.h"

/* into is not present. */
static void move(struct track *into, struct track *from)
{
	*into = *from;
	into->tree.arg = into;
	memset(from, 0, sizeof(*from));
}

/* Its clocks now; what it used until then is not idle's. */
static void begin_idle(struct track *t)
{
	if (!t->present)
		return;
	if (!t->gone && proctree_read(&t->tree) == 0)
		cputime_update(&t->cpu, &t->tree);
	t->idle_seen_ns = t->cpu.total_ns;
}

void measure_select_database(struct measure *m, unsigned which)
{
	struct track *database = &m->roles[ROLE_DATABASE];

	assert(which < MEASURE_DATABASES);
	if (which == m->selected)
		return;
	databases_read_idle(m);
	begin_idle(database);
	move(&m->idle[m->selected], database);
	move(database, &m->idle[which]);
	m->selected = which;
	m->wants_map = false;
	m->pending.len = 0;
}

int measure_add_database(struct measure *m, unsigned which, pid_t keeper, struct err *err)
{
	unsigned selected = m->selected;
	int r;

	measure_select_database(m, which);
	r = measure_add_role(m, ROLE_DATABASE, keeper, err);
	measure_select_database(m, selected);
	return r;
}

void measure_remove_database(struct measure *m, unsigned which)
{
	if (which == m->selected) {
		measure_remove_role(m, ROLE_DATABASE);
		return;
	}
	databases_read_idle(m);
	track_end(&m->idle[which]);
	measure_remove_leftovers(m);
}

void databases_read_idle(struct measure *m)
{
	for (unsigned i = 0; i < MEASURE_DATABASES; i++) {
		struct track *t = &m->idle[i];

		if (!t->present || t->gone)
			continue;
		if (proctree_read(&t->tree) != 0) {
			t->gone = true;
			continue;
		}
		t->keeper_ns = proctree_find(&t->tree, t->tree.root)->cpu_ns;
		cputime_update(&t->cpu, &t->tree);
		if (t->cpu.total_ns > t->idle_seen_ns) {
			m->idle_ns += t->cpu.total_ns - t->idle_seen_ns;
			t->idle_seen_ns = t->cpu.total_ns;
		}
	}
}

void databases_drop_counters(struct measure *m)
{
	for (unsigned i = 0; i < MEASURE_DATABASES; i++)
		track_drop_counters(&m->idle[i]);
}

void databases_close_sets(struct measure *m)
{
	for (unsigned i = 0; i < MEASURE_DATABASES; i++)
		if (m->idle[i].present)
			track_close_sets(&m->idle[i]);
}

void databases_end(struct measure *m)
{
	for (unsigned i = 0; i < MEASURE_DATABASES; i++)
		track_end(&m->idle[i]);
}
