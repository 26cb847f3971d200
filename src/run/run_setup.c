/* The first half of a run: connect, fresh tables, (run_fill.c), sizes, settle, start worker and
 * producer. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "run/run_internal.h"

#define READY_DEADLINE_MS 30000
#define CONNECTS_MAX      50
#define CONNECT_AGAIN_MS  100

static void both_ready(struct run *r)
{
	for (int i = 0; i < RUN_ROLES; i++) {
		if (!r->load_ready[i])
			return;
	}
	r->started_ns = clock_now_ns();
	load_send(r->load[ROLE_WORKER], "start");
	load_send(r->load[ROLE_PRODUCER], "start");
	run_warmup_begin(r);
}

static void held_cb(struct load *l, pid_t keeper, void *arg)
{
	struct run *r = arg;
	struct err err = {0};
	enum role role = load_role(l);

	if (run_ending(r))
		return;
	if (measure_add_role(r->cfg.measure, role, keeper, &err) < 0) {
		run_fail(r, &err);
		return;
	}
	r->role_added[role] = true;
	load_release(l);
}

static void ready_cb(struct load *l, void *arg)
{
	struct run *r = arg;

	r->load_ready[load_role(l)] = true;
	if (!run_ending(r))
		both_ready(r);
}

static void stopped_cb(struct load *l, void *arg)
{
	struct run *r = arg;

	r->load_stopped[load_role(l)] = true;
	if (r->stopping)
		run_end_step(r);
}

static void answer_cb(struct load *l, unsigned number, const char *name, const uint64_t v[2],
		      void *arg)
{
	(void)l;
	run_counts_answer(arg, number, name, v);
}

static void answered_cb(struct load *l, unsigned number, void *arg)
{
	run_counts_answered(arg, load_role(l), number);
}

static void note_cb(struct load *l, const char *text, void *arg)
{
	run_say(arg, MESSAGE_WARNING, "%s: %s", role_name(load_role(l)), text);
}

static void ended_cb(struct load *l, const char *reason, void *arg)
{
	struct run *r = arg;
	enum role role = load_role(l);
	struct err err = {0};

	if (r->role_added[role])
		measure_remove_role(r->cfg.measure, role);
	r->role_added[role] = false;
	r->load[role] = NULL;
	load_free(l);
	if (reason && !(r->stopping && r->quick)) {
		err_set(&err, -EIO, "%s", reason);
		run_fail_soon(r, &err);
	} else {
		run_end_step(r);
	}
}

static void ready_timeout_cb(uv_timer_t *t)
{
	run_failf(t->data, "worker and producer were not ready after %d s; their logs say more",
		  READY_DEADLINE_MS / 1000);
}

static int open_log(struct run *r, enum role role)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.log", r->cfg.log_dir, role_name(role));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		run_failf(r, "cannot write %s: %s", path, strerror(errno));
	return fd;
}

void run_start_load(struct run *r)
{
	const struct workload *w = &r->cfg.workload;
	struct err err = {0};

	run_enter(r, PHASE_STARTING, "worker and producer connect");
	r->page = jobs_page_create(&r->page_fd, &err);
	if (!r->page) {
		run_fail(r, &err);
		return;
	}
	r->page->queued = w->queued;
	atomic_store(&r->page->rate_mjobs,
		     w->rate_max ? JOBS_PAGE_RATE_MAX : (uint64_t)(w->rate * 1000 + 0.5));
	run_timer(r, READY_DEADLINE_MS, ready_timeout_cb);
	for (int i = 0; i < RUN_ROLES && !r->stopping; i++) {
		r->log_fd[i] = open_log(r, (enum role)i);
		if (r->log_fd[i] < 0)
			return;
		r->load[i] = load_spawn(r->cfg.loop,
					&(struct load_spec){
						.role = (enum role)i,
						.workload = w,
						.variant = &r->cfg.variant,
						.dsn = &r->dsn,
						.page_fd = r->page_fd,
						.log_fd = r->log_fd[i],
						.prefix = r->cfg.prefix[i],
						.drop = r->cfg.drop,
						.uid = r->cfg.uid,
						.gid = r->cfg.gid,
						.cb = {held_cb, ready_cb, stopped_cb, answer_cb,
						       answered_cb, note_cb, ended_cb},
						.arg = r,
					},
					&err);
		if (!r->load[i]) {
			run_fail(r, &err);
			return;
		}
	}
}

static void settled_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	(void)db;
	if (run_result_ok(r, res, SQL_SETTLE, NULL))
		run_counts_learn(r);
}

static void settings_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	if (!run_result_ok(r, res, STATEMENT_COUNT, "reading the server's settings"))
		return;
	for (unsigned i = 0; i < res->rows; i++) {
		const char *name = res->field(res, i, 0), *value = res->field(res, i, 1);

		r->cb.setting(r, name ? name : "", value ? value : "", r->arg);
	}
	run_enter(r, PHASE_SETTLING, r->admin->settling);
	r->db_pending++;
	db_query(db, r->sql.text[SQL_SETTLE], settled_cb, r);
}

void run_settings(struct run *r)
{
	r->db_pending++;
	db_query(r->db, r->admin->settings, settings_cb, r);
}

void run_filled(struct run *r)
{
	run_sizes(r);
}

static void setup_cb(struct db *db, const struct db_result *res, void *arg)
{
	(void)db;
	if (run_result_ok(arg, res, SQL_SETUP, NULL))
		run_fill_begin(arg);
}

static void fresh_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	if (!run_result_ok(r, res, STATEMENT_COUNT, "dropping the old tables"))
		return;
	r->db_pending++;
	db_query(db, r->sql.text[SQL_SETUP], setup_cb, r);
}

static void broken_cb(struct db *db, const char *reason, void *arg)
{
	struct err err = {0};

	(void)db;
	err_set(&err, -EPIPE, "cputop's own connection to the server broke: %s", reason);
	run_fail_soon(arg, &err);
}

static void open_connection(struct run *r);

static void again_cb(uv_timer_t *t)
{
	open_connection(t->data);
}

static void given_up_cb(void *arg)
{
	struct run *r = arg;

	r->db = NULL;
	r->db_closing = false;
	if (r->stopping)
		run_end_step(r);
	else
		run_timer(r, CONNECT_AGAIN_MS, again_cb);
}

static void connected_cb(struct db *db, const struct db_result *res, void *arg)
{
	struct run *r = arg;

	/* A server that has just lost a backend takes no connections for a moment. */
	if (res->status == DB_BROKEN && !run_ending(r) && r->connects < CONNECTS_MAX) {
		r->db_pending--;
		r->db_closing = true;
		db_close(db, given_up_cb, r);
		return;
	}
	if (!run_result_ok(r, res, STATEMENT_COUNT, "connecting"))
		return;
	db_on_broken(db, broken_cb, r);
	r->db_pending++;
	db_query(db, r->admin->fresh, fresh_cb, r);
}

static void open_connection(struct run *r)
{
	struct err err = {0};

	r->connects++;
	r->db = db_open(r->cfg.loop, &r->dsn, "cputop", connected_cb, r, &err);
	if (r->db)
		r->db_pending++;
	else
		run_fail(r, &err);
}

void run_setup_begin(struct run *r)
{
	struct err err = {0};

	run_enter(r, PHASE_TABLES, NULL);
	if (variant_load_sql(&r->sql, &r->cfg.variant, r->dsn.dialect, &err) < 0) {
		run_fail(r, &err);
		return;
	}
	open_connection(r);
}
