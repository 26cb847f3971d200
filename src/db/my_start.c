#include "config.h"

#include "db/my_start.h"

#include <stdio.h>
#include <stdlib.h>

#include "db/driver.h"
#include "db/my_wait.h"

#define ISOLATION "set session transaction isolation level read committed"

/* What the library reads by itself; MYSQL_BIN and the like are cputop's. */
static void forget_environment(void)
{
	static const char *const variables[] = {
		"MYSQL_PWD",
		"MYSQL_HOST",
		"MYSQL_TCP_PORT",
		"MYSQL_UNIX_PORT",
		"MYSQL_GROUP_SUFFIX",
		"MYSQL_HOME",
		"MARIADB_HOME",
		"LIBMYSQL_PLUGINS",
		"LIBMYSQL_PLUGIN_DIR",
		"LIBMYSQL_ENABLE_CLEARTEXT_PLUGIN",
		"MARIADB_TLS_DISABLE_PEER_VERIFICATION",
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
}

MYSQL *my_start(const char *application)
{
	const unsigned protocol = MYSQL_PROTOCOL_TCP, no = 0;
	MYSQL *mysql;

	forget_environment();
	mysql = mysql_init(NULL);
	if (!mysql)
		return NULL;
	mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol);
	mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &no);
	mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(mysql, MYSQL_INIT_COMMAND, ISOLATION);
	mysql_options4(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", application);
	my_wait_options(mysql);
	return mysql;
}

const char *my_client_version(char *buf, size_t size)
{
	snprintf(buf, size, "%s %s", db_mysql_ops.name, mysql_get_client_info());
	return buf;
}
