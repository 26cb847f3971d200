/*
 * cputop-load: the worker or the producer of a run, a process of its own so that its counters are
 * its alone. cputop starts it; see cputop-load(1).
 */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "lib/asan.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "lib/format.h"
#include "lib/options.h"
#include "workload/crew.h"
#include "workload/program.h"

static int number(const char *value, double min, double max, double *out, struct err *err)
{
	double n;

	if (!parse_double(value, &n))
		return err_set(err, -EINVAL, "not a number: '%s'", value);
	if (n < min || n > max)
		return err_set(err, -EINVAL, "%s is not between %g and %g", value, min, max);
	*out = n;
	return 0;
}

static int count(const char *value, unsigned min, unsigned max, unsigned *out, struct err *err)
{
	uint64_t n;

	if (!parse_u64(value, &n))
		return err_set(err, -EINVAL, "not a whole number: '%s'", value);
	if (n < min || n > max)
		return err_set(err, -EINVAL, "%s is not between %u and %u", value, min, max);
	*out = (unsigned)n;
	return 0;
}

static int descriptor(const char *value, int *out, struct err *err)
{
	unsigned fd = 0;
	int rc = count(value, 3, 1 << 20, &fd, err);

	if (rc == 0)
		*out = (int)fd;
	return rc;
}

/* A setter; o is the struct program_options, v the value. */
#define SETTER(name, expr)                                                  \
	static int set_##name(void *target, const char *v, struct err *err) \
	{                                                                   \
		struct program_options *o = target;                         \
                                                                            \
		return (expr);                                              \
	}

SETTER(page_fd, descriptor(v, &o->page_fd, err))
SETTER(control_fd, descriptor(v, &o->control_fd, err))
SETTER(names, count(v, 1, 1000000, &o->workload.names, err))
SETTER(hot_names, count(v, 0, 1000000, &o->workload.hot_names, err))
SETTER(hot_share, number(v, 0, 1, &o->workload.hot_share, err))
SETTER(backlog, count(v, 1, 10000000, &o->workload.backlog, err))
SETTER(workers, count(v, 1, WORKLOAD_WORKERS_MAX, &o->workload.workers, err))
SETTER(concurrency, count(v, 1, 10000, &o->workload.concurrency, err))
SETTER(pool, count(v, 1, 10000, &o->workload.pool, err))
SETTER(mutex_keys, count(v, 0, WORKLOAD_KEYS_MAX, &o->workload.mutex_keys, err))
SETTER(payload, count(v, 0, 1000000, &o->workload.payload_bytes, err))
SETTER(enqueue_batch, count(v, 1, 1000, &o->workload.enqueue_batch, err))

static int set_enqueue(void *target, const char *v, struct err *err)
{
	struct program_options *o = target;

	o->workload.enqueue_tx = strcmp(v, "tx") == 0;
	if (o->workload.enqueue_tx || strcmp(v, "pool") == 0)
		return 0;
	return err_set(err, -EINVAL, "'%s' is neither pool nor tx", v);
}

static int set_variant(void *target, const char *v, struct err *err)
{
	struct program_options *o = target;
	int n = snprintf(o->variant, sizeof(o->variant), "%s", v);

	if (n <= 0 || (size_t)n >= sizeof(o->variant))
		return err_set(err, -EINVAL, "takes the path of a folder");
	return 0;
}

static int set_dialect(void *target, const char *v, struct err *err)
{
	struct program_options *o = target;

	if (!dialect_parse(v, &o->dialect) || !db_ops_for(o->dialect))
		return err_set(err, -EINVAL, "unknown database '%s'", v);
	return 0;
}

static int set_seed(void *target, const char *v, struct err *err)
{
	struct program_options *o = target;

	if (!parse_u64(v, &o->workload.seed))
		return err_set(err, -EINVAL, "not a whole number: '%s'", v);
	return 0;
}

static int set_poll_interval(void *target, const char *v, struct err *err)
{
	struct program_options *o = target;
	double seconds = 0;
	int rc = number(v, 0.001, 1e6, &seconds, err);

	if (rc == 0)
		o->workload.poll_interval_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return rc;
}

static int set_hold(void *target, const char *v, struct err *err)
{
	struct program_options *o = target;
	double seconds = 0;
	int rc = number(v, 0, 1e6, &seconds, err);

	if (rc == 0)
		o->workload.hold_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return rc;
}

