/* The key table, and the words made from it. */
#include "config.h"

#include "ui/keys.h"

#include <stdio.h>
#include <string.h>

#define SESSION KEYS_SESSION
#define SCREENS KEYS_SCREENS
#define MOVE    KEYS_MOVE
#define TABLE   KEYS_TABLE
#define DISPLAY KEYS_DISPLAY

/* Bindings that stand together in the help have the same words. */
#define DATABASES "next, previous database"
#define VARIANTS  "next, previous variant"
#define RATE      "more, fewer jobs/s"
#define TABS      "next, previous screen"

#define MAIN (IN_ALL & ~(IN_WHERE | IN_HELP))

/* Keys, action, group, where, help, label, where in the footer, rank. The footer has them in this
 * order. */
static const struct key_binding bindings[] = {
	{{'w'}, ACTION_WINDOW, SESSION, IN_ALL, "start a window, or cancel", "Window", IN_LIVE, 4},
	{{'b'}, ACTION_DIALECT_NEXT, SESSION, IN_ALL, DATABASES, "Database", IN_LIVE, 6},
	{{'B'}, ACTION_DIALECT_PREV, SESSION, IN_ALL, DATABASES, NULL, 0, 0},
	{{'v'}, ACTION_VARIANT_NEXT, SESSION, IN_ALL, VARIANTS, "Variant", IN_LIVE, 3},
	{{'V'}, ACTION_VARIANT_PREV, SESSION, IN_ALL, VARIANTS, NULL, 0, 0},
	{{'a'},
	 ACTION_ALL,
	 SESSION,
	 IN_ALL,
	 "run the plan, or stop it",
	 "All",
	 IN_LIVE | IN_RESULTS,
	 7},
	{{'+', '='}, ACTION_RATE_UP, SESSION, IN_ALL, RATE, NULL, 0, 0},
	{{'-'}, ACTION_RATE_DOWN, SESSION, IN_ALL, RATE, NULL, 0, 0},
	{{'r'}, ACTION_RESTART, SESSION, IN_ALL, "restart after a failure", "Restart", 0, 1},
	{{K_ENTER},
	 ACTION_ENTER,
	 SCREENS,
	 IN_LIVE | IN_MESSAGES,
	 "where: the row's details",
	 "Where",
	 IN_LIVE,
	 5},
	{{'J'},
	 ACTION_DUMP,
	 SESSION,
	 IN_ALL,
	 "save a JSON snapshot",
	 "Save",
	 IN_LIVE | IN_RESULTS,
	 8},
	{{'1'},
	 ACTION_SCREEN_LIVE,
	 SCREENS,
	 IN_ALL,
	 "live: a job's cost now",
	 "Live",
	 MAIN & ~IN_LIVE,
	 10},
	{{'2'}, ACTION_SCREEN_RESULTS, SCREENS, IN_ALL, "results of all variants", NULL, 0, 0},
	{{'4'}, ACTION_SCREEN_LATENCY, SCREENS, IN_ALL, "latency and progress", NULL, 0, 0},
	{{'5'}, ACTION_SCREEN_MESSAGES, SCREENS, IN_ALL, "messages", NULL, 0, 0},
	{{'6'}, ACTION_SCREEN_ENVIRONMENT, SCREENS, IN_ALL, "environment", NULL, 0, 0},
	{{K_TAB}, ACTION_SCREEN_NEXT, SCREENS, IN_ALL, TABS, "Next", MAIN & ~IN_LIVE, 13},
	{{K_BACK_TAB}, ACTION_SCREEN_PREV, SCREENS, IN_ALL, TABS, NULL, 0, 0},
	{{'e'}, ACTION_MESSAGES, SCREENS, IN_ALL, "messages, and back", NULL, 0, 0},
	{{'k', K_UP}, ACTION_UP, MOVE, IN_ALL, "up, down", NULL, 0, 0},
	{{'j', K_DOWN}, ACTION_DOWN, MOVE, IN_ALL, "up, down", NULL, 0, 0},
	{{K_PAGE_UP}, ACTION_PAGE_UP, MOVE, IN_ALL, "a page up, down", NULL, 0, 0},
	{{K_PAGE_DOWN}, ACTION_PAGE_DOWN, MOVE, IN_ALL, "a page up, down", NULL, 0, 0},
	{{K_HOME}, ACTION_HOME, MOVE, IN_ALL, "first, last row", NULL, 0, 0},
	{{K_END}, ACTION_END, MOVE, IN_ALL, "first, last row", NULL, 0, 0},
	{{K_LEFT}, ACTION_FOLD, MOVE, IN_TABLES, "fold, unfold the branch", NULL, 0, 0},
	{{K_RIGHT}, ACTION_UNFOLD, MOVE, IN_TABLES, "fold, unfold the branch", NULL, 0, 0},
	{{'t', K_F(5)}, ACTION_TREE, MOVE, IN_TABLES, "fold, unfold the tree", NULL, 0, 0},
	{{'c'},
	 ACTION_COMMAND_LINES,
	 TABLE,
	 IN_LIVE | IN_WHERE,
	 "whole command lines",
	 "Command lines",
	 IN_WHERE,
	 3},
	{{'H'}, ACTION_THREADS, TABLE, IN_LIVE | IN_WHERE, "threads on, off", NULL, 0, 0},
	{{'K'}, ACTION_KERNEL, TABLE, IN_ALL, "user and kernel apart", NULL, 0, 0},
	{{'<'}, ACTION_SORT_PREV, TABLE, IN_TABLES, "sort by another column", NULL, 0, 0},
	{{'>', K_F(6)},
	 ACTION_SORT_NEXT,
	 TABLE,
	 IN_TABLES,
	 "sort by another column",
	 "Sort",
	 (MAIN & ~IN_LIVE) | IN_WHERE,
	 15},
	{{'R', 'I'}, ACTION_REVERSE, TABLE, IN_TABLES, "reverse the order", NULL, 0, 0},
	{{'f', K_F(4)},
	 ACTION_FILTER,
	 TABLE,
	 IN_TABLES,
	 "only rows with a text",
	 "Filter",
	 (MAIN & ~IN_LIVE) | IN_WHERE,
	 14},
	{{'/', K_F(3)}, ACTION_SEARCH, TABLE, IN_TABLES, "search, next", NULL, 0, 0},
	{{'n'}, ACTION_SEARCH_NEXT, TABLE, IN_TABLES, "search, next", NULL, 0, 0},
	{{'F'}, ACTION_FOLLOW, TABLE, IN_TABLES, "cursor follows its row", NULL, 0, 0},
	{{' ', 'Z'}, ACTION_FREEZE, DISPLAY, IN_ALL, "freeze; measuring goes on", "Go on", 0, 1},
	{{'d', 's'}, ACTION_DELAY, DISPLAY, IN_ALL, "seconds between refreshes", NULL, 0, 0},
	{{'y'}, ACTION_COPY, DISPLAY, IN_ALL, "copy the table (OSC 52)", "Copy", IN_RESULTS, 16},
	{{'z'}, ACTION_COLOURS, DISPLAY, IN_ALL, "colours: dark, light, mono", NULL, 0, 0},
	{{'W'}, ACTION_WRITE_RC, DISPLAY, IN_ALL, "write the rc file", NULL, 0, 0},
	{{K_CTRL('L')}, ACTION_REDRAW, DISPLAY, IN_ALL, "draw everything again", NULL, 0, 0},
	{{K_CTRL('Z')}, ACTION_SUSPEND, DISPLAY, IN_ALL, "suspend; voids a window", NULL, 0, 0},
	{{K_ESC},
	 ACTION_CLOSE,
	 SCREENS,
	 IN_ALL,
	 "close, end a filter",
	 "Close",
	 IN_WHERE | IN_HELP,
	 1},
	{{'?', 'h', K_F(1)},
	 ACTION_HELP,
	 SCREENS,
	 IN_ALL,
	 "this help",
	 "Help",
	 IN_ALL & ~IN_HELP,
	 2},
	{{'q', K_F(10), K_CTRL('C')}, ACTION_QUIT, SESSION, IN_ALL, "quit", "Quit", IN_ALL, 0},
};

