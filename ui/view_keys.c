/* What the keys do. Commands to the session are requests: the model answers. */
#include "config.h"

#include "ui/view.h"

#include <string.h>

#include "lib/err.h"
#include "lib/format.h"
#include "ui/theme.h"

static void act_quit(struct view *v)
{
	if (v->model->plan_running)
		prompt_open(v, PROMPT_QUIT);
	else
		v->ops->quit(v->session);
}

static void act_rate(struct view *v, bool up)
{
	if (v->model->window_open)
		prompt_open(v, up ? PROMPT_RATE_UP : PROMPT_RATE_DOWN);
	else
		v->ops->rate(v->session, up ? 1 : -1);
}

static void act_dialect(struct view *v, int step)
{
	v->ops->next_dialect(v->session, step);
}

static void act_restart(struct view *v)
{
	if (v->model->failure[0])
		v->ops->restart(v->session);
	else
		view_status(v, STYLE_NORMAL, "nothing has failed");
}

static void act_write(struct view *v, int (*write)(struct session *, char *, size_t, struct err *))
{
	char name[256] = "";
	struct err err = {0};

	if (write(v->session, name, sizeof(name), &err) < 0)
		view_status(v, STYLE_BAD, "%s", err.text[0] ? err.text : "it could not be saved");
	else
		view_status(v, STYLE_GOOD, "saved %s", name);
}

static void act_freeze(struct view *v)
{
	view_freeze(v, !v->frozen);
	if (v->frozen)
		view_status(v, STYLE_WARNING, "frozen; measuring goes on (Space)");
	else
		v->status[0] = 0;
}

static void act_threads(struct view *v)
{
	const struct model *m = view_model(v);
	bool any = false;

	for (size_t i = 0; i < m->nprocesses; i++)
		any |= m->processes[i].thread;
	if (!m->nprocesses) {
		view_status(v, STYLE_NORMAL, "no processes yet");
		return;
	}
	if (!any) {
		view_status(v, STYLE_NORMAL, "%s runs processes, not threads: each is a row",
			    dialect_name(m->dialect));
		return;
	}
	v->threads = !v->threads;
	view_status(v, STYLE_NORMAL, v->threads ? "threads are shown" : "threads are not shown");
}

static void act_kernel(struct view *v)
{
	const struct counters_info *counters = view_model(v)->counters;
	const struct counter_state *state = counters ? &counters->instructions : NULL;

	if (!state)
		view_status(v, STYLE_NORMAL, "user and kernel: nothing is counted yet");
	else if (!state->available)
		view_status(v, STYLE_WARNING, "user and kernel cannot be told apart: %s",
			    state->reason);
	else if (counters->user_only)
		view_status(v, STYLE_WARNING,
			    "the kernel is not counted: this user may only count its own share");
	else
		view_status(v, STYLE_WARNING,
			    "user and kernel are counted together, not apart, by this source");
}

static void act_command_lines(struct view *v)
{
	v->command_lines = !v->command_lines;
	if (v->overlay != &overlay_where && view_screen(v)->enter)
		v->command_lines = true, view_action(v, ACTION_ENTER);
	view_status(v, STYLE_NORMAL, v->command_lines ? "whole command lines" : "short names");
}

static void act_messages(struct view *v)
{
	if (v->screen == SCREEN_MESSAGES && !v->overlay) {
		view_show(v, v->back);
		return;
	}
	v->back = v->screen == SCREEN_MESSAGES ? SCREEN_LIVE : v->screen;
	view_show(v, SCREEN_MESSAGES);
}

static void act_step_screen(struct view *v, int step)
{
	int next = v->overlay ? (int)v->screen : (int)v->screen + step;

	view_show(v, (enum screen_id)((next + SCREEN_COUNT) % SCREEN_COUNT));
}

