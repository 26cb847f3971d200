/* PostgreSQL: the statements of cputop's own connection. */
#include "config.h"

#include "run/admin.h"

#include <stddef.h>

/* The tables of the queue, their indexes, and what long values are moved to. cputop's own
 * statements touch none of them, so what they read is not in the sums. */
#define OWN                                                                                \
	"with t as (select oid, reltoastrelid from pg_class "                              \
	"where relnamespace = current_schema()::regnamespace), own as (select oid from t " \
	"union select reltoastrelid from t where reltoastrelid <> 0 "                      \
	"union select indexrelid from pg_index where indrelid in (select reltoastrelid from t)) "
#define WAL "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
/* Rows of tables that were read one after the other, and entries of indexes. */
#define ROWS    "(select sum(pg_stat_get_tuples_returned(oid))::bigint from own)"
#define BUFFERS "(select sum(pg_stat_get_blocks_fetched(oid))::bigint from own)"
/* These counters moved to a view of their own in version 17. */
#define CHECKPOINTS    "(select checkpoints_timed + checkpoints_req from pg_stat_bgwriter)"
#define CHECKPOINTS_17 "(select num_timed + num_requested from pg_stat_checkpointer)"
#define AUTOVACUUMS                                                       \
	"(select coalesce(sum(autovacuum_count + autoanalyze_count), 0) " \
	"from pg_stat_all_tables)::bigint"
/* A backend hands in its statistics once a second at most, an idle one after 10 s. */
#define ASK                                   \
	"select pg_stat_force_next_flush(); " \
	"select name, generic_plans, custom_plans from pg_prepared_statements"

static const struct admin_counts counts[] = {
	{
		.since = 17,
		.sql = OWN "select " WAL ", " ROWS ", " BUFFERS ", " CHECKPOINTS_17
			   ", " AUTOVACUUMS,
		.ask = ASK,
	},
	{
		.since = 15,
		.sql = OWN "select " WAL ", " ROWS ", " BUFFERS ", " CHECKPOINTS ", " AUTOVACUUMS,
		.ask = ASK,
	},
	{
		.sql = "select " WAL ", null, null, " CHECKPOINTS ", " AUTOVACUUMS,
		.missing = {[SERVER_ROWS_EXAMINED] = "PostgreSQL before 15 tells it too late",
			    [SERVER_BUFFERS] = "PostgreSQL before 15 tells it too late"},
	},
};

static const struct admin_sql postgres = {
	.fresh = "drop schema if exists cputop cascade; create schema cputop",
	.map = "select pid, backend_type from pg_stat_activity where pid is not null",
	.counts = counts,
	.sizes = "select c.relname, pg_table_size(c.oid), i.relname, pg_relation_size(i.oid), "
		 "pg_stat_get_dead_tuples(c.oid) "
		 "from pg_class c left join pg_index x on x.indrelid = c.oid "
		 "left join pg_class i on i.oid = x.indexrelid "
		 "where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' "
		 "order by 1, 3",
	.settings = "select name, current_setting(name) from pg_settings "
		    "where source in ('configuration file', 'command line', 'global') "
		    "and setting is distinct from boot_val order by name",
	.settling = "VACUUM ANALYZE, CHECKPOINT",
};

const struct admin_sql *admin_sql(enum dialect d)
{
	static const struct admin_sql *const all[DIALECT_COUNT] = {
		[DIALECT_POSTGRES] = &postgres,
		[DIALECT_MARIADB] = &admin_mariadb,
		[DIALECT_MYSQL] = &admin_mysql,
	};

	return (unsigned)d < DIALECT_COUNT ? all[d] : NULL;
}
