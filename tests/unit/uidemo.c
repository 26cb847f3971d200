/*
 * The live screen on a made-up session: uidemo [--no-mouse] [--no-counters] [KIND]. Without KIND a
 * session is played from its start; with one of the fixture's names that model stands still. For
 * looking at the screens, and for the terminal tests: no server, no load.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "fixture.h"
#include "lib/asan.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "ui/ui.h"

struct session {
	uv_loop_t loop;
	uv_timer_t tick;
	uv_signal_t term;
	struct fixture *fixture;
	void *screen;
	uint64_t begin_ns;
	bool still, quit, counters;
};

static void say(struct session *s, const char *what)
{
	messages_add(&s->fixture->model.messages, MESSAGE_INFO, "request: %s", what);
	ui_frontend.changed(s->screen);
}

static void op_window(struct session *s)
{
	say(s, "window");
}

static void op_dialect(struct session *s, int step)
{
	say(s, step > 0 ? "next database" : "previous database");
}

static void op_variant(struct session *s, int step)
{
	say(s, step > 0 ? "next variant" : "previous variant");
}

static void op_run_all(struct session *s)
{
	struct model *m = &s->fixture->model;

	m->plan_running = !m->plan_running;
	m->plan_done = 1;
	m->plan_total = 4;
	say(s, "all");
}

static void op_rate(struct session *s, double step)
{
	s->fixture->model.rate += step;
	say(s, "rate");
}

static void op_delay(struct session *s, double seconds)
{
	s->fixture->model.delay_s = seconds;
	say(s, "delay");
}

static void op_restart(struct session *s)
{
	s->fixture->model.failure[0] = 0;
	say(s, "restart");
}

static int op_dump(struct session *s, char *name, size_t size, struct err *err)
{
	(void)s;
	(void)err;
	snprintf(name, size, "/home/user/cputop-1.json");
	return 0;
}

static int op_write_rc(struct session *s, char *name, size_t size, struct err *err)
{
	(void)s;
	(void)name;
	(void)size;
	return err_set(err, -EACCES, "the demonstration writes no rc file");
}

static void op_suspended(struct session *s, bool begin)
{
	messages_add(&s->fixture->model.messages, MESSAGE_INFO, "request: %s",
		     begin ? "suspended" : "resumed");
}

static void op_quit(struct session *s)
{
	if (s->quit)
		return;
	s->quit = true;
	ui_frontend.close(s->screen);
	uv_close((uv_handle_t *)&s->tick, NULL);
	uv_close((uv_handle_t *)&s->term, NULL);
}

static const struct session_ops ops = {
	.window = op_window,
	.next_dialect = op_dialect,
	.next_variant = op_variant,
	.run_all = op_run_all,
	.rate = op_rate,
	.delay = op_delay,
	.restart = op_restart,
	.dump = op_dump,
	.write_rc = op_write_rc,
	.suspended = op_suspended,
	.quit = op_quit,
};

static void tick_cb(uv_timer_t *timer)
{
	struct session *s = timer->data;
	uint64_t now = clock_now_ns();

	if (s->still)
		return;
	if (!s->counters)
		s->fixture->counters.source = COUNTERS_NONE;
	fixture_play(s->fixture, now, now - s->begin_ns);
	ui_frontend.changed(s->screen);
}

static void term_cb(uv_signal_t *handle, int signum)
{
	(void)signum;
	op_quit(handle->data);
}

static enum fixture_kind kind_of(const char *name)
{
	for (int i = 0; i < FIXTURE_COUNT; i++) {
		if (strcmp(fixture_name((enum fixture_kind)i), name) == 0)
			return (enum fixture_kind)i;
	}
	return FIXTURE_STARTING;
}

int main(int argc, char **argv)
{
	struct session s = {.counters = true};
	struct frontend_options options = {.mouse = true};
	enum fixture_kind kind = FIXTURE_STARTING;
	struct err err = {0};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--no-mouse") == 0) {
			options.mouse = false;
		} else if (strcmp(argv[i], "--no-counters") == 0) {
			s.counters = false;
		} else {
			kind = kind_of(argv[i]);
			s.still = true;
		}
	}
	s.fixture = fixture_new(kind);
	s.begin_ns = clock_now_ns();
	s.fixture->model.phase_since_ns = s.begin_ns;
	uv_loop_init(&s.loop);
	uv_timer_init(&s.loop, &s.tick);
	uv_signal_init(&s.loop, &s.term);
	s.tick.data = s.term.data = &s;
	s.screen = ui_frontend.open(&s.loop, &s.fixture->model, &ops, &s, &options, &err);
	if (!s.screen) {
		fprintf(stderr, "uidemo: %s\n", err.text);
		free(s.fixture);
		return 1;
	}
	uv_timer_start(&s.tick, tick_cb, 500, 1000);
	uv_signal_start(&s.term, term_cb, SIGTERM);
	uv_run(&s.loop, UV_RUN_DEFAULT);
	free(s.fixture);
	if (uv_loop_close(&s.loop) != 0) {
		fprintf(stderr, "uidemo: the loop has handles left\n");
		return 1;
	}
	return 0;
}
