/*
 * What runs: session_next looks at what should run (want_dialect, want_variant, the plan, the end)
 * and at what does, and takes the next step from here to there. Every callback of a server or a
 * run that changes what is there calls it again.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session_internal.h"
#include "lib/clock.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "result/compare.h"

static void set_phase(struct session *s, enum phase phase, const char *detail, double progress)
{
	if (s->model.phase != phase || strcmp(s->model.phase_detail, detail ? detail : "") != 0)
		s->model.phase_since_ns = clock_now_ns();
	s->model.phase = phase;
	s->model.progress = progress;
	snprintf(s->model.phase_detail, sizeof(s->model.phase_detail), "%s", detail ? detail : "");
	s->model.window_open = phase == PHASE_WINDOW;
	if (!s->live)
		batch_phase(s, detail);
	session_changed(s);
}

/* In batch a failure is counted and the plan goes on; live waits for a key. */
static void failed(struct session *s, const struct err *err)
{
	session_say(s, MESSAGE_ERROR, "%s", err->text);
	if (s->ending)
		return;
	s->failed = true;
	if (s->live) {
		snprintf(s->model.failure, sizeof(s->model.failure), "%.230s", err->text);
		set_phase(s, PHASE_IDLE, NULL, -1);
	}
}

/* ---- results ---- */

/* Windows of different rates are never compared: only those of the last one's rate count. */
static const struct window **window_list(const struct session *s, size_t *n)
{
	const struct window **list = xcalloc(s->windows.len + 1, sizeof(struct window *));

	*n = 0;
	for (size_t i = 0; i < s->windows.len; i++) {
		double difference =
			s->windows.items[i]->rate - s->windows.items[s->windows.len - 1]->rate;

		if (!(difference < 0) && !(difference > 0))
			list[(*n)++] = s->windows.items[i];
	}
	return list;
}

static struct result_line *line_of(struct session *s, enum dialect d, const char *variant)
{
	struct model *m = &s->model;
	struct result_line *l;

	for (size_t i = 0; i < m->nresults; i++) {
		if (m->results[i].result.dialect == d &&
		    !strcmp(m->results[i].result.variant, variant))
			return &m->results[i];
	}
	m->results = xreallocarray(m->results, m->nresults + 1, sizeof(*m->results));
	l = &m->results[m->nresults++];
	memset(l, 0, sizeof(*l));
	l->result.dialect = d;
	snprintf(l->result.variant, sizeof(l->result.variant), "%s", variant);
	l->state = RESULT_NEXT;
	return l;
}

/* Not while another one drains. */
static bool runs_as_wanted(const struct session *s)
{
	return s->run && s->want_dialect == s->model.dialect && s->want_variant == s->run_variant;
}

void session_results(struct session *s)
{
	size_t n;
	const struct window **list = window_list(s, &n);
	struct model *m = &s->model;

	s->nresults = results_from_windows(list, n, s->base, s->results, SESSION_RESULTS_MAX);
	free(list);
	m->nresults = 0;
	for (size_t i = 0; s->plan_running && i < s->plan.len; i++)
		line_of(s, s->plan.items[i].dialect, s->variants[s->plan.items[i].variant].name);
	for (size_t i = 0; i < s->nresults; i++) {
		struct result_line *l = line_of(s, s->results[i].dialect, s->results[i].variant);

		l->result = s->results[i];
		l->state = s->results[i].windows                         ? RESULT_DONE
			   : s->results[i].left == s->results[i].invalid ? RESULT_LEFT
									 : RESULT_FAILED;
	}
	if (!s->ending && (s->run || session_server(s)->server || !s->model.failure[0])) {
		struct result_line *l =
			line_of(s, s->want_dialect, s->variants[s->want_variant].name);

		l->current = true;
		if (l->state != RESULT_DONE)
			l->state = runs_as_wanted(s)     ? RESULT_RUNNING
				   : s->model.failure[0] ? RESULT_FAILED
							 : RESULT_STARTING;
	}
	session_changed(s);
}

