/* The commands of the live screen: each is a request; what comes of it shows in the model. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/session_internal.h"
#include "lib/clock.h"

static void op_window(struct session *s)
{
	if (s->run)
		run_window(s->run);
}

/* What is on screen is no longer what should run. */
static void change(struct session *s)
{
	s->model.failure[0] = '\0';
	if (s->run)
		run_stop(s->run, false);
	session_results(s);
	session_next(s);
}

static bool refuse_in_plan(struct session *s)
{
	if (s->plan_running)
		session_say(s, MESSAGE_INFO, "the whole plan is running; press a to stop it first");
	return s->plan_running;
}

static void op_next_dialect(struct session *s, int step)
{
	size_t at = 0;

	if (refuse_in_plan(s))
		return;
	if (s->ndialects == 1) {
		session_say(s, MESSAGE_INFO, "%s is the only database here",
			    dialect_name(s->dialects[0]));
		return;
	}
	while (s->dialects[at] != s->want_dialect)
		at++;
	s->want_dialect = s->dialects[(at + s->ndialects + (size_t)step) % s->ndialects];
	change(s);
}

static void op_next_variant(struct session *s, int step)
{
	if (refuse_in_plan(s))
		return;
	if (s->nvariants == 1) {
		session_say(s, MESSAGE_INFO, "%s is the only variant; name more with --variant",
			    s->variants[0].name);
		return;
	}
	s->want_variant = (s->want_variant + s->nvariants + (unsigned)step) % s->nvariants;
	change(s);
}

static void op_run_all(struct session *s)
{
	if (s->plan_running) {
		s->plan_running = s->model.plan_running = false;
		session_say(s, MESSAGE_INFO, "the plan was stopped");
		session_changed(s);
		return;
	}
	s->plan_running = s->model.plan_running = true;
	s->plan_at = 0;
	s->model.plan_done = 0;
	change(s);
}

/* 1-2-5 steps, with 0 below 1. */
static double rate_step(double rate, bool up)
{
	static const double steps[] = {0,   1,   2,   5,    10,   20,   50,
				       100, 200, 500, 1000, 2000, 5000, 10000};
	const int n = sizeof(steps) / sizeof(*steps);

	for (int i = 0; i < n; i++) {
		if (up && steps[i] > rate * 1.0001)
			return steps[i];
		if (!up && steps[n - 1 - i] < rate * 0.9999)
			return steps[n - 1 - i];
	}
	return rate;
}

static void op_rate(struct session *s, double step)
{
	struct workload *w = &s->model.workload;

	if (refuse_in_plan(s))
		return;
	if (w->rate_max) {
		session_say(s, MESSAGE_INFO, "the rate is max; start with --rate N to change it");
		return;
	}
	w->rate = s->model.rate = rate_step(w->rate, step > 0);
	session_fill_facts(s);
	if (s->run)
		run_set_rate(s->run, w->rate);
	live_reset(s);
	session_say(s, MESSAGE_INFO, "%.9g jobs/s", w->rate);
}

static void op_delay(struct session *s, double seconds)
{
	if (!(seconds >= 0.05 && seconds <= 3600)) {
		session_say(s, MESSAGE_WARNING,
			    "a delay of %.9g s is out of range; use 0.05 to "
			    "3600",
			    seconds);
		return;
	}
	s->model.delay_s = seconds;
	/* Not at once: over a few ms the clocks of what is running are too coarse. */
	uv_timer_start(&s->tick, live_tick_cb, (uint64_t)(seconds * 1000),
		       (uint64_t)(seconds * 1000));
}

static void op_restart(struct session *s)
{
	if (!s->model.failure[0])
		return;
	s->model.failure[0] = '\0';
	session_next(s);
}

static int op_dump(struct session *s, char *name, size_t size, struct err *err)
{
	struct window *stretch = live_stretch(s);
	time_t now = time(NULL);
	struct tm tm;
	char stem[64];
	int rc;

	localtime_r(&now, &tm);
	strftime(stem, sizeof(stem), "cputop-%Y%m%d-%H%M%S", &tm);
	snprintf(name, size, "%s.json", stem);
	for (int i = 2; access(name, F_OK) == 0 && i < 100; i++)
		snprintf(name, size, "%s-%d.json", stem, i);
	rc = output_snapshot(s, name, stretch, err);
	if (stretch) {
		window_release(stretch);
		free(stretch);
	}
	if (rc == 0)
		session_say(s, MESSAGE_INFO, "snapshot written to %s", name);
	else
		session_say(s, MESSAGE_ERROR, "%s", err->text);
	return rc;
}

static int op_write_rc(struct session *s, char *name, size_t size, struct err *err)
{
	struct app_options o = *s->opt;
	int rc;

	if (!app_rc_path(name, size))
		return err_set(err, -ENOENT,
			       "no place for the rc file: set HOME or "
			       "XDG_CONFIG_HOME");
	o.workload = s->model.workload;
	o.delay_s = s->model.delay_s;
	rc = options_write_rc(&app_option_table, &o, name, err);
	if (rc == 0)
		session_say(s, MESSAGE_INFO, "settings written to %s", name);
	return rc;
}

static void op_suspended(struct session *s, bool begin)
{
	if (begin && s->run)
		run_spoil_window(s->run, "suspended");
}

static void op_quit(struct session *s)
{
	session_end_begin(s, session_status(s));
}

const struct session_ops live_ops = {
	.window = op_window,
	.next_dialect = op_next_dialect,
	.next_variant = op_next_variant,
	.run_all = op_run_all,
	.rate = op_rate,
	.delay = op_delay,
	.restart = op_restart,
	.dump = op_dump,
	.write_rc = op_write_rc,
	.suspended = op_suspended,
	.quit = op_quit,
};

void live_tick_cb(uv_timer_t *t)
{
	struct session *s = t->data;

	live_figures(s);
	session_changed(s);
	s->refreshes++;
	if (s->opt->iterations && s->refreshes >= s->opt->iterations)
		session_end_begin(s, session_status(s));
}