/* One thing at a time, the newest first; never the program. */
static void act_close(struct view *v)
{
	struct table_state *s = &v->tables[v->focus], *filtered = view_filtered(v);

	if (filtered || s->search[0]) {
		s->search[0] = 0;
		if (filtered)
			filtered->filter[0] = 0;
	} else if (v->overlay) {
		view_open(v, NULL);
	} else if (s->active) {
		s->active = false;
		s->scroll = 0;
		v->focus = view_screen(v)->tables[0];
	} else if (v->frozen) {
		act_freeze(v);
	} else if (v->screen == SCREEN_MESSAGES) {
		view_show(v, v->back);
	}
	v->status[0] = 0;
}

static void act_colours(struct view *v)
{
	if (v->monochrome) {
		view_status(v, STYLE_NORMAL, "this terminal shows no colours (or NO_COLOR is set)");
		return;
	}
	v->scheme = (v->scheme + 1) % theme_count();
	view_status(v, STYLE_NORMAL, "colours: %s", theme_name(v->scheme));
}

/* Down from the last row of the first table leads to the second, and back. */
static bool act_cross(struct view *v, enum action action)
{
	const enum table_id *ids = view_screen(v)->tables;
	struct table_state *s = &v->tables[v->focus];
	enum table_id to;

	if (ids[0] == ids[1] || !s->active)
		return false;
	to = v->focus == ids[0] ? ids[1] : ids[0];
	if (v->tables[to].count == 0 || v->tables[to].top < 0)
		return false;
	if (!(action == ACTION_DOWN && v->focus == ids[0] && s->cursor >= s->count - 1) &&
	    !(action == ACTION_UP && v->focus == ids[1] && s->cursor <= 0))
		return false;
	s->active = false;
	v->focus = to;
	v->tables[to].active = false;
	table_act(&v->tables[to], action == ACTION_DOWN ? ACTION_HOME : ACTION_END);
	return true;
}

static void act_table(struct view *v, enum action action)
{
	struct table_state *s = &v->tables[v->focus];

	if (act_cross(v, action) || !table_act(s, action))
		return;
	if (action == ACTION_FOLLOW)
		view_status(v, STYLE_NORMAL,
			    s->follow ? "the cursor follows its row"
				      : "the cursor keeps its place");
	else if (action == ACTION_REVERSE)
		view_status(v, STYLE_NORMAL, s->reverse ? "the other way round" : "as usual");
	else if ((action == ACTION_SORT_NEXT || action == ACTION_SORT_PREV) && s->sort < 0)
		view_status(v, STYLE_NORMAL, "in the given order");
}

static void act_session(struct view *v, enum action action)
{
	switch ((int)action) {
	case ACTION_WINDOW:
		v->ops->window(v->session);
		break;
	case ACTION_DIALECT_NEXT:
	case ACTION_DIALECT_PREV:
		act_dialect(v, action == ACTION_DIALECT_NEXT ? 1 : -1);
		break;
	case ACTION_VARIANT_NEXT:
	case ACTION_VARIANT_PREV:
		v->ops->next_variant(v->session, action == ACTION_VARIANT_NEXT ? 1 : -1);
		break;
	case ACTION_ALL:
		v->ops->run_all(v->session);
		break;
	case ACTION_RATE_UP:
	case ACTION_RATE_DOWN:
		act_rate(v, action == ACTION_RATE_UP);
		break;
	case ACTION_RESTART:
		act_restart(v);
		break;
	case ACTION_DUMP:
		act_write(v, v->ops->dump);
		break;
	case ACTION_WRITE_RC:
		act_write(v, v->ops->write_rc);
		break;
	case ACTION_QUIT:
		act_quit(v);
		break;
	default:
		break;
	}
}