/* ---- callbacks of a run ---- */

static void phase_cb(struct run *r, enum phase phase, const char *detail, double progress,
		     void *arg)
{
	(void)r;
	set_phase(arg, phase, detail, progress);
}

static void message_cb(struct run *r, enum message_level level, const char *text, void *arg)
{
	(void)r;
	session_say(arg, level, "%s", text);
}

static void sizes_cb(struct run *r, const struct snapshot_table *tables, size_t n,
		     bool after_window, void *arg)
{
	(void)r;
	session_keep_sizes(arg, tables, n, after_window);
	output_sizes(arg, tables, n, after_window);
}

static void setting_cb(struct run *r, const char *name, const char *value, void *arg)
{
	struct session *s = arg;
	struct server_facts *f = &s->facts[s->model.dialect];
	struct server_setting *set = NULL;

	(void)r;
	for (size_t i = 0; i < f->settings.len; i++) {
		if (!strcmp(f->settings.items[i].name, name))
			set = &f->settings.items[i];
	}
	if (!set)
		set = vec_push(&f->settings);
	snprintf(set->name, sizeof(set->name), "%s", name);
	snprintf(set->value, sizeof(set->value), "%s", value);
	session_fill_facts(s);
}

/* A server that starts beside a run disturbs it. */
static void note_starting(struct session *s)
{
	for (int d = 0; s->run && d < DIALECT_COUNT; d++) {
		const struct session_server *slot = &s->servers[d];

		if (slot->server && slot != session_server(s) && !slot->ready && !slot->failed)
			s->starting_ns = clock_now_ns();
	}
}

static void window_cb(struct run *r, struct window *w, void *arg)
{
	struct session *s = arg;

	(void)r;
	note_starting(s);
	if (w->valid && s->starting_ns > w->start_ns) {
		w->valid = false;
		text_copy(w->invalid_reason, sizeof(w->invalid_reason),
			  "another server was starting");
	}
	w->index = (unsigned)s->windows.len;
	*vec_push(&s->windows) = w;
	output_window(s, w);
	if (!w->valid)
		session_say(s, MESSAGE_WARNING, "window %u (%s %s) is invalid: %s", w->index,
			    dialect_name(w->dialect), w->variant, w->invalid_reason);
	else
		session_say(s, MESSAGE_INFO, "window %u (%s %s): %llu jobs in %.1f s%s", w->index,
			    dialect_name(w->dialect), w->variant,
			    (unsigned long long)w->jobs.completed, (double)w->length_ns / 1e9,
			    w->unbalanced ? ", unbalanced" : "");
	if (s->live && s->plan_running && s->run_planned && s->plan_at + 1 == s->plan.len) {
		s->plan_running = false; /* the last one goes on, live */
		s->model.plan_done = s->model.plan_total;
		s->model.plan_running = false;
	}
	session_results(s);
}

static void ended_cb(struct run *r, const struct err *err, struct value lost, void *arg)
{
	struct session *s = arg;

	s->run = NULL;
	run_free(r);
	for (size_t i = 0; i < s->windows.len; i++) {
		if (s->windows.items[i]->run + 1 == s->runs)
			s->windows.items[i]->lost = lost;
	}
	s->model.jobs_lost = value_known(lost) ? (uint64_t)(lost.v > 0 ? lost.v : 0) : 0;
	output_run_end(s);
	if (err)
		failed(s, err);
	if (s->plan_running && s->run_planned) {
		s->plan_at++;
		s->model.plan_done++;
	}
	session_results(s);
	session_next(s);
}

/* ---- callbacks of a server ---- */

struct session_server *session_server(struct session *s)
{
	return &s->servers[s->run ? s->model.dialect : s->want_dialect];
}

