/*
 * The keys: one const table says which key does what, where, and in which words. Help, footer and
 * dispatch read it; there is no other list.
 */
#ifndef CPUTOP_KEYS_H
#define CPUTOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key: a code point (1..26: Ctrl-A..Ctrl-Z), or one of these. */
enum {
	K_ENTER = 13,
	K_TAB = 9,
	K_ESC = 27,
	K_BACKSPACE = 127,
	K_UP = 0x200000,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_HOME,
	K_END,
	K_BACK_TAB,
	K_DELETE,
	K_F0, /* K_F0 + 1: F1 */
	K_LAST = K_F0 + 24,
};
#define K_CTRL(letter) ((letter)&0x1f)
#define K_F(n)         (K_F0 + (n))

enum action {
	ACTION_NONE,
	/* the session */
	ACTION_WINDOW,
	ACTION_DIALECT_NEXT,
	ACTION_DIALECT_PREV,
	ACTION_VARIANT_NEXT,
	ACTION_VARIANT_PREV,
	ACTION_ALL,
	ACTION_RATE_UP,
	ACTION_RATE_DOWN,
	ACTION_RESTART,
	ACTION_DUMP,
	ACTION_QUIT,
	/* screens */
	ACTION_SCREEN_NEXT,
	ACTION_SCREEN_PREV,
	ACTION_SCREEN_LIVE,
	ACTION_SCREEN_RESULTS,
	ACTION_SCREEN_LATENCY,
	ACTION_SCREEN_MESSAGES,
	ACTION_SCREEN_ENVIRONMENT,
	ACTION_MESSAGES,
	ACTION_HELP,
	ACTION_ENTER,
	ACTION_CLOSE,
	/* moving */
	ACTION_UP,
	ACTION_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_HOME,
	ACTION_END,
	ACTION_FOLD,
	ACTION_UNFOLD,
	ACTION_TREE,
	/* what is shown */
	ACTION_SORT_PREV,
	ACTION_SORT_NEXT,
	ACTION_REVERSE,
	ACTION_FILTER,
	ACTION_SEARCH,
	ACTION_SEARCH_NEXT,
	ACTION_FOLLOW,
	ACTION_COMMAND_LINES,
	ACTION_THREADS,
	ACTION_KERNEL,
	/* the display */
	ACTION_FREEZE,
	ACTION_DELAY,
	ACTION_COPY,
	ACTION_COLOURS,
	ACTION_REDRAW,
	ACTION_WRITE_RC,
	ACTION_SUSPEND,
	ACTION_COUNT
};

/* Where a key has a meaning. */
enum {
	IN_LIVE = 1,
	IN_RESULTS = 2,
	IN_LATENCY = 4,
	IN_MESSAGES = 8,
	IN_ENVIRONMENT = 16,
	IN_WHERE = 32,
	IN_HELP = 64,
	IN_TABLES = IN_LIVE | IN_RESULTS | IN_LATENCY | IN_MESSAGES | IN_ENVIRONMENT | IN_WHERE,
	IN_ALL = IN_TABLES | IN_HELP,
};

enum key_group {
	KEYS_SESSION,
	KEYS_SCREENS,
	KEYS_MOVE,
	KEYS_TABLE,
	KEYS_DISPLAY,
	KEYS_GROUP_COUNT
};

#define KEYS_EACH 4
struct key_binding {
	int keys[KEYS_EACH]; /* 0 when unused; the first one stands in the footer */
	enum action action;
	enum key_group group;
	unsigned where;       /* IN_*: where it works */
	const char *help;     /* one line */
	const char *label;    /* in the footer; NULL: not there */
	unsigned footer;      /* IN_*: where it stands in the footer */
	unsigned footer_rank; /* the highest go first when it gets narrow */
};

size_t keys_count(void);
const struct key_binding *keys_at(size_t i);
const char *keys_group_name(enum key_group g);
/* The binding of a key at a place (one of IN_*), NULL when it has none. */
const struct key_binding *keys_lookup(int key, unsigned where);
#define KEY_NAME_MAX 16
/* "q", "F10", "Space", "Ctrl-L", "PgUp". */
void keys_name(int key, char out[KEY_NAME_MAX]);
/* All keys of a binding, separated by blanks. */
void keys_names(const struct key_binding *b, char *out, size_t size);

#endif
