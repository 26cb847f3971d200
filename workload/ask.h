/*
 * A question of cputop to all connections of a pool, "N SQL": what they know of themselves and
 * nobody else can ask (prepared statements), or what they should do (hand in their statistics).
 * Rows of a name and two numbers are added up by name over the connections.
 */
#ifndef CPUTOP_ASK_H
#define CPUTOP_ASK_H

#include <stdbool.h>
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
	unsigned pending; /* of this worker and the others of its crew, who has yet to answer */
	struct control *control; /* borrowed: where the answer goes */
};

/* Asks; "answer N NAME A B" for each name and then "answered N" go up, once so many others have
 * answered, too. A line that is not like that is ignored. Takes the place of a question that is
 * under way. */
void ask_begin(struct ask *a, struct pool *pool, struct control *control, unsigned others,
	       char *text);
/* A line of another worker's; false: it is no part of an answer. */
bool ask_other(struct ask *a, const char *line);
void ask_release(struct ask *a);

#endif
