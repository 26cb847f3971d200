/*
 * The processes below one, read from /proc. For a subreaper such as the keeper these are all that
 * its program ever started, however often they forked or changed their session.
 */
#ifndef CPUTOP_DESCENDANTS_H
#define CPUTOP_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

/* Sends sig to every descendant of root that is alive, parents before their children, so that a
 * parent cannot replace a child that was just killed. Returns to how many it was sent. */
size_t descendants_signal(pid_t root, int sig);

#endif
