/* From an empty directory to a server that is ready, and back; the states are in engine.h. */
#include "config.h"

#include "server/steps.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "model/run_prefix.h"
#include "proc/child.h"
#include "server/engine.h"

enum {
	TICK_MS = 20,
	INIT_LIMIT_S = 120,
	START_LIMIT_S = 60,
	REFUSED_LIMIT_S = 3,
	INIT_KILL_AFTER_MS = 500,
	PORT_LOSSES_MAX = 5
};

static const char initialising[] = "initialising the data directory";
static const char starting[] = "starting the server";

static void start_server(struct server *s);

static void enter(struct server *s, enum server_state next)
{
	assert(s->state != SERVER_ENDED);
	assert(s->state != SERVER_ENDING || next == SERVER_ENDED);
	s->state = next;
}

/* The last of everything is gone. The callback may free it. */
static void end_when_over(struct server *s)
{
	if (s->state != SERVER_ENDING || s->child || s->db || s->db_closing || s->timer_open)
		return;
	enter(s, SERVER_ENDED);
	if (s->ops->clean_up)
		s->ops->clean_up(s);
	if (s->done)
		server_remove_files(s);
	else
		s->cb.failed(s, &s->failure, s->arg);
}

static void timer_closed_cb(uv_handle_t *handle)
{
	struct server *s = handle->data;

	s->timer_open = false;
	end_when_over(s);
}

static void db_closed_cb(void *arg)
{
	struct server *s = arg;

	s->db_closing = false;
	end_when_over(s);
}

static void close_db(struct server *s)
{
	struct db *db = s->db;

	if (!db)
		return;
	s->db = NULL;
	s->db_closing = true;
	db_close(db, db_closed_cb, s);
}

void server_end(struct server *s)
{
	enter(s, SERVER_ENDING);
	close_db(s);
	if (s->child)
		child_stop(s->child);
	uv_close((uv_handle_t *)&s->timer, timer_closed_cb);
}

static void fail(struct server *s, const char *what, const char *reason)
{
	if (s->state == SERVER_ENDING)
		return;
	server_explain(s, what, reason, s->state == SERVER_READY, &s->failure);
	server_end(s);
}

static void say(struct server *s, const char *what)
{
	if (s->cb.progress)
		s->cb.progress(s, what, s->arg);
}

/* A step that takes its time says so, once a second. */
static void say_again(struct server *s)
{
	if (clock_now_ns() < s->say_again_ns)
		return;
	s->say_again_ns += NS_PER_S;
	say(s, s->state == SERVER_INITIALISING ? initialising : starting);
}

static void set_limit(struct server *s, unsigned seconds)
{
	s->say_again_ns = clock_now_ns() + NS_PER_S;
	s->deadline_ns = clock_now_ns() + seconds * NS_PER_S;
	s->refused_ns = 0;
	s->log_from = (long)lseek(s->log_fd, 0, SEEK_END);
}

/* Last step: the answer is "15.18 (Debian 15.18-0+deb12u1)". */
static void version_cb(struct db *db, const struct db_result *r, void *arg)
{
	struct server *s = arg;
	const char *text = r->status == DB_OK && r->rows ? r->field(r, 0, 0) : NULL;

	(void)db;
	if (s->state == SERVER_ENDING)
		return;
	if (!text) {
		fail(s, "did not tell its version", r->error);
		return;
	}
	snprintf(s->version, sizeof(s->version), "%.*s", (int)strcspn(text, " "), text);
	uv_timer_stop(&s->timer);
	close_db(s);
	enter(s, SERVER_READY);
	s->cb.ready(s, s->arg);
}

static void created_cb(struct db *db, const struct db_result *r, void *arg)
{
	struct server *s = arg;

	if (s->state == SERVER_ENDING)
		return;
	if (r->status != DB_OK)
		fail(s, "could not make the database cputop", r->error);
	else
		db_query(db, s->ops->version_sql, version_cb, s);
}

/* A server that says that it is ready takes connections. The next tick tries again all the same,
 * but what does not get better soon never will. */
static void refused(struct server *s, const char *reason)
{
	if (!s->refused_ns)
		s->refused_ns = clock_now_ns();
	if (clock_now_ns() - s->refused_ns > REFUSED_LIMIT_S * NS_PER_S)
		fail(s, "cannot be connected to", reason);
	else
		close_db(s);
}

