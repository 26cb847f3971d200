/*
 * The life of a private server, the same for every engine: see the states in engine.h. A failure
 * and a stop take the same way out: what is there is told to end, and when the last of child,
 * connection and timer is gone, whoever waits is called.
 */
#include "config.h"

#include "server/server.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/xalloc.h"
#include "server/engine.h"
#include "server/steps.h"

const struct server_ops *server_ops_for(enum dialect d)
{
	static const struct server_ops *const all[] = {&server_postgres, &server_mariadb,
						       &server_mysql};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i]->dialect == d)
			return all[i];
	}
	return NULL;
}

static int set_up(struct server *s, const struct server_options *o, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < o->nsettings; i++)
		rc = server_check_setting(s->ops, &o->settings[i], err);
	if (rc == 0)
		rc = server_find_programs(s->ops, o, &s->programs, err);
	if (rc == 0)
		rc = server_pick_port(s->ops, o->port, o->port_asked, &s->dsn.port, err);
	if (rc == 0)
		rc = server_make_files(s, o, err);
	return rc == 0 ? server_begin(s, err) : rc;
}

static struct server *server_new(uv_loop_t *loop, const struct server_ops *ops, struct tmpdir *tmp,
				 const struct server_options *o)
{
	struct server *s = xcalloc(1, sizeof(*s));

	s->ops = ops;
	s->loop = loop;
	s->tmp = tmp;
	s->log_fd = -1;
	s->port_asked = o->port_asked;
	s->prefix = o->prefix;
	s->nsettings = o->nsettings;
	s->settings = xcalloc(o->nsettings ? o->nsettings : 1, sizeof(*s->settings));
	for (size_t i = 0; i < o->nsettings; i++)
		s->settings[i] = o->settings[i];
	s->dsn.dialect = ops->dialect;
	snprintf(s->dsn.host, sizeof(s->dsn.host), "127.0.0.1");
	snprintf(s->dsn.user, sizeof(s->dsn.user), "%s", ops->account);
	snprintf(s->dsn.database, sizeof(s->dsn.database), "cputop");
	snprintf(s->dsn.schema, sizeof(s->dsn.schema), "cputop");
	return s;
}

struct server *server_start(uv_loop_t *loop, struct tmpdir *tmp,
			    const struct server_options *options, const struct server_callbacks *cb,
			    void *arg, struct err *err)
{
	const struct server_ops *ops = server_ops_for(options->dialect);
	struct server *s;

	if (!ops) {
		err_set(err, -ENOENT, "this build knows no private server of that kind");
		return NULL;
	}
	s = server_new(loop, ops, tmp, options);
	s->cb = *cb;
	s->arg = arg;
	if (set_up(s, options, err) < 0) {
		s->state = SERVER_ENDED;
		server_free(s);
		return NULL;
	}
	return s;
}

void server_stop(struct server *s, void (*done)(struct server *, void *arg), void *arg)
{
	s->done = done;
	s->done_arg = arg;
	if (s->state == SERVER_ENDED)
		server_remove_files(s);
	else if (s->state != SERVER_ENDING)
		server_end(s);
}

void server_free(struct server *s)
{
	if (!s)
		return;
	assert(s->state == SERVER_ENDED && !s->removing);
	if (s->log_fd >= 0)
		close(s->log_fd);
	server_remove_files_now(s);
	db_dsn_release(&s->dsn);
	free(s->settings);
	free(s);
}

enum dialect server_dialect(const struct server *s)
{
	return s->ops->dialect;
}

const struct db_dsn *server_dsn(const struct server *s)
{
	return &s->dsn;
}

const char *server_binary(const struct server *s)
{
	return s->programs.server;
}

const char *server_version(const struct server *s)
{
	return s->version;
}

const char *server_data_dir(const struct server *s)
{
	return s->data_dir;
}

const char *server_log(const struct server *s)
{
	return s->log;
}
