/* The key table, and the words made from it. */
#include "ui/keys.h"
#include "config.h"

#include <stdio.h>
#include <string.h>

#define SESSION KEYS_SESSION
#define SCREENS KEYS_SCREENS
#define MOVE    KEYS_MOVE
#define TABLE   KEYS_TABLE
#define DISPLAY KEYS_DISPLAY

#define MAIN (IN_ALL & ~(IN_WHERE | IN_HELP))

/* Keys, action, group, where, help, label, where in the footer, rank. The footer has them in this
 * order. */
static const struct key_binding bindings[] = {
	{{'w'},
	 ACTION_WINDOW,
	 SESSION,
	 IN_ALL,
	 "start a window, or cancel the open one",
	 "Window",
	 IN_LIVE,
	 4},
	{{'b'}, ACTION_DIALECT_NEXT, SESSION, IN_ALL, "next database", "Database", IN_LIVE, 6},
	{{'B'}, ACTION_DIALECT_PREV, SESSION, IN_ALL, "previous database", NULL, 0, 0},
	{{'v'}, ACTION_VARIANT_NEXT, SESSION, IN_ALL, "next variant", "Variant", IN_LIVE, 3},
	{{'V'}, ACTION_VARIANT_PREV, SESSION, IN_ALL, "previous variant", NULL, 0, 0},
	{{'a'},
	 ACTION_ALL,
	 SESSION,
	 IN_ALL,
	 "run the whole plan, or stop it",
	 "All",
	 IN_LIVE | IN_RESULTS,
	 7},
	{{'r'}, ACTION_RESTART, SESSION, IN_ALL, "start again after a failure", "Restart", 0, 1},
	{{'+', '='}, ACTION_RATE_UP, SESSION, IN_ALL, "more jobs per second", NULL, 0, 0},
	{{'-'}, ACTION_RATE_DOWN, SESSION, IN_ALL, "fewer jobs per second", NULL, 0, 0},
	{{K_ENTER},
	 ACTION_ENTER,
	 SCREENS,
	 IN_LIVE | IN_MESSAGES,
	 "where: the processes of the row; the whole message",
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
	 "live: what a job costs now",
	 "Live",
	 MAIN & ~IN_LIVE,
	 10},
	{{'2'},
	 ACTION_SCREEN_RESULTS,
	 SCREENS,
	 IN_ALL,
	 "results: variants side by side",
	 "Results",
	 MAIN & ~(IN_LIVE | IN_RESULTS),
	 11},
	{{'4'},
	 ACTION_SCREEN_LATENCY,
	 SCREENS,
	 IN_ALL,
	 "latency, and a line per second",
	 "Latency",
	 MAIN & ~(IN_LIVE | IN_LATENCY),
	 12},
	{{'5'}, ACTION_SCREEN_MESSAGES, SCREENS, IN_ALL, "messages: what happened", NULL, 0, 0},
	{{'6'},
	 ACTION_SCREEN_ENVIRONMENT,
	 SCREENS,
	 IN_ALL,
	 "environment: machine and settings",
	 NULL,
	 0,
	 0},
	{{K_TAB}, ACTION_SCREEN_NEXT, SCREENS, IN_ALL, "next screen", "Next", MAIN & ~IN_LIVE, 13},
	{{K_BACK_TAB}, ACTION_SCREEN_PREV, SCREENS, IN_ALL, "previous screen", NULL, 0, 0},
	{{'e'}, ACTION_MESSAGES, SCREENS, IN_ALL, "messages, and back", NULL, 0, 0},
	{{'k', K_UP}, ACTION_UP, MOVE, IN_ALL, "up", NULL, 0, 0},
	{{'j', K_DOWN}, ACTION_DOWN, MOVE, IN_ALL, "down", NULL, 0, 0},
	{{K_PAGE_UP}, ACTION_PAGE_UP, MOVE, IN_ALL, "a page up", NULL, 0, 0},
	{{K_PAGE_DOWN}, ACTION_PAGE_DOWN, MOVE, IN_ALL, "a page down", NULL, 0, 0},
	{{K_HOME}, ACTION_HOME, MOVE, IN_ALL, "to the first row", NULL, 0, 0},
	{{K_END}, ACTION_END, MOVE, IN_ALL, "to the last row", NULL, 0, 0},
	{{K_LEFT}, ACTION_FOLD, MOVE, IN_TABLES, "fold the branch", NULL, 0, 0},
	{{K_RIGHT}, ACTION_UNFOLD, MOVE, IN_TABLES, "unfold the branch", NULL, 0, 0},
	{{'t', K_F(5)}, ACTION_TREE, MOVE, IN_TABLES, "fold or unfold the tree", NULL, 0, 0},
	{{'c'},
	 ACTION_COMMAND_LINES,
	 TABLE,
	 IN_LIVE | IN_WHERE,
	 "whole command lines",
	 "Command lines",
	 IN_WHERE,
	 3},
	{{'H'}, ACTION_THREADS, TABLE, IN_LIVE | IN_WHERE, "threads", NULL, 0, 0},
	{{'K'}, ACTION_KERNEL, TABLE, IN_ALL, "user and kernel apart", NULL, 0, 0},
	{{'<'}, ACTION_SORT_PREV, TABLE, IN_TABLES, "sort by the column before", NULL, 0, 0},
	{{'>', K_F(6)},
	 ACTION_SORT_NEXT,
	 TABLE,
	 IN_TABLES,
	 "sort by the next column",
	 "Sort",
	 (MAIN & ~IN_LIVE) | IN_WHERE,
	 15},
	{{'R', 'I'}, ACTION_REVERSE, TABLE, IN_TABLES, "sort the other way round", NULL, 0, 0},
	{{'f', K_F(4)},
	 ACTION_FILTER,
	 TABLE,
	 IN_TABLES,
	 "only rows with this text",
	 "Filter",
	 (MAIN & ~IN_LIVE) | IN_WHERE,
	 14},
	{{'/', K_F(3)}, ACTION_SEARCH, TABLE, IN_TABLES, "search", NULL, 0, 0},
	{{'n'}, ACTION_SEARCH_NEXT, TABLE, IN_TABLES, "next that matches", NULL, 0, 0},
	{{'F'}, ACTION_FOLLOW, TABLE, IN_TABLES, "keep the cursor on its row", NULL, 0, 0},
	{{' ', 'Z'},
	 ACTION_FREEZE,
	 DISPLAY,
	 IN_ALL,
	 "freeze the display; measuring goes on",
	 "Go on",
	 0,
	 1},
	{{'d', 's'}, ACTION_DELAY, DISPLAY, IN_ALL, "seconds between two refreshes", NULL, 0, 0},
	{{'y'},
	 ACTION_COPY,
	 DISPLAY,
	 IN_ALL,
	 "copy the screen to the clipboard",
	 "Copy",
	 IN_RESULTS,
	 16},
	{{'z'}, ACTION_COLOURS, DISPLAY, IN_ALL, "colours: dark, light, mono", NULL, 0, 0},
	{{'W'}, ACTION_WRITE_RC, DISPLAY, IN_ALL, "write the settings to the rc file", NULL, 0, 0},
	{{K_CTRL('L')}, ACTION_REDRAW, DISPLAY, IN_ALL, "draw everything again", NULL, 0, 0},
	{{K_CTRL('Z')},
	 ACTION_SUSPEND,
	 DISPLAY,
	 IN_ALL,
	 "suspend; an open window is void",
	 NULL,
	 0,
	 0},
	{{K_ESC},
	 ACTION_CLOSE,
	 SCREENS,
	 IN_ALL,
	 "close what is open",
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
