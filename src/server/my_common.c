/*
 * MySQL and MariaDB. Both listen on 127.0.0.1 only, without a Unix socket; no configuration file is
 * read. Before the network is open they run a file of statements (init_file) that removes every
 * account that can log in and makes cputop's: who it is for can come from 127.0.0.1 only, and needs
 * the password. Should the first of these statements fail, the server goes on without the others,
 * so the account is made last: then cputop cannot log in either, and the start fails.
 */
#include "config.h"

#include "server/my_common.h"

#include <string.h>
#include <strings.h>

#include "lib/xalloc.h"
#include "server/engine.h"

const char *const my_version_args[] = {"--no-defaults", "--version", NULL};
const char *const my_modifiers[] = {"loose_", "skip_", "enable_", "disable_", "maximum_", NULL};
const char *const my_severities[] = {"[ERROR]", "got signal", "FATAL ERROR",
				     "error while loading shared libraries", NULL};

const struct server_hint my_hints[] = {
	{"No space left on device",
	 "free space in the temporary directory, or set TMPDIR to another one"},
	{"error 28", "free space in the temporary directory, or set TMPDIR to another one"},
	{"Errcode: 28", "free space in the temporary directory, or set TMPDIR to another one"},
	{"Disk is full", "free space in the temporary directory, or set TMPDIR to another one"},
	{"Disk quota exceeded",
	 "free space in the temporary directory, or set TMPDIR to another one"},
	{"could not be loaded",
	 "install the client library's plugins (on Debian: libmariadb3 has them), or unset "
	 "MARIADB_PLUGIN_DIR"},
	{"my_print_defaults",
	 "install the client's programs (on Debian: apt-get install mariadb-client-core)"},
	{"Address already in use", "give another port, or none"},
	{"unknown variable", "correct the name given with --set"},
	{"unknown option", "correct the name given with --set"},
	{"ambiguous option", "give the whole name with --set"},
	{"Error while setting value", "correct the value given with --set"},
	{"Cannot allocate memory", "free memory, or lower innodb_buffer_pool_size with --set"},
	{NULL, NULL},
};

void my_first_args(const struct server *s, struct server_args *a)
{
	server_arg(a, "--no-defaults");
	server_arg(a, "--datadir=%s", s->data_dir);
}

static void set_arg(const struct server_setting *set, struct server_args *a)
{
	server_arg(a, "--%s=%s", set->name, set->value);
}

void my_set_args(const struct server *s, struct server_args *a)
{
	for (size_t i = 0; i < s->nsettings; i++)
		set_arg(&s->settings[i], a);
	server_arg(a, "--port=%u", s->dsn.port);
	server_arg(a, "--bind-address=%s", s->dsn.host);
	server_arg(a, "--socket=");
	/* no account is found by a name that an address has here, and nobody is asked for it */
	server_arg(a, "--skip-name-resolve");
	server_arg(a, "--init-file=%s", s->password_file);
	server_arg(a, "--pid-file=pid"); /* in the data directory, as is the next */
	server_arg(a, "--tmpdir=%s", s->dir);
}

static bool is_fixed(const struct server *s, const char *name)
{
	static const char *const fixed[] = {"innodb_page_size", "innodb_data_file_path",
					    "innodb_undo_tablespaces", "lower_case_table_names"};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (server_same_setting(s->ops, fixed[i], name))
			return true;
	}
	return false;
}

void my_fixed_args(const struct server *s, struct server_args *a)
{
	for (size_t i = 0; i < s->nsettings; i++) {
		if (is_fixed(s, s->settings[i].name))
			set_arg(&s->settings[i], a);
	}
}

char *my_password_text(const struct server *s, const char *before)
{
	const char *user = s->dsn.user, *host = s->dsn.host;

	/* A statement a line. It may run again, when the port was lost. */
	return xasprintf("%sDROP USER IF EXISTS '%s'@'%s';\n"
			 "CREATE USER '%s'@'%s' IDENTIFIED BY '%s';\n"
			 "GRANT ALL ON *.* TO '%s'@'%s' WITH GRANT OPTION;\n",
			 before, user, host, user, host, s->dsn.password, user, host);
}

bool my_is_up(struct server *s)
{
	return server_log_has(s, "ready for connections");
}
