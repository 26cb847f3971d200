/* The machine as JSON. For snapshot.c and check_json.c. */
#ifndef CPUTOP_SNAPSHOT_HOST_H
#define CPUTOP_SNAPSHOT_HOST_H

#include <jansson.h>

#include "model/host.h"

json_t *snapshot_host(const struct host *h);

#endif
