/* The live screen: the frontend table that main gives to the session. */
#ifndef CPUTOP_UI_H
#define CPUTOP_UI_H

#include "model/session_ops.h"

extern const struct frontend ui_frontend;

#endif
