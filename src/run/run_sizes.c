/* Tables and indexes of the queue, and the dead rows in them: after the set-up, after windows. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format.h"
#include "lib/xalloc.h"
#include "result/snapshot.h"
#include "run/run_internal.h"

/* Rows come sorted by table: the indexes of one table follow each other. */
static void tell_sizes(struct run *r, const struct db_result *res)
{
	struct snapshot_table *tables = xcalloc(res->rows + 1, sizeof(*tables));
	struct snapshot_index *indexes = xcalloc(res->rows + 1, sizeof(*indexes));
	size_t ntables = 0, nindexes = 0;

	for (unsigned i = 0; i < res->rows; i++) {
		const char *table = res->field(res, i, 0), *index = res->field(res, i, 2);
		const char *table_bytes = res->field(res, i, 1);
		const char *index_bytes = res->field(res, i, 3);
		const char *dead = res->field(res, i, 4);
		struct snapshot_table *t = ntables ? &tables[ntables - 1] : NULL;
		uint64_t bytes = 0;

		if (!table)
			continue;
		if (!t || strcmp(t->name, table) != 0) {
			t = &tables[ntables++];
			t->name = table;
			if (table_bytes)
				parse_u64(table_bytes, &t->bytes);
			if (dead && parse_u64(dead, &bytes))
				t->dead_rows = value_of((int64_t)bytes);
			t->indexes = &indexes[nindexes];
		}
		if (index && index_bytes && parse_u64(index_bytes, &bytes)) {
			indexes[nindexes++] = (struct snapshot_index){index, bytes};
			t->nindexes++;
		}
	}
	r->cb.sizes(r, tables, ntables, r->window != NULL, r->arg);
	free(indexes);
	free(tables);
}

static void after_window_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	r->asking = false;
	if (!run_result_ok(r, res, STATEMENT_COUNT, "reading the sizes of the tables"))
		return;
	if (!r->window)
		return;
	tell_sizes(r, res);
	run_window_counted(r);
}

void run_sizes_after_window(struct run *r)
{
	run_ask(r, r->admin->sizes, after_window_cb);
}

static void sizes_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	if (!run_result_ok(r, res, STATEMENT_COUNT, "reading the sizes of the tables"))
		return;
	tell_sizes(r, res);
	run_settings(r);
}

static void analyzed_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	if (!run_result_ok(r, res, STATEMENT_COUNT, "analyzing the tables"))
		return;
	r->db_pending++;
	db_query(db, r->admin->sizes, sizes_cb, r);
}

void run_sizes(struct run *r)
{
	bool analyze = r->admin->before_sizes != NULL;

	r->db_pending++;
	db_query(r->db, analyze ? r->admin->before_sizes : r->admin->sizes,
		 analyze ? analyzed_cb : sizes_cb, r);
}
