#include "config.h"

#include "db/pg_start.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

static bool is_address(const char *host)
{
	unsigned char buf[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, buf) == 1 || inet_pton(AF_INET6, host, buf) == 1;
}

/* libpq's variables are PG and capitals, more of them in each release, and not all are overruled by
 * a parameter: a service, a time zone, a required way to log in. */
static bool is_libpq_variable(const char *entry)
{
	return strncmp(entry, "PG", 2) == 0 && entry[2] >= 'A' && entry[2] <= 'Z';
}

static void forget_environment(void)
{
	char **entry = environ;

	while (entry && *entry) {
		if (!is_libpq_variable(*entry)) {
			entry++;
			continue;
		}
		char *name = xstrndup(*entry, strcspn(*entry, "="));

		/* what follows moves up */
		unsetenv(name);
		free(name);
	}
}

/* The search path as a command-line option of the backend: blanks and backslashes are escaped. */
static void search_path(struct strbuf *sb, const char *schema)
{
	if (schema[0])
		strbuf_addstr(sb, "-c search_path=");
	for (const char *s = schema; *s; s++) {
		if (*s == ' ' || *s == '\\')
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, *s);
	}
}

PGconn *pg_start(const struct db_dsn *dsn, const char *application)
{
	enum { PARAMS = 11 };
	struct strbuf port, options;
	PGconn *conn;

	forget_environment();
	strbuf_init(&port);
	strbuf_init(&options);
	strbuf_addf(&port, "%u", dsn->port);
	search_path(&options, dsn->schema);

	const char *const params[PARAMS][2] = {
		{"host", dsn->host},
		/* an address is given as one: looking up a name would block */
		{"hostaddr", is_address(dsn->host) ? dsn->host : ""},
		{"port", port.buf},
		{"user", dsn->user},
		{"password", dsn->password},
		{"dbname", dsn->database},
		{"application_name", application},
		{"options", options.buf},
		{"client_encoding", "UTF8"},
		{"sslmode", "disable"},
		{"gssencmode", "disable"},
	};
	const char *names[PARAMS + 1] = {NULL}, *values[PARAMS + 1] = {NULL};

	for (int i = 0; i < PARAMS; i++) {
		names[i] = params[i][0];
		values[i] = params[i][1];
	}
	conn = PQconnectStartParams(names, values, 0);
	strbuf_release(&options);
	strbuf_release(&port);
	return conn;
}

const char *pg_client_version(char *buf, size_t size)
{
	int v = PQlibVersion();

	snprintf(buf, size, "libpq %d.%d", v / 10000, v % 10000);
	return buf;
}
