/*
 * A question of cputop to all connections of a pool, "N SQL": what they know of themselves and
 * nobody else can ask (prepared statements), or what they should do (hand in their statistics).
 * Rows of a name and two numbers are added up by name over the connections.
 */
#ifndef CPUTOP_ASK_H
#define CPUTOP_ASK_H

#include <stddef.h>
#include <stdint.h>

struct control;
struct pool;

struct ask_row {
	char *name; /* owned */
	uint64_t a, b;
};

struct ask {
	char number[24];
	struct ask_row *rows; /* owned */
	size_t nrows;
	struct control *control; /* borrowed: where the answer goes */
};

/* Asks; "answer N NAME A B" for each name and then "answered N" go up. A line that is not like that
 * is ignored. Takes the place of a question that is under way. */
void ask_begin(struct ask *a, struct pool *pool, struct control *control, char *text);
void ask_release(struct ask *a);

#endif
