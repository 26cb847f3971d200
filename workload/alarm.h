/*
 * A timer with the resolution of the kernel's, on the loop (uv_timer counts in milliseconds). One
 * instant at a time.
 */
#ifndef CPUTOP_ALARM_H
#define CPUTOP_ALARM_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct err;

struct alarm {
	uv_poll_t poll;
	int fd; /* owned; -1 when closed */
	bool armed;
	void (*cb)(void *arg);
	void *arg;
};

/* Returns 0, or a negative errno with err; the alarm is then as closed. */
int alarm_init(struct alarm *a, uv_loop_t *loop, void (*cb)(void *arg), void *arg, struct err *err);
/* Calls cb once at the instant (CLOCK_MONOTONIC), at once when it has passed. Takes the place of an
 * earlier one. */
void alarm_set(struct alarm *a, uint64_t at_ns);
void alarm_stop(struct alarm *a);
/* The handle closes with the loop's next turn. Closing twice is fine. */
void alarm_close(struct alarm *a);

#endif
