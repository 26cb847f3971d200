/* What the command line, the environment and the rc file ask for. */
#ifndef CPUTOP_APP_OPTIONS_H
#define CPUTOP_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/options.h"
#include "lib/vec.h"
#include "model/counters.h"
#include "model/dialect.h"
#include "model/workload.h"
#include "server/server.h"

struct app_options {
	struct workload workload;
	enum dialect dialects[DIALECT_COUNT];
	size_t ndialects;               /* 0: not asked for */
	struct vec_of(char *) variants; /* owned strings; empty: the default of the mode */
	char *base;                     /* owned, NULL: the first variant */
	bool batch, list_variants, help, version;
	bool fresh_server, keep, no_mouse;
	double delay_s;
	unsigned iterations; /* 0: until it is ended */
	enum counter_source counters;
	unsigned icount_roles; /* 1u << role, with COUNTERS_ICOUNT */
	enum cpu_source cpu;
	char *json, *output; /* owned, NULL: none */
	/* of the private servers */
	char *server_bin[DIALECT_COUNT]; /* owned, NULL: searched for */
	/* the variable that gave it, in from_environment; NULL: an option or the rc file did */
	const char *server_bin_variable[DIALECT_COUNT];
	unsigned server_port[DIALECT_COUNT];
	bool server_port_asked[DIALECT_COUNT];
	struct vec_of(struct server_setting) settings[DIALECT_COUNT];
	char *server_user, *user;               /* owned, NULL: the default */
	struct vec_of(char *) from_environment; /* owned names of variables */
};

extern const struct option_table app_option_table;

void app_options_init(struct app_options *o);
void app_options_release(struct app_options *o);
/* Path of the rc file ($XDG_CONFIG_HOME/cputop/cputoprc) into out; false when there is no home. */
bool app_rc_path(char *out, size_t size);
/* rc file, then environment, then command line; checks what belongs together. Returns 0 or -EINVAL
 * with err. */
int app_options_load(struct app_options *o, int argc, char **argv, struct err *err);

#endif
