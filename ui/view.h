/*
 * What the user sees and does, without a terminal: the screens, the overlay over them, the prompt,
 * the frozen copy. The frontend gives it keys and a canvas, and does what it asks for (want_*).
 *
 * Frame: header of two lines, the screen (or the overlay in its place), a message line, a footer.
 */
#ifndef CPUTOP_VIEW_H
#define CPUTOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "model/model.h"
#include "model/session_ops.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/table.h"

struct view;

enum screen_id {
	SCREEN_LIVE,
	SCREEN_RESULTS,
	SCREEN_LATENCY,
	SCREEN_MESSAGES,
	SCREEN_ENVIRONMENT,
	SCREEN_COUNT
};

/* Tables whose state lives on between draws. */
enum table_id {
	TABLE_COST,
	TABLE_LIVE_RESULTS,
	TABLE_RESULTS,
	TABLE_WORK,
	TABLE_PROGRESS,
	TABLE_MESSAGES,
	TABLE_FACTS,
	TABLE_PROCESSES,
	TABLE_HELP, /* only its scroll */
	TABLE_ID_COUNT
};

struct screen_ops {
	const char *name;
	unsigned where;          /* IN_* */
	enum table_id tables[2]; /* the cursor goes from one to the next; the same one twice when
				    there is one */
	void (*draw)(struct view *v, const struct model *m, struct canvas *c, struct area a);
	/* Enter; NULL when it does nothing. */
	void (*enter)(struct view *v, const struct model *m);
};
extern const struct screen_ops screen_live, screen_results, screen_latency, screen_messages,
	screen_environment;
extern const struct screen_ops overlay_help, overlay_where, overlay_text;

enum prompt_kind {
	PROMPT_NONE,
	PROMPT_DELAY,
	PROMPT_FILTER,
	PROMPT_SEARCH,
	/* yes or no */
	PROMPT_QUIT,
	PROMPT_RATE_UP,
	PROMPT_RATE_DOWN,
};

struct prompt {
	enum prompt_kind kind;
	char text[TABLE_TEXT_MAX];
	size_t len;
};

#define WHERE_SORT 3 /* its column of CPU time */

/* Which processes the details show. */
struct where {
	bool all;
	enum role role;
	bool has_part;
	enum part part;
};

#define SPARK_LEN 60 /* seconds */

#define FOOTER_HITS 24
struct footer_hit {
	int x0, x1, key; /* a click there is this key */
};

struct view {
	const struct model *model; /* borrowed */
	const struct session_ops *ops;
	struct session *session;
	bool utf8, monochrome;

	enum screen_id screen, back;      /* back: where e came from */
	const struct screen_ops *overlay; /* NULL: none */
	struct where where;
	struct strbuf text; /* of overlay_text */
	bool command_lines, threads;
	enum table_id focus;
	struct table_state tables[TABLE_ID_COUNT];
	struct prompt prompt;

	struct model *frozen; /* owned copy that is drawn instead; NULL: not frozen */
	uint64_t frozen_ns;

	char status[300]; /* what the last key did */
	enum style status_style;
	uint64_t status_until_ns;

	char vs_title[80];
	double sparks[ROLE_COUNT + 1][SPARK_LEN]; /* CPU of the last minute, for the live table */

	unsigned scheme;
	int width, height; /* of the last draw */
	bool stale;        /* a key came since */
	int footer_y;
	struct footer_hit footer[FOOTER_HITS];
	int nfooter;

	/* for the frontend, which takes them back */
	bool want_suspend, want_redraw, want_copy;
};

void view_init(struct view *v, const struct model *model, const struct session_ops *ops,
	       struct session *session, bool utf8);
void view_release(struct view *v);
/* Draws the whole frame. */
void view_draw(struct view *v, struct canvas *c);
void view_key(struct view *v, int key);
/* Mouse, in cells. */
void view_click(struct view *v, int x, int y);
void view_wheel(struct view *v, int step);
/* How long until something that is shown changes by itself, in ms; 0 when nothing does. */
unsigned view_period_ms(const struct view *v);
/* The screen as plain text, all rows of its tables, for the clipboard. */
void view_copy(struct view *v, struct strbuf *out);

/* Between the files of the view. */
const struct screen_ops *view_screen(const struct view *v); /* the overlay, else the screen */
/* The table on this screen that leaves rows out by a filter, the one with the cursor first; NULL:
 * none does. */
struct table_state *view_filtered(struct view *v);
const struct screen_ops *view_screen_at(enum screen_id id);
const struct model *view_model(const struct view *v); /* the frozen one, else the live one */
uint64_t view_now_ns(const struct view *v);           /* the instant that is shown */
void view_status(struct view *v, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void view_action(struct view *v, enum action action);
void view_show(struct view *v, enum screen_id id);
void view_open(struct view *v, const struct screen_ops *overlay);
void view_freeze(struct view *v, bool on);

/* A time that runs: "0.6 s", in steps that can be read. */
void view_elapsed(char out[FORMAT_CELL_MAX], uint64_t ns);

/* prompt.c */
void prompt_open(struct view *v, enum prompt_kind kind);
bool prompt_key(struct view *v, int key);
void prompt_draw(const struct view *v, struct canvas *c, int y);

/* header.c, footer.c */
void header_draw(const struct view *v, const struct model *m, struct canvas *c, int lines);
void message_draw(struct view *v, const struct model *m, struct canvas *c, int y);
void footer_draw(struct view *v, struct canvas *c, int y);

/* notes.c: lines of text below a table */
#define NOTES_MAX 8
struct note {
	enum style style;
	int rank; /* the highest go first when there is no room */
	char text[256];
};
struct notes {
	struct note notes[NOTES_MAX];
	int n;
};
void notes_live(const struct view *v, const struct model *m, struct notes *out);
void notes_missing(const struct model *m, struct notes *out); /* appends why counters are missing */
/* Appends why work could not be counted, and which statements were planned anew. */
void notes_work(const struct model *m, struct notes *out);
/* Draws at most height of them from line y; returns how many lines. */
int notes_draw(const struct notes *notes, struct canvas *c, int y, int height);

/* Parts of screens that others draw as well. cost_table and results_table fill a table that the
 * caller has not initialised; the caller releases it. */
void cost_table(struct view *v, const struct model *m, struct table *t);
void cost_where(const struct model *m, uint64_t id, struct where *out);
void results_table(struct view *v, const struct model *m, struct table *t);
void progress_draw(struct view *v, const struct model *m, struct canvas *c, struct area a);
const struct progress_line *progress_at(const struct model *m, size_t i); /* i-th oldest */

#endif
