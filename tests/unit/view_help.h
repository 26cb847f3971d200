/* A view of a made-up session on a canvas of 80x24: set up for each test, moved by keys. */
#ifndef CPUTOP_TEST_VIEW_HELP_H
#define CPUTOP_TEST_VIEW_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/view.h"
#include "ui_session.h"

struct fixture;

extern struct session session;
extern struct fixture *f;
extern struct view v;
extern struct canvas c;
extern uint64_t now_ns; /* what the clock says */

int view_setup(void **state);
int view_teardown(void **state);
void keys(const char *s);     /* each is drawn */
void key(int k);              /* one that is no letter */
bool shows(const char *text); /* somewhere on the canvas */

#endif
