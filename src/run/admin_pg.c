/* PostgreSQL: the statements of cputop's own connection. */
#include "config.h"

#include "run/admin.h"

#include <stddef.h>

/* Checkpoint counters moved to a view of their own in version 17. */
#define COUNTS(checkpoints)                                                                     \
	"select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint, null, "            \
	"(select sum(blks_hit + blks_read) from pg_stat_database)::bigint, (" checkpoints "), " \
	"(select coalesce(sum(autovacuum_count + autoanalyze_count), 0) "                       \
	"from pg_stat_all_tables)::bigint"

static const struct admin_sql postgres = {
	.fresh = "drop schema if exists cputop cascade; create schema cputop",
	.map = "select pid, backend_type from pg_stat_activity where pid is not null",
	.counts = COUNTS("select checkpoints_timed + checkpoints_req from pg_stat_bgwriter"),
	.counts_17 = COUNTS("select num_timed + num_requested from pg_stat_checkpointer"),
	.sizes = "select c.relname, pg_table_size(c.oid), i.relname, pg_relation_size(i.oid) "
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
