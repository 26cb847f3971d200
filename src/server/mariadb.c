/*
 * MariaDB, with the binary log that MySQL has by default. The script that initialises makes
 * accounts for root under several host names; made for a login by the Unix socket none of them can
 * log in over the network, and all are removed before it is open. The binary log would hold the
 * password in clear.
 */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"
#include "server/engine.h"
#include "server/my_common.h"

static bool is_version(const char *text)
{
	return strstr(text, "MariaDB") != NULL;
}

static char *password_text(const struct server *s)
{
	return my_password_text(s, "SET sql_log_bin = 0;\n"
				   "DELETE FROM mysql.global_priv "
				   "WHERE User NOT IN ('mariadb.sys', 'PUBLIC');\n"
				   "UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, "
				   "'$.account_locked', TRUE) WHERE User = 'mariadb.sys';\n"
				   "DELETE FROM mysql.db;\n"
				   "DELETE FROM mysql.proxies_priv;\n"
				   "FLUSH PRIVILEGES;\n");
}

static void init_args(const struct server *s, struct server_args *a)
{
	char *base = xasprintf("%s/..", s->programs.dir);
	char *real = realpath(base, NULL);

	my_first_args(s, a);
	/* The script would else take the programs of the place that it was built for. */
	server_arg(a, "--basedir=%s", real ? real : base);
	server_arg(a, "--auth-root-authentication-method=socket");
	server_arg(a, "--skip-test-db");
	my_fixed_args(s, a);
	/* It hands on what it does not know without quotes, so a --tmpdir with a blank in it would
	 * be two arguments; the variable TMPDIR does the same. */
	free(real);
	free(base);
}

static void run_args(const struct server *s, struct server_args *a)
{
	my_first_args(s, a);
	server_arg(a, "--log-bin=binlog");
	server_arg(a, "--server-id=1");
	server_arg(a, "--sync-binlog=1");
	server_arg(a, "--binlog-format=ROW");
	/* Under Valgrind io_uring makes it wait for ever, and the address space that it reserves
	 * for a larger buffer pool is not there. */
	if (s->prefix) {
		server_arg(a, "--innodb-use-native-aio=0");
		server_arg(a, "--loose-innodb-buffer-pool-size-max=64M");
	}
	my_set_args(s, a);
	/* It does not know MySQL's NULL: no files but its own. */
	server_arg(a, "--secure-file-priv=%s", s->data_dir);
}

static const char *const programs[] = {"mariadbd", "mysqld", NULL};
static const char *const init_programs[] = {"mariadb-install-db", "mysql_install_db", NULL};
static const char *const init_dirs[] = {"", "/../bin", "/../scripts", NULL};
static const char *const places[] = {"/opt/mariadb-", "/usr/local/mariadb-", NULL};
static const char *const usual_dirs[] = {"/usr/sbin",
					 "/usr/libexec",
					 "/usr/local/sbin",
					 "/usr/local/bin",
					 "/usr/local/mariadb/bin",
					 "/usr/local/mysql/bin",
					 "/opt/mariadb/bin",
					 NULL};
static const char *const reserved[] = {
	"port",       "extra_port",   "bind_address", "socket",
	"networking", "grant_tables", "name_resolve", "datadir",
	"init_file",  "pid_file",     "tmpdir",       "log_error",
	"user",       "chroot",       "bootstrap",    "secure_file_priv",
	NULL};

const struct server_ops server_mariadb = {
	.dialect = DIALECT_MARIADB,
	.title = "MariaDB",
	.dir = "mariadb",
	.programs = programs,
	.init_programs = init_programs,
	.init_dirs = init_dirs,
	.places = places,
	.usual_dirs = usual_dirs,
	.version_args = my_version_args,
	.is_version = is_version,
	.how_to_get = "install it (on Debian: apt-get install mariadb-server-core)",
	.port = 53308,
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
