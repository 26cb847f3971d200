/* All rows of one reading have its one time, so all rates are over the same stretch. */
#include "config.h"

#include "result/processes.h"

#include <string.h>

#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "model/model.h"
#include "result/figures.h"

#define PROCESS_ROWS 512

static void fill_title(struct process_line *p, const char *title)
{
	struct strbuf sb;

	strbuf_init(&sb);
	escape_text(&sb, title, strlen(title), true);
	text_copy(p->title, sizeof(p->title), sb.buf);
	strbuf_release(&sb);
}

/* before NULL: it is new. A process that has threads now was the row of its first one. */
static void fill_line(struct process_line *p, const struct proc_row *row,
		      const struct proc_row *before, uint64_t length_ns)
{
	struct usage u = row->usage;

	if (before && before->thread == row->thread)
		usage_sub(&u, &before->usage);
	else if (row->thread || !row->tid)
		/* It may have run for long before it was a row of its own. */
		memset(&u, 0, sizeof(u));
	p->pid = row->pid;
	p->tid = row->tid;
	p->thread = row->thread;
	p->role = row->role;
	p->part = row->part;
	fill_title(p, row->title ? row->title : row->comm);
	p->cpu_ns_s = figure_rate(u.cpu_ns, length_ns);
	p->instructions_s = figure_rate(u.instructions, length_ns);
	p->cycles_s = figure_rate(u.cycles, length_ns);
	p->csw_s = figure_rate(u.context_switches, length_ns);
	p->read_bytes_s = figure_rate(u.read_bytes, length_ns);
	p->written_bytes_s = figure_rate(u.written_bytes, length_ns);
}

void processes_fill(struct model *m, const struct sample *a, const struct sample *b)
{
	size_t n = b->nrows < PROCESS_ROWS ? b->nrows : PROCESS_ROWS, ia = 0;
	uint64_t length_ns = sample_rate_ns(a, b);

	m->processes = xreallocarray(m->processes, n + 1, sizeof(*m->processes));
	for (size_t i = 0; i < n; i++)
		fill_line(&m->processes[i], &b->rows[i],
			  a ? sample_row_before(a, &ia, &b->rows[i]) : NULL, length_ns);
	m->nprocesses = n;
}