static void connected_cb(struct db *db, const struct db_result *r, void *arg)
{
	struct server *s = arg;

	if (s->state == SERVER_ENDING)
		return;
	if (r->status != DB_OK) {
		refused(s, r->error);
		return;
	}
	unlink(s->password_file);
	enter(s, SERVER_PREPARING);
	say(s, "making the database");
	if (s->state == SERVER_PREPARING)
		db_query(db, s->ops->create_sql, created_cb, s);
}

static void connect_first(struct server *s)
{
	struct db_dsn dsn = s->dsn;
	struct err err;

	snprintf(dsn.database, sizeof(dsn.database), "%s", s->ops->first_database);
	dsn.schema[0] = '\0';
	s->db = db_open(s->loop, &dsn, "cputop", connected_cb, s, &err);
	db_dsn_release(&dsn);
	if (!s->db)
		fail(s, "cannot be connected to", err.text);
}

static void tick_cb(uv_timer_t *timer)
{
	struct server *s = timer->data;

	if (clock_now_ns() > s->deadline_ns) {
		fail(s,
		     s->state == SERVER_INITIALISING ? "did not end initialising in 120 s"
						     : "was not ready within 60 s",
		     NULL);
		return;
	}
	if (s->state <= SERVER_CONNECTING)
		say_again(s);
	if (s->state == SERVER_STARTING && s->child && child_pid(s->child) && s->ops->is_up(s))
		enter(s, SERVER_CONNECTING);
	if (s->state == SERVER_CONNECTING && !s->db && !s->db_closing)
		connect_first(s);
}

static int spawn(struct server *s, const struct child_callbacks *cb, const struct server_args *args,
		 struct err *err)
{
	/* Nothing of the user's environment: no PGPASSWORD, no PGOPTIONS, and messages that can be
	 * read. */
	char *path = xasprintf("PATH=%s:/usr/bin:/bin", s->programs.dir);
	const char *library_path = getenv("LD_LIBRARY_PATH");
	char *library = library_path ? xasprintf("LD_LIBRARY_PATH=%s", library_path) : NULL;
	char *tmpdir = xasprintf("TMPDIR=%s", s->dir);
	char language[] = "LC_ALL=C";
	char *env[] = {path, language, tmpdir, library, NULL};
	bool init = s->state == SERVER_INITIALISING;
	const struct run_prefix *prefix = init ? NULL : s->prefix;
	char **whole_argv = run_prefix_argv(prefix, args->items);
	char **whole_env = run_prefix_env(prefix, env);
	struct child_spec spec = {
		.name = strrchr(args->items[0], '/') + 1,
		.argv = whole_argv,
		.env = whole_env,
		.cwd = s->dir,
		.drop = s->drop,
		.uid = s->user.uid,
		.gid = s->user.gid,
		.stop_signal = init ? SIGTERM : s->ops->stop_signal,
		.eof_signal = init ? SIGTERM : s->ops->eof_signal,
		.death_signal = init ? SIGKILL : s->ops->eof_signal,
		.kill_after_ms = init ? INIT_KILL_AFTER_MS : s->ops->kill_after_ms,
		.output_fd = s->log_fd,
		.cb = *cb,
		.arg = s,
	};

	s->child = child_spawn(s->loop, &spec, err);
	free(whole_argv);
	free(whole_env);
	free(path);
	free(tmpdir);
	free(library);
	return s->child ? 0 : -ECHILD;
}

static void server_held_cb(struct child *c, pid_t keeper, void *arg)
{
	struct server *s = arg;
	struct err err;

	if (s->state == SERVER_ENDING)
		return;
	err_clear(&err);
	if (s->cb.held && s->cb.held(s, keeper, s->arg, &err) < 0)
		fail(s, "was not started", err.text);
	else if (s->state != SERVER_ENDING)
		child_release(c);
}

/* A script that initialises does not end by the signal that ended its server; its shell says so. */
static int signal_in_log(const struct server *s)
{
	static const struct {
		const char *text;
		int number;
	} names[] = {{"Killed\n", SIGKILL},
		     {"Terminated\n", SIGTERM},
		     {"Aborted\n", SIGABRT},
		     {"Segmentation fault\n", SIGSEGV}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (server_log_has(s, names[i].text))
			return names[i].number;
	}
	return 0;
}

