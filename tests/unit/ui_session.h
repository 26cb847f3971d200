/* A session that does nothing but write down what it was asked for: "window;rate+;". */
#ifndef CPUTOP_TESTS_UI_SESSION_H
#define CPUTOP_TESTS_UI_SESSION_H

#include "model/session_ops.h"

struct session {
	char asked[200];
};

extern const struct session_ops ui_session_ops;

#endif