unsigned session_servers_up(const struct session *s)
{
	unsigned n = 0;

	for (int d = 0; d < DIALECT_COUNT; d++)
		n += s->servers[d].server != NULL;
	return n;
}

static bool is_wanted(const struct session_server *slot)
{
	return slot == session_server(slot->session);
}

static void server_done_cb(struct server *sv, void *arg)
{
	struct session_server *slot = arg;
	struct session *s = slot->session;

	measure_remove_database(s->measure, server_dialect(sv));
	server_free(sv);
	*slot = (struct session_server){.session = s};
	session_next(s);
}

static void progress_cb(struct server *sv, const char *what, void *arg)
{
	struct session_server *slot = arg;

	(void)sv;
	text_copy(slot->doing, sizeof(slot->doing), what);
	note_starting(slot->session);
	if (is_wanted(slot) && !slot->session->run)
		set_phase(slot->session, PHASE_SERVER, what, -1);
}

static int held_cb(struct server *sv, pid_t keeper, void *arg, struct err *err)
{
	struct session_server *slot = arg;

	return measure_add_database(slot->session->measure, server_dialect(sv), keeper, err);
}

static void ready_cb(struct server *sv, void *arg)
{
	struct session_server *slot = arg;
	struct session *s = slot->session;
	struct server_facts *f = &s->facts[server_dialect(sv)];

	note_starting(s);
	slot->ready = true;
	slot->runs = 0;
	f->known = true;
	measure_set_server(s->measure, server_binary(sv));
	snprintf(f->version, sizeof(f->version), "%s", server_version(sv));
	snprintf(f->binary, sizeof(f->binary), "%s", server_binary(sv));
	session_fill_facts(s);
	session_next(s);
}

/* Those of its dialect that the plan has next are not tried again. */
static void skip_in_plan(struct session *s, enum dialect d)
{
	while (s->plan_running && s->plan_at < s->plan.len &&
	       s->plan.items[s->plan_at].dialect == d) {
		s->plan_at++;
		s->model.plan_done++;
	}
}

static void server_failed_cb(struct server *sv, const struct err *err, void *arg)
{
	struct session_server *slot = arg;
	struct session *s = slot->session;
	bool was_ready = slot->ready;

	(void)sv;
	slot->failed = true;
	slot->ready = false;
	if (!is_wanted(slot)) {
		session_say(s, MESSAGE_WARNING, "%s", err->text);
		session_next(s);
		return;
	}
	if (s->run) {
		run_abort(s->run, err); /* ended_cb tells it and goes on */
		return;
	}
	failed(s, err);
	if (!was_ready)
		skip_in_plan(s, s->want_dialect);
	session_results(s);
	session_next(s);
}

/* ---- steps ---- */

/* The screen is about this database from now on, whatever it showed. */
static void show_server(struct session *s, const char *doing)
{
	s->model.dialect = s->want_dialect;
	s->model.variant = s->variants[s->want_variant];
	s->model.server_version[0] = '\0';
	live_forget(s);
	set_phase(s, PHASE_SERVER, doing, -1);
}

static void start_server(struct session *s)
{
	static const struct server_callbacks cb = {progress_cb, held_cb, ready_cb,
						   server_failed_cb};
	struct session_server *slot = session_server(s);
	struct server_options so;
	struct err err = {0};

	slot->session = s;
	session_server_options(s, s->want_dialect, &so);
	so.prefix = measure_prefix(s->measure, ROLE_DATABASE);
	show_server(s, "finding the server");
	slot->server = server_start(s->loop, &s->tmp, &so, &cb, slot, &err);
	if (slot->server)
		return;
	failed(s, &err);
	if (s->live)
		return;
	skip_in_plan(s, s->want_dialect);
	session_results(s);
	session_next(s);
}

