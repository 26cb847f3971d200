/*
 * MySQL. Its accounts are root@localhost, without a password until the server's first start, and
 * some of its own that are locked. The X protocol would be a second way in. It ends on TERM, with
 * clients after some seconds; KILL is enough, as nobody needs the data once cputop has ended.
 */
#include "config.h"

#include <signal.h>
#include <string.h>

#include "server/engine.h"
#include "server/my_common.h"

static bool is_version(const char *text)
{
	return !strstr(text, "MariaDB");
}

static char *password_text(const struct server *s)
{
	return my_password_text(s, "DROP USER IF EXISTS 'root'@'localhost';\n");
}

static void init_args(const struct server *s, struct server_args *a)
{
	my_first_args(s, a);
	server_arg(a, "--initialize-insecure");
	my_fixed_args(s, a);
	server_arg(a, "--tmpdir=%s", s->dir);
	server_arg(a, "--secure-file-priv=NULL");
}

static void run_args(const struct server *s, struct server_args *a)
{
	my_first_args(s, a);
	my_set_args(s, a);
	server_arg(a, "--mysqlx=OFF");
	/* Its default is a directory of the system's server, without which it does not start. */
	server_arg(a, "--secure-file-priv=NULL");
}

static const char *const programs[] = {"mysqld", NULL};
static const char *const places[] = {"/opt/mysql-", "/usr/local/mysql-", NULL};
static const char *const usual_dirs[] = {"/usr/sbin",
					 "/usr/libexec",
					 "/usr/local/sbin",
					 "/usr/local/bin",
					 "/usr/local/mysql/bin",
					 "/opt/mysql/bin",
					 NULL};
static const char *const reserved[] = {"port",
				       "bind_address",
				       "socket",
				       "networking",
				       "grant_tables",
				       "name_resolve",
				       "datadir",
				       "init_file",
				       "pid_file",
				       "tmpdir",
				       "log_error",
				       "user",
				       "chroot",
				       "daemonize",
				       "initialize",
				       "initialize_insecure",
				       "mysqlx",
				       "mysqlx_bind_address",
				       "mysqlx_port",
				       "mysqlx_socket",
				       "admin_address",
				       "admin_port",
				       "secure_file_priv",
				       NULL};

const struct server_ops server_mysql = {
	.dialect = DIALECT_MYSQL,
	.title = "MySQL",
	.dir = "mysql",
	.programs = programs,
	.places = places,
	.usual_dirs = usual_dirs,
	.cache_dir = "mysql",
	.prefix_variable = "CPUTOP_MYSQL_PREFIX",
	.version_args = my_version_args,
	.is_version = is_version,
	.how_to_get = "get it with contrib/get-mysql (on Debian),",
	.port = 53307,
	.user = "mysql",
	.account = "cputop",
	.stop_signal = SIGTERM,
	.eof_signal = SIGKILL,
	.kill_after_ms = 1500,
	.reserved = reserved,
	.modifiers = my_modifiers,
	.severities = my_severities,
	.fatal = my_severities,
	.noise = "Aborting",
	.busy_port = "Address already in use",
	.hints = my_hints,
	.password_text = password_text,
	.password_at_start = true,
	.init_args = init_args,
	.run_args = run_args,
	.is_up = my_is_up,
	.first_database = "mysql",
	.create_sql = "CREATE DATABASE cputop",
	.version_sql = "SELECT SUBSTRING_INDEX(VERSION(), '-', 1)",
};
