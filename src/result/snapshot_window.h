/* The part of the snapshot that is one window. For snapshot.c. */
#ifndef CPUTOP_SNAPSHOT_WINDOW_H
#define CPUTOP_SNAPSHOT_WINDOW_H

#include <jansson.h>

#include "model/result.h"
#include "model/window.h"

const char *counter_key(enum counter c); /* "instructions", "cycles", "cpu_ns" */
const char *work_key(enum work k);       /* "statements", ... */
json_t *snapshot_histogram(const struct histogram *h);
json_t *snapshot_window(const struct window *w);

#endif
