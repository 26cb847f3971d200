#include "config.h"

#include "myserver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "server/server.h"

#define DEADLINE_NS (60 * NS_PER_S)

bool myserver_find(struct pgserver *s, enum dialect dialect)
{
	const char *bin = getenv(dialect == DIALECT_MARIADB ? "MARIADB_BIN" : "MYSQL_BIN");
	const struct server_options options = {.dialect = dialect,
					       .bin_dir = bin && bin[0] ? bin : NULL};
	struct err err = {0, ""};
	char path[4096];

	s->dialect = dialect;
	if ((!db_ops_for(dialect) && db_missing(dialect, &err) < 0) ||
	    !server_find(dialect, &options, path, sizeof(path), &err)) {
		printf("1..0 # SKIP %s: %s\n", dialect == DIALECT_MARIADB ? "MariaDB" : "MySQL",
		       err.text);
		return false;
	}
	*strrchr(path, '/') = '\0';
	return snprintf(s->bin, sizeof(s->bin), "%s", path) < (int)sizeof(s->bin);
}

/* Makes the data directory. MariaDB's program for it is a script in a folder of its own. */
static int init(struct pgserver *s)
{
	struct pgserver tools = *s;
	const char *program = "mysqld";
	char data[100];
	int status = -1;

	snprintf(data, sizeof(data), "--datadir=%s/data", s->dir);
	const char *mysql[] = {program, "--no-defaults", "--initialize-insecure", data, NULL};
	const char *mariadb[] = {program,
				 "--no-defaults",
				 "--auth-root-authentication-method=normal",
				 "--skip-test-db",
				 data,
				 NULL};

	if (s->dialect == DIALECT_MARIADB) {
		program = "mariadb-install-db";
		if (!getenv("MARIADB_BIN"))
			snprintf(tools.bin, sizeof(tools.bin), "/usr/bin");
	}
	if (waitpid(pgserver_spawn(&tools, program,
				   s->dialect == DIALECT_MARIADB ? mariadb : mysql),
		    &status, 0) < 0 ||
	    status != 0) {
		fprintf(stderr, "%s failed; see %s/log\n", program, s->dir);
		return -1;
	}
	return 0;
}

static int write_init_file(const struct pgserver *s)
{
	char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/init.sql", s->dir);
	f = fopen(path, "we");
	if (!f)
		return -1;
	fprintf(f, "create user cputop@'%%' identified by '%s';\n", PGSERVER_PASSWORD);
	fprintf(f, "grant all on *.* to cputop@'%%' with grant option;\n");
	fclose(f);
	return chown(path, s->uid, s->gid);
}

int myserver_start(struct pgserver *s)
{
	bool mariadb = s->dialect == DIALECT_MARIADB;
	uint64_t end = clock_now_ns() + DEADLINE_NS;
	char data[100], port[24], file[100];
	int status = -1;

	if (pgserver_make_dir(s, "mysql") < 0 || init(s) < 0 || write_init_file(s) < 0)
		return -1;
	s->port = pgserver_free_port();
	snprintf(data, sizeof(data), "--datadir=%s/data", s->dir);
	snprintf(file, sizeof(file), "--init-file=%s/init.sql", s->dir);
	snprintf(port, sizeof(port), "--port=%u", s->port);
	const char *argv[] = {mariadb ? "mariadbd" : "mysqld",
			      "--no-defaults",
			      data,
			      port,
			      file,
			      "--bind-address=127.0.0.1",
			      "--skip-networking=0",
			      "--socket=",
			      "--innodb-flush-log-at-trx-commit=0",
			      mariadb ? NULL : "--mysqlx=OFF",
			      "--secure-file-priv=NULL",
			      NULL};
	s->pid = pgserver_spawn(s, argv[0], argv);
	while (!pgserver_answers(s)) {
		if (clock_now_ns() > end || waitpid(s->pid, &status, WNOHANG) != 0) {
			fprintf(stderr, "the server did not start; see %s/log\n", s->dir);
			return -1;
		}
		usleep(10000);
	}
	return 0;
}
