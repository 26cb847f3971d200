/* The two lines at the bottom: what is going on, and the keys. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

#define MESSAGE_YOUNG_NS (15 * NS_PER_S)

static enum style level_style(enum message_level level)
{
	return level == MESSAGE_ERROR     ? STYLE_BAD
	       : level == MESSAGE_WARNING ? STYLE_WARNING
					  : STYLE_NORMAL;
}

static bool setting_up(enum phase p)
{
	return p >= PHASE_SERVER && p < PHASE_WARMUP;
}

/* "postgres: initialising the data directory, 1.4 s" */
static void draw_busy(const struct view *v, const struct model *m, struct canvas *c, int y, int max)
{
	char took[FORMAT_CELL_MAX];
	uint64_t now = view_now_ns(v);
	const char *what = m->phase_detail[0] ? m->phase_detail : phase_name(m->phase);
	struct strbuf sb;

	view_elapsed(took, now > m->phase_since_ns ? now - m->phase_since_ns : 0);
	strbuf_init(&sb);
	strbuf_addf(&sb, "%s: %s, %s", dialect_name(m->dialect), what, took);
	canvas_fit(c, 0, y, max, STYLE_NORMAL, sb.buf);
	strbuf_release(&sb);
}

/* Which screens there are, when there is nothing else to say. */
static void draw_tabs(const struct view *v, struct canvas *c, int y, int max)
{
	int x = 0;

	for (size_t i = 0; i < keys_count(); i++) {
		const struct key_binding *b = keys_at(i);
		enum screen_id id;
		bool here;
		char text[64];

		if (b->action < ACTION_SCREEN_LIVE || b->action > ACTION_SCREEN_ENVIRONMENT)
			continue;
		id = (enum screen_id)(b->action - ACTION_SCREEN_LIVE);
		here = id == v->screen && !v->overlay;
		snprintf(text, sizeof(text), "%c %s", b->keys[0], view_screen_at(id)->name);
		if (x + canvas_measure(c, text) > max)
			return;
		x += canvas_text(c, x, y, max - x, here ? STYLE_STRONG : STYLE_DIM, text) + 2;
	}
}

/* As long as rows are left out: a table that lacks some is read as one that has none. */
static void draw_filter(const struct table_state *s, struct canvas *c, int y, int max)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "filter: only rows with '%s' (Esc: all)", s->filter);
	canvas_fit(c, 0, y, max, STYLE_WARNING, sb.buf);
	strbuf_release(&sb);
}

static void draw_left(struct view *v, const struct model *m, struct canvas *c, int y, int max)
{
	const struct message *last =
		m->messages.total ? messages_at(&m->messages, m->messages.len - 1) : NULL;
	const struct table_state *filtered = view_filtered(v);
	uint64_t wall = clock_wall_ns();

	if (v->status[0])
		canvas_fit(c, 0, y, max, v->status_style, v->status);
	else if (m->failure[0])
		canvas_fit(c, 0, y, max, STYLE_BAD, m->failure);
	else if (setting_up(m->phase))
		draw_busy(v, m, c, y, max);
	else if (filtered)
		draw_filter(filtered, c, y, max);
	else if (last && wall < last->wall_ns + MESSAGE_YOUNG_NS)
		canvas_fit(c, 0, y, max, level_style(last->level), last->text);
	else
		draw_tabs(v, c, y, max);
}

/* Always of the live model: a failure must be seen on a frozen screen too. */
void message_draw(struct view *v, const struct model *frozen, struct canvas *c, int y)
{
	const struct model *m = v->model;
	const struct message *last;
	char text[64];
	int max = c->width, w;

	(void)frozen;
	if (v->prompt.kind) {
		prompt_draw(v, c, y);
		return;
	}
	if (m->messages.total) {
		last = messages_at(&m->messages, m->messages.len - 1);
		snprintf(text, sizeof(text), "%llu message%s (e)",
			 (unsigned long long)m->messages.total, m->messages.total == 1 ? "" : "s");
		w = canvas_measure(c, text);
		if (w + 20 <= max) {
			max -= w + 2;
			canvas_text(c, c->width - w, y, w,
				    last && last->level != MESSAGE_INFO ? level_style(last->level)
									: STYLE_DIM,
				    text);
		}
	}
	draw_left(v, m, c, y, max);
}

static bool in_footer(const struct view *v, const struct key_binding *b)
{
	if (!b->label)
		return false;
	if (b->action == ACTION_RESTART)
		return v->model->failure[0] != 0;
	if (b->action == ACTION_FREEZE)
		return v->frozen != NULL;
	return (b->footer & view_screen(v)->where) != 0;
}

static int label_width(const struct key_binding *b)
{
	char name[KEY_NAME_MAX];

	keys_name(b->keys[0], name);
	return (int)strlen(name) + 1 + (int)strlen(b->label);
}

/* The width of all entries of rank max or less, with two blanks between. */
static int footer_width(const struct view *v, unsigned max)
{
	int w = -2;

	for (size_t i = 0; i < keys_count(); i++) {
		const struct key_binding *b = keys_at(i);

		if (in_footer(v, b) && b->footer_rank <= max)
			w += label_width(b) + 2;
	}
	return w;
}

void footer_draw(struct view *v, struct canvas *c, int y)
{
	unsigned rank = 99;
	int x = 0;

	while (rank > 0 && footer_width(v, rank) > c->width)
		rank--;
	v->nfooter = 0;
	v->footer_y = y;
	for (size_t i = 0; i < keys_count() && v->nfooter < FOOTER_HITS; i++) {
		const struct key_binding *b = keys_at(i);
		char name[KEY_NAME_MAX];
		int from = x;

		if (!in_footer(v, b) || b->footer_rank > rank)
			continue;
		keys_name(b->keys[0], name);
		x += canvas_text(c, x, y, -1, STYLE_KEY, name) + 1;
		x += canvas_text(c, x, y, -1, STYLE_KEY_TEXT, b->label);
		v->footer[v->nfooter++] = (struct footer_hit){from, x, b->keys[0]};
		x += 2;
	}
}
