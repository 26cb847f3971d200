/*
 * The live screen on the loop. Whatever happens only marks it dirty; it is drawn once, when the
 * loop is about to wait. Keys are answered at once, everything else at most every FRAME_MS. A timer
 * runs only while something that is shown moves by itself.
 */
#include "config.h"

#include "ui/ui.h"

#include <stdlib.h>
#include <uv.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "ui/clipboard.h"
#include "ui/render.h"
#include "ui/term.h"
#include "ui/theme.h"
#include "ui/view.h"

#define FRAME_MS 40

struct ui {
	struct view view;
	struct term *term; /* NULL when closed */
	struct render render;
	struct canvas canvas;
	uv_prepare_t prepare;
	uv_timer_t timer;
	int open_handles; /* the two above and the terminal */
	bool dirty, now;  /* now: without waiting for the frame */
	uint64_t drawn_ns;
};

static void mark(struct ui *ui, bool now)
{
	ui->dirty = true;
	ui->now |= now;
}

static void timer_cb(uv_timer_t *timer)
{
	mark(timer->data, true);
}

static void draw(struct ui *ui)
{
	int width, height;
	unsigned ms;

	term_size(ui->term, &width, &height);
	if (width != ui->canvas.width || height != ui->canvas.height)
		canvas_resize(&ui->canvas, width, height);
	if (ui->render.scheme != ui->view.scheme)
		render_scheme(&ui->render, ui->view.scheme);
	view_draw(&ui->view, &ui->canvas);
	render_draw(&ui->render, &ui->canvas);
	ui->dirty = ui->now = false;
	ui->drawn_ns = clock_now_ns();
	ms = view_period_ms(&ui->view);
	if (ms)
		uv_timer_start(&ui->timer, timer_cb, ms, 0);
	else
		uv_timer_stop(&ui->timer);
}

static void prepare_cb(uv_prepare_t *prepare)
{
	struct ui *ui = prepare->data;
	uint64_t since;

	if (!ui->dirty || !ui->term)
		return;
	since = (clock_now_ns() - ui->drawn_ns) / NS_PER_MS;
	if (ui->now || since >= FRAME_MS)
		draw(ui);
	else
		uv_timer_start(&ui->timer, timer_cb, FRAME_MS - since, 0);
}

static void suspend(struct ui *ui, bool group)
{
	ui->view.ops->suspended(ui->view.session, true);
	term_suspend(ui->term, group);
	ui->view.ops->suspended(ui->view.session, false);
	ui->render.all = true;
	mark(ui, true);
}

static void copy(struct ui *ui)
{
	struct strbuf text, sequence;

	strbuf_init(&text);
	strbuf_init(&sequence);
	view_copy(&ui->view, &text);
	clipboard_sequence(&sequence, text.buf, text.len);
	term_send(ui->term, sequence.buf, sequence.len);
	strbuf_release(&text);
	strbuf_release(&sequence);
}

/* What the view cannot do itself. */
static void serve(struct ui *ui)
{
	struct view *v = &ui->view;

	mark(ui, true);
	if (v->want_copy)
		copy(ui);
	if (v->want_redraw) {
		term_repaint(ui->term);
		ui->render.all = true;
	}
	if (v->want_suspend)
		suspend(ui, true);
	v->want_copy = v->want_redraw = v->want_suspend = false;
}

static void key_event(void *arg, int key)
{
	struct ui *ui = arg;

	view_key(&ui->view, key);
	if (ui->term)
		serve(ui);
}

static void mouse_event(void *arg, enum term_mouse what, int x, int y)
{
	struct ui *ui = arg;

	if (what == MOUSE_CLICK)
		view_click(&ui->view, x, y);
	else
		view_wheel(&ui->view, what == MOUSE_WHEEL_DOWN ? 1 : -1);
	if (ui->term)
		serve(ui);
}

static void resized_event(void *arg)
{
	struct ui *ui = arg;

	ui->render.all = true;
	mark(ui, true);
}

static void stop_event(void *arg)
{
	suspend(arg, false);
}

static void hangup_event(void *arg)
{
	struct ui *ui = arg;

	ui->view.ops->quit(ui->view.session);
}

static void free_when_closed(struct ui *ui)
{
	if (--ui->open_handles == 0)
		free(ui);
}

static void term_closed_event(void *arg)
{
	free_when_closed(arg);
}

static void handle_closed_cb(uv_handle_t *handle)
{
	free_when_closed(handle->data);
}

static void start_handles(struct ui *ui, uv_loop_t *loop)
{
	uv_prepare_init(loop, &ui->prepare);
	ui->prepare.data = ui;
	uv_prepare_start(&ui->prepare, prepare_cb);
	uv_timer_init(loop, &ui->timer);
	ui->timer.data = ui;
	ui->open_handles = 3;
}

static void *ui_open(uv_loop_t *loop, const struct model *model, const struct session_ops *ops,
		     struct session *session, const struct frontend_options *options,
		     struct err *err)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));
	struct term_options wanted = {.mouse = options->mouse, .color = !options->no_color};
	struct term_events events = {
		.key = key_event,
		.mouse = mouse_event,
		.resized = resized_event,
		.stop = stop_event,
		.hangup = hangup_event,
		.closed = term_closed_event,
		.arg = ui,
	};

	ui->term = term_open(loop, &wanted, &events, err);
	if (!ui->term) {
		free(ui);
		return NULL;
	}
	view_init(&ui->view, model, ops, session, term_utf8(ui->term));
	ui->view.monochrome = !term_color(ui->term);
	canvas_init(&ui->canvas, 0, 0, term_utf8(ui->term));
	render_init(&ui->render, term_utf8(ui->term), term_color(ui->term));
	start_handles(ui, loop);
	mark(ui, true);
	return ui;
}

static void ui_changed(void *state)
{
	mark(state, false);
}

static void ui_close(void *state)
{
	struct ui *ui = state;

	if (!ui->term)
		return;
	term_close(ui->term);
	ui->term = NULL;
	render_release(&ui->render);
	canvas_release(&ui->canvas);
	view_release(&ui->view);
	uv_close((uv_handle_t *)&ui->prepare, handle_closed_cb);
	uv_close((uv_handle_t *)&ui->timer, handle_closed_cb);
}

const struct frontend ui_frontend = {
	.open = ui_open,
	.changed = ui_changed,
	.close = ui_close,
};