static int set_history(void *target, const char *v, struct err *err)
{
	struct program_options *o = target;
	double seconds = 0;
	int rc = number(v, 0, 1e9, &seconds, err);

	if (rc == 0)
		o->workload.history_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return rc;
}

static int set_help(void *target, const char *v, struct err *err)
{
	(void)v;
	(void)err;
	((struct program_options *)target)->help = true;
	return 0;
}

static int set_version(void *target, const char *v, struct err *err)
{
	(void)v;
	(void)err;
	((struct program_options *)target)->version = true;
	return 0;
}

#define VALUE(option, field, argument, def, text)                                                  \
	{                                                                                          \
		.name = option, .arg = argument, .defaults = def, .help = text, .set = set_##field \
	}
static const struct option_spec specs[] = {
	VALUE("page-fd", page_fd, "N", NULL, "descriptor of the page of jobs"),
	VALUE("control-fd", control_fd, "N", NULL, "descriptor of the control socket"),
	VALUE("variant", variant, "DIR", NULL, "folder of the variant"),
	VALUE("dialect", dialect, "NAME", "postgres", "the database"),
	VALUE("names", names, "N", "1000", "job names"),
	VALUE("hot-names", hot_names, "N", "10", "names that get the hot share of the jobs"),
	VALUE("hot-share", hot_share, "F", "0.9", "share of the jobs for the hot names"),
	VALUE("seed", seed, "N", "1", "seed of the sequence of names"),
	VALUE("backlog", backlog, "N", "1000", "at the rate max, at most so many jobs wait"),
	VALUE("workers", workers, "N", "1", "processes of the worker"),
	VALUE("concurrency", concurrency, "N", "8", "jobs that each worker runs at once"),
	VALUE("pool", pool, "N", "4", "connections in the pool"),
	VALUE("poll-interval", poll_interval, "S", "5", "seconds between the worker's polls"),
	VALUE("history", history, "S", NULL, "completed jobs are deleted after so long"),
	VALUE("mutex-keys", mutex_keys, "N", "0", "keys, one of which each job has"),
	VALUE("hold", hold, "S", "0.02", "seconds for which a job holds its key"),
	VALUE("payload", payload, "BYTES", "0", "ballast of each job"),
	VALUE("enqueue", enqueue, "HOW", "pool", "pool, or tx: in a transaction with other work"),
	VALUE("enqueue-batch", enqueue_batch, "N", "1", "jobs enqueued in one statement"),
	{.name = "help", .letter = 'h', .help = "print this help", .set = set_help},
	{.name = "version", .letter = 'V', .help = "print the version", .set = set_version},
};
static const struct option_table table = {
	.program = "cputop-load",
	.usage = "cputop-load worker|producer --page-fd N --control-fd N --variant DIR [options]",
	.specs = specs,
	.n = sizeof(specs) / sizeof(specs[0]),
};

static int check(struct program_options *o, int operands, char **argv, struct err *err)
{
	static const struct role_ops *const roles[] = {&worker_ops, &producer_ops};

	if (o->help || o->version)
		return 0;
	for (size_t i = 0; operands == 1 && i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(argv[1], roles[i]->name) == 0)
			o->role = roles[i];
	if (!o->role)
		return err_set(err, -EINVAL, "say worker or producer; see --help");
	if (o->page_fd < 0 || o->control_fd < 0 || !o->variant[0])
		return err_set(
			err, -EINVAL,
			"--page-fd, --control-fd and --variant are needed; cputop gives them");
	return 0;
}

/* Before there is a loop: a worker may be several processes. */
static int run(struct program_options *o)
{
	struct crew crew = {0};
	struct err err = {0, ""};

	if (o->role == &worker_ops && crew_fork(&crew, o, &err) < 0) {
		fprintf(stderr, "cputop-load: %s\n", err.text);
		return 1;
	}
	return program_run(o, &crew);
}

int main(int argc, char **argv)
{
	struct program_options o = {.page_fd = -1, .control_fd = -1};
	struct err err = {0, ""};
	int operands = 0;

	setlocale(LC_CTYPE, "");
	workload_defaults(&o.workload);
	if (options_parse(&table, &o, argc, argv, &operands, &err) < 0 ||
	    check(&o, operands, argv, &err) < 0) {
		fprintf(stderr, "cputop-load: %s\n", err.text);
		return 2;
	}
	if (o.help)
		options_help(&table, stdout);
	else if (o.version)
		printf("cputop-load %s\n", PACKAGE_VERSION);
	else
		return run(&o);
	return 0;
}
