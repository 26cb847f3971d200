/*
 * The control socket: lines of text both ways. Down come "dsn HOST PORT USER PASSWORD DATABASE
 * SCHEMA" (first, once; SCHEMA may be left out), "start", "rate", "ask N SQL", "stop", "quit"; up
 * go "ready", "answer N WORD A B", "answered N", "stopped", "note TEXT", "error TEXT". Unknown
 * lines are ignored both ways.
 */
#ifndef CPUTOP_CONTROL_H
#define CPUTOP_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#define CONTROL_LINE_MAX 1024

struct err;
struct strbuf;
struct db_dsn;

struct control {
	uv_poll_t poll;
	int fd; /* borrowed; -1 when closed */
	char buf[CONTROL_LINE_MAX];
	size_t len;
	/* Each line without its newline, in memory that is wiped afterwards; NULL at the end. */
	void (*line)(void *arg, char *line);
	void *arg;
};

/* Returns 0, or a negative errno with err. */
int control_init(struct control *c, uv_loop_t *loop, int fd, void (*line)(void *arg, char *line),
		 void *arg, struct err *err);
/* Sends "WORD" or "WORD TEXT" as one line; does nothing when nobody reads. */
void control_send(struct control *c, const char *word, const char *text);
void control_write(struct control *c, const struct strbuf *lines); /* whole lines, as they are */
/* Closing twice is fine. */
void control_close(struct control *c);

/* Reads what follows "dsn " into dsn, taking the line apart. False when it is not like that. */
bool control_parse_dsn(char *text, struct db_dsn *dsn);

#endif
