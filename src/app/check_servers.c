/*
 * Servers and clients. A server's version comes from running it with --version: a program that does
 * not answer within a few seconds is killed.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "app/check.h"
#include "app/options.h"
#include "app/session_internal.h"
#include "db/db.h"
#include "lib/err.h"
#include "lib/format.h"
#include "lib/xalloc.h"

bool check_version_number(char *out, size_t size, const char *text)
{
	const char *at = text;
	size_t len = 0;

	/* The first word that begins with a digit. */
	while (*at && !(*at >= '0' && *at <= '9' && (at == text || at[-1] == ' ')))
		at++;
	len = strspn(at, "0123456789.");
	while (len > 0 && at[len - 1] == '.')
		len--;
	if (len >= size)
		len = 0;
	memcpy(out, at, len);
	out[len] = '\0';
	return len > 0;
}

/* "REASON; REMEDY" */
static void take_apart(struct counter_state *s, struct err *err)
{
	char *remedy = strstr(err->text, "; ");

	if (remedy) {
		*remedy = '\0';
		text_copy(s->remedy, sizeof(s->remedy), remedy + 2);
	}
	text_copy(s->reason, sizeof(s->reason), err->text);
}

static void check_server(struct check_server *s, enum dialect d, const struct session *session)
{
	struct server_options so;
	struct err err = {0};
	char text[512];

	session_server_options(session, d, &so);
	s->found.available = server_find(d, &so, s->binary, sizeof(s->binary), &err);
	if (s->found.available) {
		if (server_ask_version(d, s->binary, text, sizeof(text)))
			check_version_number(s->version, sizeof(s->version), text);
		return;
	}
	s->binary[0] = '\0';
	take_apart(&s->found, &err);
}

static void check_client(struct check_client *c, enum dialect d)
{
	const struct db_ops *ops = db_ops_for(d);
	struct err err = {0};
	char text[128] = "";

	if (!ops) {
		db_missing(d, &err);
		take_apart(&c->missing, &err);
		return;
	}
	text_copy(c->limits, sizeof(c->limits), ops->limits ? ops->limits : "");
	text_copy(c->name, sizeof(c->name), ops->name);
	check_version_number(c->version, sizeof(c->version),
			     ops->client_version(text, sizeof(text)));
}

void check_servers(struct check *c, const struct app_options *o)
{
	/* As a session would look for them. */
	struct session *session = xcalloc(1, sizeof(*session));

	session->opt = o;
	for (unsigned d = 0; d < DIALECT_COUNT; d++) {
		check_server(&c->servers[d], (enum dialect)d, session);
		check_client(&c->clients[d], (enum dialect)d);
	}
	free(session);
}
