/*
 * A title costs a read, so it is read until the process has one of its own: a new child of the
 * postmaster shows the postmaster's command line until it has named itself, a new child of the
 * keeper the keeper's until it has exec'd (then its name changes as well). Other programs name
 * themselves when they have started, so what is new is looked at for a while. A title is never an
 * identity.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "measure/parts.h"
#include "measure/threads.h"
#include "measure/track.h"

#define TITLE_MAX 4096
#define LOOKS_MAX 20
#define LOOKS_MIN 2
#define NEW_NS    (2 * NS_PER_S)

/* Under Valgrind the command line is Valgrind's, and what the program writes there does not show:
 * the program's own begins after Valgrind's options. */
static void skip_prefix(char *text)
{
	char *own = strstr(text, " -- ");

	if (own)
		memmove(text, own + 4, strlen(own + 4) + 1);
}

static void read_title(const struct track *t, struct proc *p, const char *parents_title)
{
	struct procinfo *i = track_info(p);
	char path[PROCFS_PATH_MAX], text[TITLE_MAX];
	ssize_t n;

	procfs_path(path, t->measure->proc_root, p->pid, "cmdline");
	n = procfs_read(path, text, sizeof(text));
	i->looks++;
	/* A zombie's is empty: it keeps what it had. */
	if (n <= 0 || procfs_title(text, (size_t)n) == 0)
		return;
	if (track_is_under(t))
		skip_prefix(text);
	if (!i->title || strcmp(i->title, text) != 0) {
		free(i->title);
		i->title = xstrdup(text);
	}
	i->title_own = !parents_title || strcmp(text, parents_title) != 0;
}

static const struct procinfo *parent_of(const struct track *t, const struct proc *p)
{
	const struct proc *parent = proctree_find(&t->tree, p->stat.ppid);

	return parent ? parent->data : NULL;
}

static void look(struct track *t, struct proc *p, unsigned flags, uint64_t now)
{
	struct procinfo *i = track_info(p);
	const struct procinfo *parent = p->pid == t->tree.root ? NULL : parent_of(t, p);
	bool again;

	if (!i->seen_ns)
		i->seen_ns = now;
	if (strcmp(i->comm, p->stat.comm) != 0) {
		text_copy(i->comm, sizeof(i->comm), p->stat.comm);
		i->title_own = false;
		i->looks = 0;
	}
	/* Elsewhere a program may fork without ever naming its children. */
	again = !i->title_own &&
		((t->role == ROLE_DATABASE && !track_is_under(t)) || i->looks < LOOKS_MAX);
	if (again || i->looks < LOOKS_MIN || now - i->seen_ns < NEW_NS || (flags & MEASURE_TITLES))
		read_title(t, p, parent ? parent->title : NULL);
}

/* The server itself. */
static void find_root_part(const struct track *t, struct procinfo *i)
{
	i->part = PART_OTHER;
	if (!i->title_own)
		return;
	if (title_is_postmaster(i->title) ||
	    (track_is_under(t) && !title_is_thread_server(i->title)))
		i->part = PART_POSTMASTER;
	i->part_known = true;
}

static void find_part(struct track *t, struct proc *p, const struct procinfo *parent)
{
	struct procinfo *i = p->data;

	i->part = PART_OTHER;
	if (!parent || parent->part != PART_POSTMASTER) {
		i->part_known = parent && parent->part_known;
		return;
	}
	/* There no child has a title: only the map tells. */
	if (track_is_under(t)) {
		if (!i->asked)
			t->measure->wants_map = true;
		return;
	}
	if (i->title_own && part_from_title(i->title, &i->part))
		i->part_known = true;
	else if ((i->title_own || i->looks >= LOOKS_MAX) && !i->asked)
		t->measure->wants_map = true;
}

static void apply_pending(struct track *t)
{
	const struct part_rows *rows = &t->measure->pending;

	for (size_t n = 0; n < rows->len; n++)
		track_map(t, &rows->items[n]);
}

/* Wherever in the tree: below a wrapper, too. */
static bool find_threads(struct track *t)
{
	bool found = false;

	for (size_t n = 0; n < t->tree.n; n++) {
		struct proc *p = t->tree.procs[n];
		const struct procinfo *i = p->data;

		if (i->threads || !i->title_own || !title_is_thread_server(i->title))
			continue;
		threads_begin(t, p);
		found = true;
	}
	return found;
}

static void find_thread_parts(struct track *t)
{
	for (size_t n = 0; n < t->tree.n; n++) {
		struct proc *p = t->tree.procs[n];

		if (track_info(p)->threads)
			threads_find_parts(t, p);
	}
}

bool track_titles(struct track *t, unsigned flags)
{
	uint64_t now = clock_now_ns();
	bool found;

	/* Parents first where pids tell, as titles are compared with theirs. */
	for (size_t n = 0; n < t->tree.n; n++)
		look(t, t->tree.procs[n], flags, now);
	if (t->role != ROLE_DATABASE)
		return false;
	found = find_threads(t);
	apply_pending(t);
	for (size_t n = 0; n < t->tree.n; n++) {
		struct proc *p = t->tree.procs[n];
		struct procinfo *i = p->data;

		if (p->stat.ppid == t->tree.root && !i->part_known)
			find_root_part(t, i);
	}
	for (size_t n = 0; n < t->tree.n; n++) {
		struct proc *p = t->tree.procs[n];
		struct procinfo *i = p->data;

		if (p->pid != t->tree.root && p->stat.ppid != t->tree.root && !i->part_known)
			find_part(t, p, parent_of(t, p));
	}
	find_thread_parts(t);
	return found;
}
