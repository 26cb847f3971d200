/* What the parts of the option parser share. */
#ifndef CPUTOP_OPTIONS_INTERNAL_H
#define CPUTOP_OPTIONS_INTERNAL_H

#include <stdbool.h>

#include "lib/options.h"

/* Stores value, as it stands in the rc file or in a variable: "yes" or "no" for an option without
 * argument. The text of err does not name the option. */
int option_set_text(const struct option_spec *spec, void *target, const char *value,
		    struct err *err);

#endif
