/*
 * The option table: one row an option. The parser, --help, the environment, the rc file, the W key
 * and the test of the manual page all read it. A setter checks one value; what belongs together is
 * checked in app_options_load.
 */
#include "config.h"

#include "app/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/option_values.h"
#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "model/sample.h"

/* A setter: struct app_options *o, const char *v, struct err *err. */
#define SETTER(name, expr)                                                  \
	static int set_##name(void *target, const char *v, struct err *err) \
	{                                                                   \
		struct app_options *o = target;                             \
		(void)v;                                                    \
		(void)err;                                                  \
		return (expr);                                              \
	}
#define FLAG(name) SETTER(name, (o->name = true, 0))
#define GETTER(name, put)                                              \
	static void get_##name(const void *target, struct strbuf *out) \
	{                                                              \
		const struct app_options *o = target;                  \
		put;                                                   \
	}
#define SECONDS(ns) put_number(out, (double)(ns) / 1e9)
#define W           o->workload

static int set_port(struct app_options *o, enum dialect d, const char *v, struct err *err)
{
	o->server_port_asked[d] = true;
	return value_count(v, 1, 65535, &o->server_port[d], err);
}

static int set_bin(struct app_options *o, enum dialect d, const char *v, struct err *err)
{
	o->server_bin_variable[d] = NULL;
	return value_string(v, &o->server_bin[d], err);
}

static void put_bin(struct strbuf *out, const struct app_options *o, enum dialect d)
{
	strbuf_addstr(out, o->server_bin[d] ? o->server_bin[d] : "");
}

FLAG(batch)
FLAG(list_variants)
FLAG(help)
FLAG(version)
FLAG(fresh_server)
FLAG(keep)
FLAG(no_mouse)
SETTER(delay, value_number(v, 0.05, 3600, &o->delay_s, err))
SETTER(iterations, value_count(v, 1, 1000000000, &o->iterations, err))
SETTER(warmup, value_seconds(v, 0, 86400, &W.warmup_ns, err))
SETTER(measure, value_seconds(v, 0.1, 86400, &W.measure_ns, err))
SETTER(repeat, value_count(v, 1, 1000, &W.repeat, err))
SETTER(names, value_count(v, 1, 100000, &W.names, err))
SETTER(workers, value_count(v, 1, WORKLOAD_WORKERS_MAX, &W.workers, err))
SETTER(concurrency, value_count(v, 1, 1000, &W.concurrency, err))
SETTER(poll_interval, value_seconds(v, 0.01, 86400, &W.poll_interval_ns, err))
SETTER(pool, value_count(v, 1, 80, &W.pool, err))
SETTER(backlog, value_count(v, 1, 1000000, &W.backlog, err))
SETTER(hot_names, value_count(v, 0, 100000, &W.hot_names, err))
SETTER(hot_share, value_number(v, 0, 1, &W.hot_share, err))
SETTER(completed, value_count(v, 0, 1000000000, &W.completed, err))
SETTER(history, value_seconds(v, 0.1, 1e9, &W.history_ns, err))
SETTER(mutex_keys, value_count(v, 0, WORKLOAD_KEYS_MAX, &W.mutex_keys, err))
SETTER(hold, value_seconds(v, 0, 3600, &W.hold_ns, err))
SETTER(blocked, value_count(v, 0, 10000000, &W.blocked, err))
SETTER(queued, value_count(v, 0, 10000000, &W.queued, err))
SETTER(payload, value_count(v, 0, 1000000, &W.payload_bytes, err))
SETTER(enqueue, value_choice(v, "pool", "tx", &W.enqueue_tx, err))
SETTER(enqueue_batch, value_count(v, 1, 1000, &W.enqueue_batch, err))
SETTER(json, value_string(v, &o->json, err))
SETTER(output, value_string(v, &o->output, err))
SETTER(base, value_string(v, &o->base, err))
SETTER(postgres_bin, set_bin(o, DIALECT_POSTGRES, v, err))
SETTER(mysql_bin, set_bin(o, DIALECT_MYSQL, v, err))
SETTER(mariadb_bin, set_bin(o, DIALECT_MARIADB, v, err))
SETTER(server_user, value_string(v, &o->server_user, err))
SETTER(user, value_string(v, &o->user, err))
SETTER(postgres_port, set_port(o, DIALECT_POSTGRES, v, err))
SETTER(mysql_port, set_port(o, DIALECT_MYSQL, v, err))
SETTER(mariadb_port, set_port(o, DIALECT_MARIADB, v, err))

