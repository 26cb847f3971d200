/*
 * How the calls of the client library wait for the server, which is all that the two libraries
 * differ in. MariaDB's Connector/C begins a call, says what it waits for and goes on with it
 * (my_poll.c). Oracle's libmysqlclient cannot do that with prepared statements: each call blocks in
 * a thread (my_thread.c). configure takes one of the two. For src/db/my*.c only.
 */
#ifndef CPUTOP_MY_WAIT_H
#define CPUTOP_MY_WAIT_H

#include <mysql.h>

#define MY_CONNECT_TIMEOUT_S 10

struct my;
struct my_wait;

enum my_call {
	MY_NOTHING, /* for steps that are done at once; not for my_wait_begin */
	MY_CONNECT,
	MY_SELECT_DB,
	MY_QUERY,
	MY_STORE,
	MY_NEXT,
	MY_PREPARE,
	MY_EXECUTE,
	MY_STMT_STORE,
	MY_STMT_NEXT,
};

/* What the library has to be told before it connects. */
void my_wait_options(MYSQL *mysql);

struct my_wait *my_wait_new(struct my *my);
/* Begins a call; what it returns is left in my. 1: it is done; 0: my_called comes from the loop,
 * unless it is stopped before; a negative errno: it cannot be waited for. */
int my_wait_begin(struct my *my, enum my_call call);
/* It is connected: from now on my_idle_event comes when the server says something, or goes, while
 * no call is under way. 0 or a negative errno. */
int my_wait_idle(struct my *my);
/* Neither comes any more. */
void my_wait_stop(struct my *my);
/* Stops; my_closed comes, here or from the loop, when no call is under way and the socket is not
 * watched any more. */
void my_wait_close(struct my *my);
void my_wait_free(struct my_wait *wait); /* after the library's own end */

#endif
