/* The prompt in the message line: a value to type, or a question to answer with y. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/format.h"
#include "ui/view.h"

#define DELAY_MIN 0.05
#define DELAY_MAX 3600

static bool is_question(enum prompt_kind kind)
{
	return kind >= PROMPT_QUIT;
}

static const char *prompt_words(enum prompt_kind kind)
{
	switch (kind) {
	case PROMPT_DELAY:
		return "seconds between refreshes: ";
	case PROMPT_FILTER:
		return "only rows with: ";
	case PROMPT_SEARCH:
		return "search: ";
	case PROMPT_QUIT:
		return "the plan is still running; quit all the same? (y/n)";
	case PROMPT_RATE_UP:
	case PROMPT_RATE_DOWN:
		return "another rate ends the open window; go on? (y/n)";
	case PROMPT_NONE:
		break;
	}
	return "";
}

void prompt_open(struct view *v, enum prompt_kind kind)
{
	const struct table_state *s = &v->tables[v->focus];

	memset(&v->prompt, 0, sizeof(v->prompt));
	v->prompt.kind = kind;
	v->status[0] = 0;
	if (kind == PROMPT_FILTER)
		snprintf(v->prompt.text, sizeof(v->prompt.text), "%s", s->filter);
	v->prompt.len = strlen(v->prompt.text);
}

static void set_delay(struct view *v)
{
	char cell[FORMAT_CELL_MAX];
	double s;

	if (!v->prompt.text[0])
		return;
	if (!parse_double(v->prompt.text, &s) || s < DELAY_MIN || s > DELAY_MAX) {
		view_status(v, STYLE_BAD, "not a delay: '%s'; give seconds, 0.05 to 3600",
			    v->prompt.text);
		return;
	}
	v->ops->delay(v->session, s);
	format_fixed(cell, s, 2);
	view_status(v, STYLE_NORMAL, "a refresh every %s s", cell);
}

/* What was typed so far is in force at once, where that makes sense. */
static void apply_text(struct view *v)
{
	struct table_state *s = &v->tables[v->focus];

	if (v->prompt.kind == PROMPT_FILTER)
		snprintf(s->filter, sizeof(s->filter), "%s", v->prompt.text);
	if (v->prompt.kind == PROMPT_SEARCH)
		snprintf(s->search, sizeof(s->search), "%s", v->prompt.text);
}

static void accept(struct view *v)
{
	enum prompt_kind kind = v->prompt.kind;

	apply_text(v);
	if (kind == PROMPT_DELAY)
		set_delay(v);
	if (kind == PROMPT_SEARCH)
		table_act(&v->tables[v->focus], ACTION_SEARCH_NEXT);
	v->prompt.kind = PROMPT_NONE;
}

static void cancel(struct view *v)
{
	v->prompt.text[0] = 0;
	apply_text(v);
	v->prompt.kind = PROMPT_NONE;
}

static void answer(struct view *v, int key)
{
	enum prompt_kind kind = v->prompt.kind;
	bool yes = key == 'y' || key == 'Y' || key == K_ENTER;

	v->prompt.kind = PROMPT_NONE;
	/* Asking twice would be a trap: the second q quits. */
	if (kind == PROMPT_QUIT && (yes || key == 'q' || key == K_CTRL('C') || key == K_F(10)))
		v->ops->quit(v->session);
	else if (yes && kind == PROMPT_RATE_UP)
		v->ops->rate(v->session, 1);
	else if (yes && kind == PROMPT_RATE_DOWN)
		v->ops->rate(v->session, -1);
}

static void erase_char(struct prompt *p)
{
	while (p->len && ((unsigned char)p->text[p->len - 1] & 0xc0) == 0x80)
		p->len--;
	if (p->len)
		p->len--;
	p->text[p->len] = 0;
}

static void type_char(struct prompt *p, int key)
{
	char bytes[5] = "";
	size_t n = 0;

	if (key < 0x80) {
		bytes[n++] = (char)key;
	} else if (key < 0x800) {
		bytes[n++] = (char)(0xc0 | (key >> 6));
	} else if (key < 0x10000) {
		bytes[n++] = (char)(0xe0 | (key >> 12));
		bytes[n++] = (char)(0x80 | ((key >> 6) & 0x3f));
	} else {
		bytes[n++] = (char)(0xf0 | (key >> 18));
		bytes[n++] = (char)(0x80 | ((key >> 12) & 0x3f));
		bytes[n++] = (char)(0x80 | ((key >> 6) & 0x3f));
	}
	if (key >= 0x80)
		bytes[n++] = (char)(0x80 | (key & 0x3f));
	if (p->len + n >= sizeof(p->text))
		return;
	memcpy(p->text + p->len, bytes, n);
	p->len += n;
	p->text[p->len] = 0;
}

/* True when the key was for the prompt. */
bool prompt_key(struct view *v, int key)
{
	if (key == K_CTRL('Z') || key == K_CTRL('L'))
		return false;
	if (is_question(v->prompt.kind)) {
		answer(v, key);
		return true;
	}
	if (key == K_CTRL('C')) {
		cancel(v);
		return false;
	}
	if (key == K_ENTER) {
		accept(v);
	} else if (key == K_ESC) {
		cancel(v);
	} else if (key == K_BACKSPACE || key == K_CTRL('H')) {
		erase_char(&v->prompt);
		apply_text(v);
	} else if (key == K_CTRL('U')) {
		v->prompt.len = 0;
		v->prompt.text[0] = 0;
		apply_text(v);
	} else if (key >= 0x20 && key < 0x110000) {
		type_char(&v->prompt, key);
		apply_text(v);
	}
	return true;
}

void prompt_draw(const struct view *v, struct canvas *c, int y)
{
	int used;

	canvas_style(c, 0, y, c->width, STYLE_NORMAL);
	used = canvas_text(c, 0, y, -1, STYLE_WARNING, prompt_words(v->prompt.kind));
	used += canvas_text(c, used, y, -1, STYLE_STRONG, v->prompt.text);
	if (!is_question(v->prompt.kind))
		used += canvas_text(c, used, y, -1, STYLE_SELECTED, " ");
	for (; used < c->width; used++)
		canvas_text(c, used, y, 1, STYLE_NORMAL, " ");
}