GETTER(delay, put_number(out, o->delay_s))
GETTER(warmup, SECONDS(W.warmup_ns))
GETTER(measure, SECONDS(W.measure_ns))
GETTER(repeat, strbuf_addf(out, "%u", W.repeat))
GETTER(names, strbuf_addf(out, "%u", W.names))
GETTER(workers, strbuf_addf(out, "%u", W.workers))
GETTER(concurrency, strbuf_addf(out, "%u", W.concurrency))
GETTER(poll_interval, SECONDS(W.poll_interval_ns))
GETTER(pool, strbuf_addf(out, "%u", W.pool))
GETTER(backlog, strbuf_addf(out, "%u", W.backlog))
GETTER(hot_names, strbuf_addf(out, "%u", W.hot_names))
GETTER(hot_share, put_number(out, W.hot_share))
GETTER(completed, strbuf_addf(out, "%u", W.completed))
GETTER(history, W.history_ns ? SECONDS(W.history_ns) : (void)0)
GETTER(mutex_keys, strbuf_addf(out, "%u", W.mutex_keys))
GETTER(hold, SECONDS(W.hold_ns))
GETTER(blocked, strbuf_addf(out, "%u", W.blocked))
GETTER(queued, strbuf_addf(out, "%u", W.queued))
GETTER(payload, strbuf_addf(out, "%u", W.payload_bytes))
GETTER(enqueue, strbuf_addstr(out, W.enqueue_tx ? "tx" : "pool"))
GETTER(enqueue_batch, strbuf_addf(out, "%u", W.enqueue_batch))
GETTER(seed, strbuf_addf(out, "%llu", (unsigned long long)W.seed))
GETTER(cpu_source, strbuf_addstr(out, cpu_source_name(o->cpu)))
GETTER(no_mouse, strbuf_addstr(out, o->no_mouse ? "yes" : ""))
GETTER(rate, W.rate_max ? strbuf_addstr(out, "max") : put_number(out, W.rate))
GETTER(postgres_bin, put_bin(out, o, DIALECT_POSTGRES))
GETTER(mysql_bin, put_bin(out, o, DIALECT_MYSQL))
GETTER(mariadb_bin, put_bin(out, o, DIALECT_MARIADB))

static int set_rate(void *target, const char *v, struct err *err)
{
	struct app_options *o = target;

	o->workload.rate_max = !strcmp(v, "max");
	if (o->workload.rate_max)
		return 0;
	return value_number(v, 0, 1e6, &o->workload.rate, err);
}

static int set_seed(void *target, const char *v, struct err *err)
{
	struct app_options *o = target;

	uint64_t seed;

	if (!parse_u64(v, &seed) || seed > INT64_MAX) /* JSON has no larger integers */
		return err_set(err, -EINVAL, "not a whole number up to 2^63 - 1: '%s'", v);
	o->workload.seed = seed;
	return 0;
}

static int set_dialect(void *target, const char *v, struct err *err)
{
	struct app_options *o = target;
	char item[64];
	size_t n = 0;

	while (value_next_item(&v, item, sizeof(item))) {
		enum dialect d;
		bool twice = false;

		if (!dialect_parse(item, &d))
			return err_set(err, -EINVAL,
				       "unknown database '%s'; there are postgres, mariadb, mysql",
				       item);
		for (size_t i = 0; i < n; i++)
			twice = twice || o->dialects[i] == d;
		if (!twice)
			o->dialects[n++] = d;
	}
	o->ndialects = n;
	return n ? 0 : err_set(err, -EINVAL, "it is empty");
}

static void clear_variants(struct app_options *o)
{
	for (size_t i = 0; i < o->variants.len; i++)
		free(o->variants.items[i]);
	o->variants.len = 0;
}

static int set_variant(void *target, const char *v, struct err *err)
{
	struct app_options *o = target;
	char item[4096];

	clear_variants(o);
	while (value_next_item(&v, item, sizeof(item)))
		*vec_push(&o->variants) = xstrdup(item);
	return o->variants.len ? 0 : err_set(err, -EINVAL, "it is empty");
}

