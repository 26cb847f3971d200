/*
 * Wake-ups beside the database, for servers that send none: a datagram on loopback, as a queue
 * would publish to Redis. The producer sends one after the commit of a job; those that the loop's
 * turn brings together are one, and those that have arrived when the worker looks are one wake-up.
 * A hint may get lost: polls find the job.
 */
#ifndef CPUTOP_HINT_H
#define CPUTOP_HINT_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "model/workload.h"

struct err;

struct hint_receiver {
	uv_poll_t poll;
	int fd; /* owned; -1 when closed */
	void (*cb)(void *arg);
	void *arg;
};

/* Binds a port of 127.0.0.1 and calls cb from the loop when hints have arrived. Returns the port,
 * or a negative errno with err; the receiver is then as closed. */
int hint_receiver_open(struct hint_receiver *r, uv_loop_t *loop, void (*cb)(void *arg), void *arg,
		       struct err *err);
/* The handle closes with the loop's next turn. Closing twice is fine. */
void hint_receiver_close(struct hint_receiver *r);

struct hint_sender {
	uv_check_t check;
	uv_idle_t idle;                /* keeps the loop from waiting while one has to be sent */
	unsigned n;                    /* of the receivers; 0: closed, or there are none */
	int fds[WORKLOAD_WORKERS_MAX]; /* owned */
};

/* To each port that is not 0. Returns 0, or a negative errno with err. */
int hint_sender_open(struct hint_sender *s, uv_loop_t *loop,
		     const _Atomic uint64_t ports[WORKLOAD_WORKERS_MAX], struct err *err);
/* Sends each a hint at the end of the loop's turn, unless one will be sent then already. */
void hint_send(struct hint_sender *s);
void hint_sender_close(struct hint_sender *s); /* as above */

#endif
