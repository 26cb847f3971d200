/* Screen 5: the messages, newest at the end; and the overlay with one of them in full. */
#include "config.h"

#include <string.h>
#include <time.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

enum { M_TIME, M_LEVEL, M_TEXT, M_COUNT };

static const struct table_column columns[M_COUNT] = {
	[M_TIME] = {"TIME", 8, 0, 0, 0, 0},
	[M_LEVEL] = {"", 7, 0, 2, 2, COLUMN_TEXT},
	[M_TEXT] = {"MESSAGE", 20, 0, 2, 1, COLUMN_TEXT | COLUMN_SHRINK | COLUMN_GROW},
};

static const char *level_text(enum message_level level)
{
	switch (level) {
	case MESSAGE_WARNING:
		return "warning";
	case MESSAGE_ERROR:
		return "error";
	case MESSAGE_INFO:
		break;
	}
	return "";
}

static void time_cell(struct table_row *row, uint64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	if (localtime_r(&s, &tm))
		table_textf(row, M_TIME, (double)wall_ns, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min,
			    tm.tm_sec);
}

static uint64_t first_id(const struct model *m)
{
	return m->messages.total - m->messages.len;
}

static void add_message(struct table *t, const struct message *msg, uint64_t id)
{
	struct table_row *row = table_add(t, id, TABLE_NO_PARENT);

	time_cell(row, msg->wall_ns);
	row->cells[M_TIME].style = STYLE_DIM;
	table_str(row, M_LEVEL, level_text(msg->level));
	table_str(row, M_TEXT, msg->text);
	if (msg->level != MESSAGE_INFO)
		row->style = msg->level == MESSAGE_ERROR ? STYLE_BAD : STYLE_WARNING;
}

static void draw(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	int gap = a.height >= 14;
	struct table t;

	table_init(&t, columns, M_COUNT, v->utf8);
	t.keep[M_TEXT] = true;
	for (size_t i = 0; i < m->messages.len; i++)
		add_message(&t, messages_at(&m->messages, i), first_id(m) + i);
	table_arrange(&t, &v->tables[TABLE_MESSAGES]);
	table_draw(&t, &v->tables[TABLE_MESSAGES], c,
		   (struct area){a.x, a.y + gap, a.width, a.height - gap});
	if (!t.norder && a.height > 2)
		canvas_text(c, a.x, a.y + gap + 1, -1, STYLE_DIM, "no messages");
	table_release(&t);
}

static void enter(struct view *v, const struct model *m)
{
	const struct table_state *s = &v->tables[TABLE_MESSAGES];
	const struct message *msg;

	msg = messages_at(&m->messages,
			  s->active ? (size_t)(s->id - first_id(m)) : m->messages.len - 1);
	if (!msg)
		return;
	strbuf_reset(&v->text);
	strbuf_addstr(&v->text, msg->text);
	view_open(v, &overlay_text);
}

const struct screen_ops screen_messages = {
	.name = "messages",
	.where = IN_MESSAGES,
	.tables = {TABLE_MESSAGES, TABLE_MESSAGES},
	.draw = draw,
	.enter = enter,
};

/* How many bytes of text fit in width columns, broken at a blank where there is one. */
static size_t line_break(const struct canvas *c, const char *text, int width)
{
	size_t len = 0, blank = 0;
	char part[8];
	int used = 0, n;
	int32_t cp;

	while ((n = utf8_next(text + len, &cp)) > 0) {
		memcpy(part, text + len, (size_t)n);
		part[n] = 0;
		used += canvas_measure(c, part);
		if (used > width)
			return blank ? blank : len ? len : (size_t)n;
		len += (size_t)n;
		if (cp == ' ')
			blank = len;
	}
	return len;
}

static void draw_text(struct view *v, const struct model *m, struct canvas *c, struct area a)
{
	const char *s = v->text.buf;
	int y = a.y;

	(void)m;
	canvas_text(c, a.x, y++, -1, STYLE_TITLE, "MESSAGE");
	while (*s && y < a.y + a.height) {
		size_t len = line_break(c, s, a.width);
		struct strbuf line;

		strbuf_init(&line);
		strbuf_add(&line, s, len);
		canvas_text(c, a.x, y++, -1, STYLE_NORMAL, line.buf);
		strbuf_release(&line);
		s += len;
	}
}

const struct screen_ops overlay_text = {
	.name = "message",
	.where = IN_HELP,
	.tables = {TABLE_HELP, TABLE_HELP},
	.draw = draw_text,
};