static void act_screen(struct view *v, enum action action)
{
	switch ((int)action) {
	case ACTION_SCREEN_NEXT:
	case ACTION_SCREEN_PREV:
		act_step_screen(v, action == ACTION_SCREEN_NEXT ? 1 : -1);
		break;
	case ACTION_SCREEN_LIVE:
	case ACTION_SCREEN_RESULTS:
	case ACTION_SCREEN_LATENCY:
	case ACTION_SCREEN_MESSAGES:
	case ACTION_SCREEN_ENVIRONMENT:
		view_show(v, (enum screen_id)(action - ACTION_SCREEN_LIVE));
		break;
	case ACTION_MESSAGES:
		act_messages(v);
		break;
	case ACTION_HELP:
		view_open(v, v->overlay == &overlay_help ? NULL : &overlay_help);
		break;
	case ACTION_ENTER:
		if (view_screen(v)->enter)
			view_screen(v)->enter(v, view_model(v));
		break;
	case ACTION_CLOSE:
		act_close(v);
		break;
	default:
		break;
	}
}

static void act_display(struct view *v, enum action action)
{
	switch ((int)action) {
	case ACTION_FILTER:
		prompt_open(v, PROMPT_FILTER);
		break;
	case ACTION_SEARCH:
		prompt_open(v, PROMPT_SEARCH);
		break;
	case ACTION_DELAY:
		prompt_open(v, PROMPT_DELAY);
		break;
	case ACTION_COMMAND_LINES:
		act_command_lines(v);
		break;
	case ACTION_THREADS:
		act_threads(v);
		break;
	case ACTION_KERNEL:
		act_kernel(v);
		break;
	case ACTION_FREEZE:
		act_freeze(v);
		break;
	case ACTION_COPY:
		v->want_copy = true;
		view_status(v, STYLE_GOOD, "copied, if the terminal allows it (OSC 52)");
		break;
	case ACTION_COLOURS:
		act_colours(v);
		break;
	case ACTION_REDRAW:
		v->want_redraw = true;
		break;
	case ACTION_SUSPEND:
		v->want_suspend = true;
		break;
	default:
		act_table(v, action);
		break;
	}
}

void view_action(struct view *v, enum action action)
{
	if (action <= ACTION_QUIT || action == ACTION_WRITE_RC)
		act_session(v, action);
	else if (action <= ACTION_CLOSE)
		act_screen(v, action);
	else
		act_display(v, action);
}

/* Which row the cursor is on is found by drawing; when keys come faster than frames that is done
 * here, on a canvas that nobody sees. */
static void catch_up(struct view *v)
{
	struct canvas c;

	if (!v->stale)
		return;
	canvas_init(&c, v->width, v->height, v->utf8);
	view_draw(v, &c);
	canvas_release(&c);
}

void view_key(struct view *v, int key)
{
	const struct key_binding *b;
	char name[KEY_NAME_MAX];

	catch_up(v);
	v->stale = true;
	if (v->prompt.kind && prompt_key(v, key))
		return;
	b = keys_lookup(key, view_screen(v)->where);
	if (b) {
		v->status[0] = 0;
		view_action(v, b->action);
		return;
	}
	keys_name(key, name);
	view_status(v, STYLE_DIM, "%s does nothing here; ? lists the keys", name);
}

void view_click(struct view *v, int x, int y)
{
	const enum table_id *ids;

	catch_up(v);
	ids = view_screen(v)->tables;

	for (int i = 0; y == v->footer_y && i < v->nfooter; i++) {
		if (x >= v->footer[i].x0 && x < v->footer[i].x1) {
			view_key(v, v->footer[i].key);
			return;
		}
	}
	for (int i = 0; i < 2; i++) {
		struct table_state *s = &v->tables[ids[i]];
		bool was = s->active && v->focus == ids[i];
		int cursor = s->cursor;

		if (!table_click(s, y))
			continue;
		if (ids[0] != ids[1])
			v->tables[ids[!i]].active = false;
		v->focus = ids[i];
		v->stale = true;
		if (was && cursor == s->cursor) {
			catch_up(v);
			view_action(v, ACTION_ENTER);
		}
		return;
	}
}

void view_wheel(struct view *v, int step)
{
	catch_up(v);
	v->stale = true;
	for (int i = 0; i < 3; i++)
		act_table(v, step > 0 ? ACTION_DOWN : ACTION_UP);
}
