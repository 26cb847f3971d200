/* What "cputop check" found out, as JSON: contrib/check.schema.json says what is in it. */
#ifndef CPUTOP_CHECK_JSON_H
#define CPUTOP_CHECK_JSON_H

#include "model/check.h"

struct err;

/* path "-" is standard output. Returns 0 or a negative errno with err. */
int check_json_write(const struct check *c, const char *path, struct err *err);

#endif
