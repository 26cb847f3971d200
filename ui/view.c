/* The frame: what goes where on the canvas, and the small state that all screens share. */
#include "config.h"

#include "ui/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "ui/freeze.h"
#include "ui/theme.h"

#define STATUS_NS (6 * NS_PER_S)
/* For the clipboard: wide enough for every column, long enough for every row. */
#define COPY_WIDTH  200
#define COPY_HEIGHT 1500

static const struct screen_ops *const screens[SCREEN_COUNT] = {
	[SCREEN_LIVE] = &screen_live,
	[SCREEN_RESULTS] = &screen_results,
	[SCREEN_LATENCY] = &screen_latency,
	[SCREEN_MESSAGES] = &screen_messages,
	[SCREEN_ENVIRONMENT] = &screen_environment,
};

void view_init(struct view *v, const struct model *model, const struct session_ops *ops,
	       struct session *session, bool utf8)
{
	memset(v, 0, sizeof(*v));
	v->model = model;
	v->ops = ops;
	v->session = session;
	v->utf8 = utf8;
	v->threads = true;
	strbuf_init(&v->text);
	for (int i = 0; i < TABLE_ID_COUNT; i++)
		table_state_init(&v->tables[i]);
	v->tables[TABLE_MESSAGES].tail = true;
	v->tables[TABLE_PROGRESS].tail = true;
	v->tables[TABLE_PROCESSES].sort = WHERE_SORT;
	v->focus = TABLE_COST;
}

void view_release(struct view *v)
{
	freeze_free(v->frozen);
	v->frozen = NULL;
	strbuf_release(&v->text);
}

const struct screen_ops *view_screen_at(enum screen_id id)
{
	return screens[id < SCREEN_COUNT ? id : SCREEN_LIVE];
}

const struct screen_ops *view_screen(const struct view *v)
{
	return v->overlay ? v->overlay : view_screen_at(v->screen);
}

struct table_state *view_filtered(struct view *v)
{
	const enum table_id *ids = view_screen(v)->tables;

	if (v->tables[v->focus].filter[0])
		return &v->tables[v->focus];
	for (int i = 0; i < 2; i++) {
		if (v->tables[ids[i]].filter[0])
			return &v->tables[ids[i]];
	}
	return NULL;
}

const struct model *view_model(const struct view *v)
{
	return v->frozen ? v->frozen : v->model;
}

uint64_t view_now_ns(const struct view *v)
{
	return v->frozen ? v->frozen_ns : clock_now_ns();
}

void view_status(struct view *v, enum style style, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vformat(v->status, sizeof(v->status), fmt, ap);
	va_end(ap);
	v->status_style = style;
	v->status_until_ns = clock_now_ns() + STATUS_NS;
}

void view_elapsed(char out[FORMAT_CELL_MAX], uint64_t ns)
{
	size_t len;

	if (ns >= 60 * NS_PER_S) {
		format_duration(out, ns);
		return;
	}
	format_fixed(out, (double)ns / (double)NS_PER_S, 1);
	len = strlen(out);
	snprintf(out + len, FORMAT_CELL_MAX - len, " s");
}

void view_freeze(struct view *v, bool on)
{
	freeze_free(v->frozen);
	v->frozen = NULL;
	if (!on)
		return;
	v->frozen = freeze_copy(v->model);
	v->frozen_ns = clock_now_ns();
}

void view_show(struct view *v, enum screen_id id)
{
	v->overlay = NULL;
	v->screen = id;
	v->focus = view_screen_at(id)->tables[0];
}

void view_open(struct view *v, const struct screen_ops *overlay)
{
	v->overlay = overlay;
	v->focus = overlay ? overlay->tables[0] : view_screen_at(v->screen)->tables[0];
	if (overlay) {
		v->tables[v->focus].active = false;
		v->tables[v->focus].scroll = v->tables[v->focus].cursor = 0;
	}
}

/* Lines at the edges, by what is left: the figures need the room most. */
static void frame(int height, int *header, int *message, int *footer)
{
	*header = height >= 10 ? 2 : 1;
	*footer = height >= 6;
	*message = height >= 8;
}

void view_draw(struct view *v, struct canvas *c)
{
	const struct model *m = view_model(v);
	int header, message, footer;
	struct area a = {0};

	if (v->status[0] && clock_now_ns() >= v->status_until_ns)
		v->status[0] = 0;
	v->width = c->width;
	v->height = c->height;
	v->stale = false;
	canvas_clear(c);
	frame(c->height, &header, &message, &footer);
	/* The keys are many. */
	if (v->overlay == &overlay_help && c->height <= 26) {
		header = 1;
		message = 0;
	}
	header_draw(v, m, c, header);
	a.y = header;
	a.width = c->width;
	a.height = c->height - header - message - footer;
	if (a.height > 0 && a.width > 0)
		view_screen(v)->draw(v, m, c, a);
	v->nfooter = 0;
	v->footer_y = -1;
	if (footer)
		footer_draw(v, c, c->height - 1);
	/* Without a message line a question takes the last one. */
	if (message)
		message_draw(v, m, c, c->height - 1 - footer);
	else if (v->prompt.kind && c->height > 1)
		prompt_draw(v, c, c->height - 1);
}

/* The states of the tables are put back: they remember where the rows are on screen. */
void view_copy(struct view *v, struct strbuf *out)
{
	struct table_state saved[TABLE_ID_COUNT];
	struct canvas c;
	struct area a = {.y = 3, .width = COPY_WIDTH, .height = COPY_HEIGHT - 3};

	memcpy(saved, v->tables, sizeof(saved));
	for (int i = 0; i < TABLE_ID_COUNT; i++)
		v->tables[i].active = v->tables[i].tail = false;
	canvas_init(&c, COPY_WIDTH, COPY_HEIGHT, v->utf8);
	header_draw(v, view_model(v), &c, 2);
	view_screen(v)->draw(v, view_model(v), &c, a);
	canvas_dump(&c, out);
	canvas_release(&c);
	memcpy(v->tables, saved, sizeof(saved));
	while (out->len && out->buf[out->len - 1] == '\n')
		out->buf[--out->len] = 0;
	strbuf_addch(out, '\n');
}

/* Between windows the session reports each tick; only clocks that the session does not move need a
 * timer. */
static unsigned phase_period_ms(const struct view *v)
{
	switch (v->model->phase) {
	case PHASE_SERVER:
	case PHASE_TABLES:
	case PHASE_FILLING:
	case PHASE_SETTLING:
	case PHASE_STARTING:
	case PHASE_STOPPING:
		return 100;
	case PHASE_WARMUP:
	case PHASE_ALIGN:
		return 500;
	case PHASE_IDLE:
	case PHASE_WINDOW:
	case PHASE_LIVE:
	case PHASE_COUNT:
		break;
	}
	return 0;
}

unsigned view_period_ms(const struct view *v)
{
	unsigned ms = v->frozen ? 0 : phase_period_ms(v);

	if (!ms && v->status[0])
		ms = 500;
	return ms;
}