static void start_run(struct session *s)
{
	static const struct run_callbacks cb = {phase_cb,   message_cb, sizes_cb,
						setting_cb, window_cb,  ended_cb};
	bool planned = s->plan_running && s->plan_at < s->plan.len;
	struct session_server *slot = session_server(s);
	const struct plan_item *item = planned ? &s->plan.items[s->plan_at] : NULL;
	struct run_config cfg = {
		.loop = s->loop,
		.measure = s->measure,
		.server = slot->server,
		.workload = s->model.workload,
		.variant = s->variants[s->want_variant],
		.index = s->runs++,
		.repeat = item ? item->repeat : 0,
		.order = item ? item->order : 0,
		.continuous = s->live && (!planned || s->plan_at + 1 == s->plan.len),
		.drop = s->drop,
		.uid = s->uid,
		.gid = s->gid,
		.log_dir = s->run_dir,
		.prefix = {measure_prefix(s->measure, ROLE_WORKER),
			   measure_prefix(s->measure, ROLE_PRODUCER)},
	};
	struct err err = {0};

	slot->runs++;
	measure_select_database(s->measure, s->want_dialect);
	text_copy(s->model.server_version, sizeof(s->model.server_version),
		  server_version(slot->server));
	s->run_variant = s->want_variant;
	s->run_planned = planned;
	s->run_windows = 0;
	if (s->model.dialect != s->want_dialect)
		live_forget(s);
	s->model.dialect = s->want_dialect;
	s->model.variant = cfg.variant;
	s->model.failure[0] = '\0';
	live_reset(s);
	if (output_run_dir(s, &err) < 0) {
		failed(s, &err);
		session_end_begin(s, 1);
		return;
	}
	s->run = run_new(&cfg, &cb, s);
	session_results(s);
	run_start(s->run);
}

/* Takes the next item of the plan as what should run; false when there is none. */
static bool take_plan(struct session *s)
{
	if (!s->plan_running)
		return s->live;
	if (s->plan_at >= s->plan.len) {
		s->plan_running = s->model.plan_running = false;
		return s->live;
	}
	s->want_dialect = s->plan.items[s->plan_at].dialect;
	s->want_variant = s->plan.items[s->plan_at].variant;
	return true;
}

static void stop_server(struct session_server *slot)
{
	struct session *s = slot->session;

	if (slot->stopping)
		return;
	slot->stopping = true;
	if (!slot->failed && (s->ending || is_wanted(slot)))
		set_phase(s, PHASE_STOPPING, "the server", -1);
	server_stop(slot->server, server_done_cb, slot);
}

/* A server stays up until the end, so that going back to it takes no time; not one that failed, nor
 * in batch, where nothing goes back, nor under icount, which has one count for all of them. */
static bool may_stay(const struct session *s, const struct session_server *slot)
{
	if (s->ending || slot->failed)
		return false;
	if (is_wanted(slot))
		return !(s->opt->fresh_server && slot->runs);
	return s->live && measure_counters(s->measure)->source != COUNTERS_ICOUNT;
}

/* Returns whether one is being stopped that has to be gone before the next step. */
static bool stop_servers(struct session *s)
{
	bool wait = false;

	for (int d = 0; d < DIALECT_COUNT; d++) {
		struct session_server *slot = &s->servers[d];

		if (!slot->server || (may_stay(s, slot) && !slot->stopping))
			continue;
		stop_server(slot);
		wait = wait || is_wanted(slot) || !s->live || s->ending;
	}
	return wait;
}

void session_next(struct session *s)
{
	if (s->run)
		return; /* its end comes back here */
	if (!s->ending && !take_plan(s)) {
		session_end_begin(s, session_status(s));
		return;
	}
	if (stop_servers(s))
		return;
	if (s->ending) {
		session_end_step(s);
		return;
	}
	if (s->live && s->model.failure[0])
		return; /* waits for a key */
	if (!session_server(s)->server)
		start_server(s);
	else if (session_server(s)->ready)
		start_run(s);
	else
		show_server(s, session_server(s)->doing); /* somebody came back while it starts */
}