size_t keys_count(void)
{
	return sizeof(bindings) / sizeof(bindings[0]);
}

const struct key_binding *keys_at(size_t i)
{
	return i < keys_count() ? &bindings[i] : NULL;
}

const char *keys_group_name(enum key_group g)
{
	static const char *const names[KEYS_GROUP_COUNT] = {
		[KEYS_SESSION] = "MEASURING", [KEYS_SCREENS] = "SCREENS", [KEYS_MOVE] = "MOVING",
		[KEYS_TABLE] = "TABLES",      [KEYS_DISPLAY] = "DISPLAY",
	};

	return g < KEYS_GROUP_COUNT ? names[g] : "";
}

const struct key_binding *keys_lookup(int key, unsigned where)
{
	if (key <= 0)
		return NULL;
	for (size_t i = 0; i < keys_count(); i++) {
		for (int k = 0; k < KEYS_EACH; k++) {
			if (bindings[i].keys[k] == key && (bindings[i].where & where))
				return &bindings[i];
		}
	}
	return NULL;
}

static const char *special_name(int key)
{
	static const struct {
		int key;
		const char *name;
	} names[] = {
		{' ', "Space"},      {K_ENTER, "Enter"},    {K_TAB, "Tab"},
		{K_ESC, "Esc"},      {K_BACKSPACE, "Bksp"}, {K_UP, "Up"},
		{K_DOWN, "Down"},    {K_LEFT, "Left"},      {K_RIGHT, "Right"},
		{K_PAGE_UP, "PgUp"}, {K_PAGE_DOWN, "PgDn"}, {K_HOME, "Home"},
		{K_END, "End"},      {K_BACK_TAB, "S-Tab"}, {K_DELETE, "Del"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].key == key)
			return names[i].name;
	}
	return NULL;
}

void keys_name(int key, char out[KEY_NAME_MAX])
{
	const char *name = special_name(key);

	if (name)
		snprintf(out, KEY_NAME_MAX, "%s", name);
	else if (key > K_F0 && key <= K_LAST)
		snprintf(out, KEY_NAME_MAX, "F%d", (key - K_F0) & 0x1f);
	else if (key > 0 && key < 27)
		snprintf(out, KEY_NAME_MAX, "Ctrl-%c", key + '@');
	else if (key > 0x20 && key < 0x7f)
		snprintf(out, KEY_NAME_MAX, "%c", key);
	else
		snprintf(out, KEY_NAME_MAX, "?");
}

void keys_names(const struct key_binding *b, char *out, size_t size)
{
	size_t len = 0;

	if (size == 0)
		return;
	out[0] = 0;
	for (int k = 0; k < KEYS_EACH && b->keys[k]; k++) {
		char name[KEY_NAME_MAX];
		int n;

		keys_name(b->keys[k], name);
		n = snprintf(out + len, size - len, "%s%s", len ? " " : "", name);
		if (n < 0 || (size_t)n >= size - len)
			return;
		len += (size_t)n;
	}
}