/* "icount" or "icount:ROLE,ROLE" */
static int set_icount(struct app_options *o, const char *v, struct err *err)
{
	char item[32];

	o->icount_roles = *v ? 0 : (1u << ROLE_COUNT) - 1;
	if (*v == ':')
		v++;
	while (value_next_item(&v, item, sizeof(item))) {
		unsigned role = 0;

		while (role < ROLE_COUNT && strcmp(item, role_name(role)) != 0)
			role++;
		if (role == ROLE_COUNT)
			return err_set(err, -EINVAL,
				       "unknown role '%s'; use worker, producer or database", item);
		o->icount_roles |= 1u << role;
	}
	if (!o->icount_roles)
		return err_set(err, -EINVAL, "icount: names no role, as in icount:database");
	o->counters = COUNTERS_ICOUNT;
	return 0;
}

static int set_counters(void *target, const char *v, struct err *err)
{
	struct app_options *o = target;

	if (!strncmp(v, "icount", 6) && (!v[6] || v[6] == ':'))
		return set_icount(o, v + 6, err);
	for (enum counter_source s = COUNTERS_AUTO; s <= COUNTERS_NONE; s++) {
		if (!strcmp(v, counter_source_name(s))) {
			o->counters = s;
			o->icount_roles = 0;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "unknown counter source '%s'; use auto, perf, icount or none",
		       v);
}

static void get_counters(const void *target, struct strbuf *out)
{
	const struct app_options *o = target;
	bool all = o->icount_roles == (1u << ROLE_COUNT) - 1;
	const char *sep = ":";

	strbuf_addstr(out, counter_source_name(o->counters));
	for (unsigned r = 0; r < ROLE_COUNT && !all; r++) {
		if (!(o->icount_roles & 1u << r))
			continue;
		strbuf_addf(out, "%s%s", sep, role_name(r));
		sep = ",";
	}
}

static int set_cpu_source(void *target, const char *v, struct err *err)
{
	struct app_options *o = target;

	for (enum cpu_source s = CPU_AUTO; s <= CPU_CGROUP; s++) {
		if (!strcmp(v, cpu_source_name(s))) {
			o->cpu = s;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "unknown CPU source '%s'; use auto, clocks or cgroup", v);
}

/* ENGINE:NAME=VALUE */
static int set_setting(void *target, const char *v, struct err *err)
{
	struct app_options *o = target;
	const char *colon = strchr(v, ':'), *equals = colon ? strchr(colon, '=') : NULL;
	struct server_setting *s;
	char engine[32] = "";
	enum dialect d;

	if (!equals || equals == colon + 1)
		return err_set(err, -EINVAL,
			       "'%s' is not ENGINE:NAME=VALUE, as in "
			       "postgres:shared_buffers=1GB",
			       v);
	snprintf(engine, sizeof(engine), "%.*s", (int)(colon - v), v);
	if (!dialect_parse(engine, &d))
		return err_set(err, -EINVAL,
			       "unknown database '%s'; there are postgres, mariadb, mysql", engine);
	if (equals - colon > (long)sizeof(s->name) || strlen(equals + 1) >= sizeof(s->value))
		return err_set(err, -EINVAL, "'%s' is too long", v);
	s = vec_push(&o->settings[d]);
	snprintf(s->name, sizeof(s->name), "%.*s", (int)(equals - colon - 1), colon + 1);
	snprintf(s->value, sizeof(s->value), "%s", equals + 1);
	return 0;
}

/* name, letter, argument, variable, default, help, in the rc file, setter, getter */
#define ROW(n, l, a, e, d, h, s)                       \
	{                                              \
		n, l, a, e, d, h, false, set_##s, NULL \
	}
#define ROW_RC(n, l, a, e, d, h, s)                      \
	{                                                \
		n, l, a, e, d, h, true, set_##s, get_##s \
	}

static const struct option_spec specs[] = {
	ROW("dialect", 'D', "LIST", "DIALECTS", NULL,
	    "databases, separated by commas (live: the first found; batch: every one found)",
	    dialect),
	ROW("variant", 'v', "LIST", NULL, NULL,
	    "variants: names or folders (live: skiplocked; batch: pername,skiplocked)", variant),
	ROW("base", 0, "NAME", NULL, NULL,
	    "the variant that others are compared with (the first one)", base),
	ROW("batch", 'b', NULL, NULL, NULL, "run the plan, print the table", batch),
	ROW_RC("delay", 'd', "S", NULL, "1", "seconds between refreshes", delay),
	ROW("iterations", 'n', "N", NULL, NULL, "stop after N refreshes (live)", iterations),
	ROW_RC("warmup", 0, "S", "WARMUP", "5", "seconds before a window", warmup),
	ROW_RC("measure", 0, "S", "MEASURE", "20", "length of a window in seconds", measure),
	ROW_RC("repeat", 0, "N", NULL, "1", "runs of each variant, interleaved", repeat),
	ROW_RC("names", 0, "N", "NAMES", "1000", "job names", names),
	ROW_RC("rate", 0, "R", "RATE", "20", "jobs enqueued per second; max; 0: an idle queue",
	       rate),
	ROW_RC("backlog", 0, "N", NULL, "1000", "jobs waiting at most with --rate max", backlog),
	ROW_RC("workers", 0, "N", NULL, "1", "worker processes", workers),
	ROW_RC("concurrency", 0, "N", NULL, "8", "jobs that each worker runs at the same time",
	       concurrency),
	ROW_RC("poll-interval", 0, "S", NULL, "5", "seconds between the worker's polls",
	       poll_interval),
	ROW_RC("pool", 0, "N", NULL, "4", "connections of the worker's and the producer's pool",
	       pool),
	ROW_RC("hot-names", 0, "N", NULL, "10", "names that get most of the jobs", hot_names),
	ROW_RC("hot-share", 0, "F", NULL, "0.9", "their share of the jobs, 0 to 1", hot_share),
	ROW_RC("seed", 0, "N", NULL, "1", "of the sequence of names", seed),
	ROW_RC("completed", 0, "N", "COMPLETED", "0", "completed jobs in the table beforehand",
	       completed),
	ROW_RC("history", 0, "S", "HISTORY", NULL, "seconds after which completed jobs are deleted",
	       history),
	ROW_RC("mutex-keys", 0, "N", "MUTEX_KEYS", "0", "keys, one of which each job has",
	       mutex_keys),
	ROW_RC("hold", 0, "S", NULL, "0.02", "seconds for which a job holds its key", hold),
	ROW_RC("blocked", 0, "N", "BLOCKED", "0", "due jobs that wait for a key held for a day",
	       blocked),
	ROW_RC("queued", 0, "N", "QUEUED", "0", "due jobs on one free key", queued),
	ROW_RC("payload", 0, "BYTES", NULL, "0", "ballast of each job", payload),
	ROW_RC("enqueue", 0, "HOW", NULL, "pool", "pool, or tx: in a transaction with other work",
	       enqueue),
	ROW_RC("enqueue-batch", 0, "N", NULL, "1", "jobs enqueued in one statement", enqueue_batch),
	ROW_RC("counters", 0, "SOURCE", NULL, "auto", "auto, perf, icount, icount:ROLES or none",
	       counters),
	ROW_RC("cpu-source", 0, "SOURCE", NULL, "auto", "auto, clocks or cgroup", cpu_source),
	ROW("json", 0, "FILE", NULL, NULL, "write the snapshot (-: standard output)", json),
	ROW("output", 'o', "DIR", NULL, NULL, "folder for snapshot, samples, sizes and logs",
	    output),
	ROW_RC("postgres-bin", 0, "DIR", "PG_BIN", NULL, "where postgres and initdb are",
	       postgres_bin),
	ROW_RC("mysql-bin", 0, "DIR", "MYSQL_BIN", NULL, "where MySQL's mysqld is", mysql_bin),
	ROW_RC("mariadb-bin", 0, "DIR", "MARIADB_BIN", NULL, "where mariadbd is", mariadb_bin),
	ROW("postgres-port", 0, "PORT", NULL, "55433",
	    "port of the private server (a busy default is replaced by a free one)", postgres_port),
	ROW("mysql-port", 0, "PORT", NULL, "53307", "the same of a private MySQL", mysql_port),
	ROW("mariadb-port", 0, "PORT", NULL, "53308", "the same of a private MariaDB",
	    mariadb_port),
	ROW("set", 0, "ENGINE:NAME=VALUE", NULL, NULL, "a server setting (repeatable)", setting),
	ROW("fresh-server", 0, NULL, NULL, NULL, "a new server for each run", fresh_server),
	ROW("server-user", 0, "NAME", NULL, NULL,
	    "as root: whom the server runs as (postgres or mysql, else nobody)", server_user),
	ROW("user", 0, "NAME", NULL, NULL,
	    "as root: whom worker and producer run as (SUDO_USER, else root)", user),
	ROW("keep", 0, NULL, NULL, NULL, "keep the temporary directory, print its path", keep),
	ROW_RC("no-mouse", 0, NULL, NULL, NULL, "leave the mouse to the terminal", no_mouse),
	ROW("list-variants", 0, NULL, NULL, NULL, "list the built-in variants", list_variants),
	ROW("help", 'h', NULL, NULL, NULL, "this help", help),
	ROW("version", 'V', NULL, NULL, NULL, "the version", version),
};

const struct option_table app_option_table = {
	.program = "cputop",
	.usage = "cputop [options]       the live screen\n"
		 "       cputop -b [options]    run the plan, print the table\n"
		 "       cputop check [options]  what this machine can measure; see its --help",
	.specs = specs,
	.n = sizeof(specs) / sizeof(*specs),
};

void app_options_init(struct app_options *o)
{
	memset(o, 0, sizeof(*o));
	workload_defaults(&o->workload);
	o->delay_s = 1;
}

void app_options_release(struct app_options *o)
{
	clear_variants(o);
	vec_release(&o->variants);
	for (size_t i = 0; i < o->from_environment.len; i++)
		free(o->from_environment.items[i]);
	vec_release(&o->from_environment);
	for (int d = 0; d < DIALECT_COUNT; d++) {
		vec_release(&o->settings[d]);
		free(o->server_bin[d]);
	}
	free(o->base);
	free(o->json);
	free(o->output);
	free(o->server_user);
	free(o->user);
}

bool app_rc_path(char *out, size_t size)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	if (xdg && *xdg)
		n = snprintf(out, size, "%s/cputop/cputoprc", xdg);
	else if (home && *home)
		n = snprintf(out, size, "%s/.config/cputop/cputoprc", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

static void used_cb(void *arg, const char *variable)
{
	static const char *const bins[DIALECT_COUNT] = {[DIALECT_POSTGRES] = "PG_BIN",
							[DIALECT_MYSQL] = "MYSQL_BIN",
							[DIALECT_MARIADB] = "MARIADB_BIN"};
	struct app_options *o = arg;
	char *copy = xstrdup(variable);
	const char *plain = strncmp(copy, "CPUTOP_", 7) == 0 ? copy + 7 : copy;

	*vec_push(&o->from_environment) = copy;
	for (int d = 0; d < DIALECT_COUNT; d++)
		if (strcmp(plain, bins[d]) == 0)
			o->server_bin_variable[d] = copy;
}

static int check_together(const struct app_options *o, struct err *err)
{
	if (o->workload.hot_names > o->workload.names)
		return err_set(err, -EINVAL,
			       "--hot-names %u is more than --names %u; lower it or raise --names",
			       o->workload.hot_names, o->workload.names);
	if ((o->workload.blocked || o->workload.queued) && !o->workload.mutex_keys)
		return err_set(err, -EINVAL,
			       "%s are jobs with mutex keys; add --mutex-keys, or leave it out",
			       o->workload.blocked ? "--blocked" : "--queued");
	if (o->workload.rate_max && o->workload.enqueue_batch > o->workload.backlog)
		return err_set(
			err, -EINVAL,
			"--enqueue-batch %u is more than --backlog %u, so that nothing could "
			"ever be enqueued at the rate max; lower it or raise --backlog",
			o->workload.enqueue_batch, o->workload.backlog);
	if (o->batch && o->iterations)
		return err_set(err, -EINVAL,
			       "--iterations is for the live screen; leave it out or "
			       "leave out --batch");
	return 0;
}

static bool wants_help(int argc, char **argv)
{
	return argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
}

int app_options_load(struct app_options *o, int argc, char **argv, struct err *err)
{
	char rc[4096];
	int operands = 0, e;

	if (wants_help(argc, argv)) { /* also when a setting of the user's is wrong */
		o->help = true;
		return 0;
	}
	if (app_rc_path(rc, sizeof(rc))) {
		e = options_from_rc(&app_option_table, o, rc, err);
		if (e < 0)
			return e;
	}
	e = options_from_env(&app_option_table, o, used_cb, o, err);
	if (e < 0)
		return e;
	e = options_parse(&app_option_table, o, argc, argv, &operands, err);
	if (e < 0)
		return e;
	if (operands && !o->help && !o->version)
		return err_set(err, -EINVAL, "unexpected argument '%s'; see cputop --help",
			       argv[1]);
	return check_together(o, err);
}