static void add_signal(const struct server *s, char *what, size_t size,
		       const struct child_status *status)
{
	int number = status->signal;
	size_t len = strlen(what);

	if (!number && status->exited && s->state == SERVER_INITIALISING)
		number = signal_in_log(s);
	if (number)
		snprintf(what + len, size - len, ": it was ended by signal %d", number);
}

static bool port_was_lost(const struct server *s)
{
	return s->state == SERVER_STARTING && !s->port_asked && s->port_losses < PORT_LOSSES_MAX &&
	       server_log_has(s, s->ops->busy_port);
}

static void server_exit_cb(struct child *c, const struct child_status *status, const char *reason,
			   void *arg)
{
	struct server *s = arg;
	char what[64];

	s->child = NULL;
	if (s->state == SERVER_ENDING) {
		child_free(c);
		end_when_over(s);
		return;
	}
	if (!reason && port_was_lost(s)) {
		child_free(c);
		s->port_losses++;
		start_server(s);
		return;
	}
	if (s->state != SERVER_READY)
		text_copy(what, sizeof(what), "did not start");
	else if (status->signal)
		snprintf(what, sizeof(what), "was ended by signal %d", status->signal);
	else
		snprintf(what, sizeof(what), "ended by itself with status %d", status->code);
	if (s->state != SERVER_READY)
		add_signal(s, what, sizeof(what), status);
	fail(s, what, reason);
	child_free(c);
}

static void start_server(struct server *s)
{
	static const struct child_callbacks cb = {.on_held = server_held_cb,
						  .on_exit = server_exit_cb};
	struct server_args args = VEC_INIT;
	struct err err;
	int rc = 0;

	err_clear(&err);
	if (s->port_losses > 0)
		rc = server_pick_port(s->ops, 0, false, &s->dsn.port, &err);
	if (s->state == SERVER_INITIALISING)
		enter(s, SERVER_STARTING);
	say(s, starting);
	if (s->state == SERVER_ENDING)
		return;
	set_limit(s, START_LIMIT_S);
	server_arg(&args, "%s", s->programs.server);
	s->ops->run_args(s, &args);
	server_args_end(&args);
	if (rc == 0 && s->drop) {
		rc = run_prefix_give(s->prefix, s->user.uid, s->user.gid);
		if (rc < 0)
			err_set(&err, rc, "its file of counts cannot be given to it: %s",
				strerror(-rc));
	}
	if (rc == 0)
		rc = spawn(s, &cb, &args, &err);
	server_args_release(&args);
	if (rc < 0)
		fail(s, "was not started", err.text);
}

static void init_held_cb(struct child *c, pid_t keeper, void *arg)
{
	struct server *s = arg;

	(void)keeper;
	say(s, initialising);
	if (s->state == SERVER_INITIALISING)
		child_release(c);
}

static void init_exit_cb(struct child *c, const struct child_status *status, const char *reason,
			 void *arg)
{
	struct server *s = arg;
	bool good = status->exited && status->code == 0;
	char what[64] = "could not be initialised";

	s->child = NULL;
	if (!s->ops->password_at_start)
		unlink(s->password_file);
	if (s->state == SERVER_ENDING) {
		end_when_over(s);
	} else if (good && !reason) {
		start_server(s);
	} else {
		add_signal(s, what, sizeof(what), status);
		fail(s, what, reason);
	}
	child_free(c);
}

int server_begin(struct server *s, struct err *err)
{
	static const struct child_callbacks cb = {.on_held = init_held_cb, .on_exit = init_exit_cb};
	struct server_args args = VEC_INIT;
	int rc;

	server_arg(&args, "%s", s->programs.init);
	s->ops->init_args(s, &args);
	server_args_end(&args);
	set_limit(s, INIT_LIMIT_S);
	rc = spawn(s, &cb, &args, err);
	server_args_release(&args);
	if (rc < 0)
		return rc;
	uv_timer_init(s->loop, &s->timer);
	s->timer.data = s;
	s->timer_open = true;
	uv_timer_start(&s->timer, tick_cb, TICK_MS, TICK_MS);
	return 0;
}

pid_t server_pid(const struct server *s)
{
	return s->child && s->state != SERVER_INITIALISING ? child_pid(s->child) : 0;
}
