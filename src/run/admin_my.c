/* MariaDB and MySQL: the statements of cputop's own connection. */
#include "config.h"

#include "run/admin.h"

#include <stddef.h>

#define FRESH "drop database if exists cputop; create database cputop; use cputop"
/* The primary key is the table itself. */
#define SIZES                                                                       \
	"select t.table_name, t.data_length, s.index_name, "                        \
	"s.stat_value * @@innodb_page_size, null from information_schema.tables t " \
	"left join mysql.innodb_index_stats s on s.database_name = t.table_schema " \
	"and s.table_name = t.table_name and s.stat_name = 'size' "                 \
	"and s.index_name <> 'PRIMARY' where t.table_schema = database() "          \
	"and t.table_type = 'BASE TABLE' order by 1, 3"
/* A status variable, the sum of several. */
#define VALUE(view, name) \
	"(select cast(variable_value as unsigned) from " view " where variable_name = " name ")"
/* What the handlers of the storage engines were asked for, row by row; cputop's own statements are
 * among it. */
#define ROWS(view)                                                                              \
	"(select cast(sum(variable_value) as unsigned) from " view " where variable_name in "   \
	"('Handler_read_first', 'Handler_read_key', 'Handler_read_last', 'Handler_read_next', " \
	"'Handler_read_prev', 'Handler_read_rnd', 'Handler_read_rnd_next'))"
#define BUFFERS(view)  VALUE(view, "'Innodb_buffer_pool_read_requests'")
#define MARIADB_STATUS "information_schema.global_status"
#define MYSQL_STATUS   "performance_schema.global_status"
/* What the two servers have in common. */
#define MISSING                                                                      \
	{                                                                            \
		[SERVER_WAL_BYTES] = "the binary log is off",                        \
		[SERVER_CHECKPOINTS] = "InnoDB flushes bit by bit and counts none",  \
		[SERVER_AUTOVACUUMS] = "there are none: purge is a part of its own", \
	}

static const struct admin_counts mariadb_counts[] = {{
	.sql = "select if(@@log_bin, " VALUE(
		MARIADB_STATUS,
		"'Binlog_"
		"bytes_"
		"written'") ", null), " ROWS(MARIADB_STATUS) ", " BUFFERS(MARIADB_STATUS) ", "
											  "null,"
											  " nul"
											  "l",
	.missing = MISSING,
}};

/* Where the binary log ends is the only count of its bytes; a new file makes it fall, and then it
 * is no figure. */
static const struct admin_counts mysql_counts[] = {{
	.sql = "select if(@@log_bin, (select json_extract(local, '$.binary_log_position') "
	       "from performance_schema.log_status), null), " ROWS(MYSQL_STATUS) ", " BUFFERS(
		       MYSQL_STATUS) ", null, null",
	.missing = MISSING,
	.fell = {[SERVER_WAL_BYTES] = "the binary log began a new file"},
}};

const struct admin_sql admin_mariadb = {
	.fresh = FRESH,
	.map = "select tid, if(id = connection_id(), 'monitor', 'connection') "
	       "from information_schema.processlist "
	       "where tid > 0 and user <> 'system user' and command <> 'Daemon'",
	.counts = mariadb_counts,
	.before_sizes = "analyze table job",
	.sizes = SIZES,
	.settings = "select lower(variable_name), coalesce(global_value, '') "
		    "from information_schema.system_variables "
		    "where global_value_origin <> 'COMPILE-TIME' "
		    "and not global_value <=> default_value order by 1",
	.settling = "ANALYZE TABLE",
};

const struct admin_sql admin_mysql = {
	.fresh = FRESH,
	.map = "select thread_os_id, if(processlist_id = connection_id(), 'monitor', 'connection') "
	       "from performance_schema.threads where name = 'thread/sql/one_connection' "
	       "and thread_os_id is not null",
	.counts = mysql_counts,
	.before_sizes = "set session information_schema_stats_expiry = 0; analyze table job",
	.sizes = SIZES,
	.settings = "select v.variable_name, g.variable_value "
		    "from performance_schema.variables_info v "
		    "join performance_schema.global_variables g using (variable_name) "
		    "where v.variable_source not in ('COMPILED', 'DYNAMIC') order by 1",
	.settling = "ANALYZE TABLE",
};
