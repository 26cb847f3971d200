#include "config.h"

#include "model/window.h"

struct value *server_count(struct server_counts *c, enum server_count which)
{
	struct value *const all[SERVER_COUNTS] = {
		[SERVER_WAL_BYTES] = &c->wal_bytes,     [SERVER_ROWS_EXAMINED] = &c->rows_examined,
		[SERVER_BUFFERS] = &c->buffers,         [SERVER_CHECKPOINTS] = &c->checkpoints,
		[SERVER_AUTOVACUUMS] = &c->autovacuums,
	};

	return all[which];
}

void window_release(struct window *w)
{
	sample_release(&w->before);
	sample_release(&w->after);
	plan_counts_clear(&w->plans);
}
