/* cputop-keeper: starts one program, reaps everything below it, and ends the tree when cputop says
 * so or has itself ended. Not for use by hand; see keeper.h. */
#include "config.h"

#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/asan.h"
#include "lib/format.h"
#include "proc/keeper.h"

enum keeper_option {
	OPT_NAME = 1,
	OPT_STOP,
	OPT_EOF,
	OPT_DEATH,
	OPT_KILL_AFTER,
	OPT_UID,
	OPT_GID,
	OPT_GROUPS,
	OPT_CWD,
	OPT_NOFILE,
	OPT_FDS
};

static const struct option options[] = {
	{"name", required_argument, NULL, OPT_NAME}, /* only seen in process lists */
	{"stop-signal", required_argument, NULL, OPT_STOP},
	{"eof-signal", required_argument, NULL, OPT_EOF},
	{"death-signal", required_argument, NULL, OPT_DEATH},
	{"kill-after", required_argument, NULL, OPT_KILL_AFTER},
	{"uid", required_argument, NULL, OPT_UID},
	{"gid", required_argument, NULL, OPT_GID},
	{"groups", required_argument, NULL, OPT_GROUPS},
	{"cwd", required_argument, NULL, OPT_CWD},
	{"nofile", required_argument, NULL, OPT_NOFILE},
	{"fds", required_argument, NULL, OPT_FDS},
	{NULL, 0, NULL, 0},
};

static bool number(const char *s, uint64_t max, uint64_t *out)
{
	return parse_u64(s, out) && *out <= max;
}

/* Reads "1,2,3" into at most max numbers. */
static bool numbers(char *s, size_t max, uint64_t *out, size_t *n)
{
	char *item;

	for (*n = 0; (item = strsep(&s, ","));) {
		if (*n == max || !number(item, UINT32_MAX, &out[*n]))
			return false;
		++*n;
	}
	return true;
}

static bool set_groups(struct keeper_options *o, char *s)
{
	static uint64_t values[KEEPER_GROUPS_MAX];

	if (!numbers(s, KEEPER_GROUPS_MAX, values, &o->ngroups))
		return false;
	for (size_t i = 0; i < o->ngroups; i++)
		o->groups[i] = (gid_t)values[i];
	return true;
}

static bool set_fds(struct keeper_options *o, char *s)
{
	uint64_t values[KEEPER_FDS_MAX];

	if (!numbers(s, KEEPER_FDS_MAX, values, &o->ntargets))
		return false;
	for (size_t i = 0; i < o->ntargets; i++) {
		if (values[i] < 3 || values[i] > 1000)
			return false;
		o->targets[i] = (int)values[i];
	}
	return true;
}

static bool set_signal(int *out, const char *s)
{
	uint64_t v;

	if (!number(s, SIGRTMIN - 1, &v) || v == 0)
		return false;
	*out = (int)v;
	return true;
}

static bool set_option(struct keeper_options *o, enum keeper_option which, char *value)
{
	uint64_t v = 0;

	switch (which) {
	case OPT_NAME:
		return true;
	case OPT_STOP:
		return set_signal(&o->stop_signal, value);
	case OPT_EOF:
		return set_signal(&o->eof_signal, value);
	case OPT_DEATH:
		return set_signal(&o->death_signal, value);
	case OPT_KILL_AFTER:
		if (!number(value, 3600000, &v))
			return false;
		o->kill_after_ms = (unsigned)v;
		return true;
	case OPT_UID:
		o->drop = number(value, UINT32_MAX - 1, &v);
		o->uid = (uid_t)v;
		return o->drop;
	case OPT_GID:
		o->have_gid = number(value, UINT32_MAX - 1, &v);
		o->gid = (gid_t)v;
		return o->have_gid;
	case OPT_GROUPS:
		return set_groups(o, value);
	case OPT_CWD:
		o->cwd = value;
		return true;
	case OPT_NOFILE:
		if (!number(value, ULONG_MAX, &v))
			return false;
		o->nofile = (unsigned long)v;
		return true;
	case OPT_FDS:
		return set_fds(o, value);
	}
	return false;
}

static bool parse(struct keeper_options *o, int argc, char **argv)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (c == '?' || !set_option(o, (enum keeper_option)c, optarg))
			return false;
	}
	o->argv = argv + optind;
	return optind < argc && o->drop == o->have_gid && (!o->drop || o->uid != 0);
}

int main(int argc, char **argv)
{
	static struct keeper_options o = {.stop_signal = SIGTERM,
					  .eof_signal = SIGTERM,
					  .death_signal = SIGKILL,
					  .kill_after_ms = 500,
					  .cwd = "/"};
	char text[KEEPER_TEXT_MAX];

	if (!parse(&o, argc, argv)) {
		fputs("cputop-keeper is started by cputop, not by hand; run cputop.\n", stderr);
		return 2;
	}
	if (keeper_prepare(&o, text) < 0) {
		keeper_say("failed %s", text);
		return 1;
	}
	return keeper_run(&o);
}
