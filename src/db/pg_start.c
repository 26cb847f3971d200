#include "config.h"

#include "db/pg_start.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "db/db.h"
#include "lib/strbuf.h"

static bool is_address(const char *host)
{
	unsigned char buf[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, host, buf) == 1 || inet_pton(AF_INET6, host, buf) == 1;
}

/* The search path as a command-line option of the backend: blanks and backslashes are escaped.
 * Without one it is a blank, since nothing at all would let PGOPTIONS in. */
static void search_path(struct strbuf *sb, const char *schema)
{
	strbuf_addstr(sb, schema[0] ? "-c search_path=" : " ");
	for (const char *s = schema; *s; s++) {
		if (*s == ' ' || *s == '\\')
			strbuf_addch(sb, '\\');
		strbuf_addch(sb, *s);
	}
}

PGconn *pg_start(const struct db_dsn *dsn, const char *application)
{
	enum { PARAMS = 12 };
	struct strbuf port, options;
	PGconn *conn;

	/* libpq has no parameter that says "no service" */
	unsetenv("PGSERVICE");
	strbuf_init(&port);
	strbuf_init(&options);
	strbuf_addf(&port, "%u", dsn->port);
	search_path(&options, dsn->schema);

	const char *const params[PARAMS][2] = {
		/* an address is given as one: looking up a name would block */
		{is_address(dsn->host) ? "hostaddr" : "host", dsn->host},
		{"port", port.buf},
		{"user", dsn->user},
		{"password", dsn->password},
		{"dbname", dsn->database},
		{"application_name", application},
		{"options", options.buf},
		{"client_encoding", "UTF8"},
		{"sslmode", "disable"},
		{"gssencmode", "disable"},
		{"channel_binding", "prefer"},
		{"target_session_attrs", "any"},
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
