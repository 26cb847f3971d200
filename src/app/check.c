/*
 * The verb "check": probe, judge, print. It takes what the environment and the rc file say about
 * servers and sources, as a session would.
 */
#include "config.h"

#include "app/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/option_values.h"
#include "app/options.h"
#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "result/check_json.h"

static int unknown_need(const char *name, struct err *err)
{
	struct strbuf names;
	int r;

	strbuf_init(&names);
	check_need_names(&names);
	r = err_set(err, -EINVAL, "unknown '%s'; use %s", name, names.buf);
	strbuf_release(&names);
	return r;
}

static int set_need(void *target, const char *v, struct err *err)
{
	struct check_options *o = target;
	char item[64];
	size_t n = 0;

	while (value_next_item(&v, item, sizeof(item))) {
		const char *name = check_need_name(item);
		bool twice = false;

		if (!name)
			return unknown_need(item, err);
		for (size_t i = 0; i < o->needs.len; i++)
			twice = twice || o->needs.items[i] == name;
		if (!twice)
			*vec_push(&o->needs) = name;
		n++;
	}
	return n ? 0 : err_set(err, -EINVAL, "it is empty");
}

static int set_json(void *target, const char *v, struct err *err)
{
	struct check_options *o = target;

	return value_string(v, &o->json, err);
}

static int set_help(void *target, const char *v, struct err *err)
{
	struct check_options *o = target;

	(void)v;
	(void)err;
	o->help = true;
	return 0;
}

static const struct option_spec specs[] = {
	{"need", 0, "LIST", NULL, NULL,
	 "exit with 1 when one of these is missing: cpu, clock, cgroup, instructions, cycles, "
	 "perf, "
	 "icount, postgres, mysql, mariadb",
	 false, set_need, NULL},
	{"json", 0, "FILE", NULL, NULL,
	 "write all of it as JSON (-: standard output, the text then goes to standard error)",
	 false, set_json, NULL},
	{"help", 'h', NULL, NULL, NULL, "this help", false, set_help, NULL},
};

const struct option_table check_option_table = {
	.program = "cputop check",
	.usage = "cputop check [options]\n"
		 "       what this machine can measure, at what cost, and what will disturb",
	.specs = specs,
	.n = sizeof(specs) / sizeof(*specs),
};

static int parse(struct check_options *o, struct app_options *app, int argc, char **argv,
		 struct err *err)
{
	char *none[] = {argv[0], NULL};
	int operands = 0;
	int r = options_parse(&check_option_table, o, argc, argv, &operands, err);

	if (r == 0 && operands && !o->help)
		r = err_set(err, -EINVAL, "unexpected argument '%s'; see cputop check --help",
			    argv[1]);
	if (r == 0 && !o->help)
		r = app_options_load(app, 1, none, err);
	return r;
}

static void print_missing(const char *name, const struct counter_state *s)
{
	fprintf(stderr, "cputop: check: %s is missing: %s%s%s\n", name, s->reason,
		s->remedy[0] ? "; " : "", s->remedy);
}

static int report(const struct check *c, const struct check_options *o)
{
	bool json_stdout = o->json && !strcmp(o->json, "-");
	bool cpu_named = false;
	struct err err = {0};
	struct strbuf sb;
	int status = c->ok ? 0 : 1;

	strbuf_init(&sb);
	check_print(&sb, c);
	fwrite(sb.buf, 1, sb.len, json_stdout ? stderr : stdout);
	strbuf_release(&sb);
	if (fflush(stdout) != 0 && errno != EPIPE) {
		fprintf(stderr, "cputop: cannot write the text: %s\n", strerror(errno));
		status = 1;
	}
	if (o->json && check_json_write(c, o->json, &err) < 0 && err.code != -EPIPE) {
		fprintf(stderr, "cputop: %s\n", err.text);
		status = 1;
	}
	for (size_t i = 0; i < c->nneeds; i++) {
		cpu_named = cpu_named || !strcmp(c->needs[i].name, "cpu");
		if (!c->needs[i].state.available)
			print_missing(c->needs[i].name, &c->needs[i].state);
	}
	if (!c->cpu.available && !cpu_named)
		print_missing("cpu", &c->cpu);
	return status;
}

static int run(const struct check_options *o, const struct app_options *app)
{
	struct check *c = xcalloc(1, sizeof(*c));
	int status;

	for (size_t i = 0; i < o->needs.len && c->nneeds < CHECK_NEEDS_MAX; i++)
		c->needs[c->nneeds++].name = o->needs.items[i];
	check_probe(c, app);
	check_notes(c);
	check_judge(c);
	status = report(c, o);
	free(c);
	return status;
}

int check_main(int argc, char **argv)
{
	struct check_options o = {.needs = VEC_INIT};
	struct app_options app;
	struct err err = {0};
	int status = 0;

	app_options_init(&app);
	if (parse(&o, &app, argc, argv, &err) < 0) {
		fprintf(stderr, "cputop: %s\n", err.text);
		status = 2;
	} else if (o.help) {
		options_help(&check_option_table, stdout);
	} else {
		status = run(&o, &app);
	}
	app_options_release(&app);
	vec_release(&o.needs);
	free(o.json);
	return status;
}
