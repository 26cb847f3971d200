/*
 * Runs a program below a keeper and counts it as cputop does: counters on the held keeper, a
 * reading before it is released, a tick every 50 ms, the last reading when the program has written
 * to descriptor 3 what it was to be. Prints one line of JSON.
 *
 *   counted PROGRAM [ARGUMENT...]
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "lib/err.h"
#include "measure/measure.h"
#include "proc/child.h"

#define TICK_MS   50
#define REPORT_FD 3

struct counted {
	uv_loop_t loop;
	uv_timer_t tick;
	int report[2]; /* pipe: what the program says */
	struct measure *m;
	struct sample begin;
	char known[32];
	bool done;
	struct err err;
};

static void fail(const struct err *err)
{
	fprintf(stderr, "counted: %s\n", err->text);
	exit(1);
}

static void print_value(const char *name, struct value v)
{
	static const char *const states[] = {
		[VALUE_NONE] = "none",     [VALUE_UNREADABLE] = "unreadable", [VALUE_OK] = "ok",
		[VALUE_SCALED] = "scaled", [VALUE_AT_LEAST] = "at least",
	};

	if (value_known(v))
		printf("\"%s\": %" PRId64 ", ", name, v.v);
	else
		printf("\"%s\": null, ", name);
	printf("\"%s_state\": \"%s\", ", name, states[v.state]);
}

static void finish(struct counted *c)
{
	const struct counters_info *info = measure_counters(c->m);
	struct usage_diff d;
	struct sample end;

	if (measure_sample(c->m, MEASURE_EDGE, &end, &c->err) < 0)
		fail(&c->err);
	sample_diff(&c->begin, &end, &d);
	printf("{\"known\": %s, ", c->known);
	print_value("instructions", d.roles[ROLE_WORKER].instructions);
	print_value("cycles", d.roles[ROLE_WORKER].cycles);
	printf("\"coverage\": %.6f, \"user_only\": %s, \"parts\": %s, \"instructions_reason\": "
	       "\"%s\", \"cycles_reason\": \"%s\"}\n",
	       d.roles[ROLE_WORKER].coverage, info->user_only ? "true" : "false",
	       info->parts ? "true" : "false", info->instructions.reason, info->cycles.reason);
	sample_release(&end);
	sample_release(&c->begin);
	c->done = true;
}

static void on_tick(uv_timer_t *timer)
{
	struct counted *c = timer->data;
	struct sample s;
	ssize_t n;

	n = read(c->report[0], c->known, sizeof(c->known) - 1);
	if (n > 0)
		c->known[strcspn(c->known, "\n")] = '\0';
	if (n > 0) {
		uv_timer_stop(timer);
		finish(c);
		uv_stop(&c->loop);
		return;
	}
	if (measure_sample(c->m, 0, &s, &c->err) < 0)
		fail(&c->err);
	sample_release(&s);
}

static void on_held(struct child *child, pid_t keeper, void *arg)
{
	struct counted *c = arg;

	if (measure_add_role(c->m, ROLE_WORKER, keeper, &c->err) < 0 ||
	    measure_sample(c->m, MEASURE_EDGE, &c->begin, &c->err) < 0)
		fail(&c->err);
	child_release(child);
	uv_timer_start(&c->tick, on_tick, TICK_MS, TICK_MS);
}

static void on_exit_(struct child *child, const struct child_status *status, const char *reason,
		     void *arg)
{
	struct counted *c = arg;

	(void)status;
	child_free(child);
	if (!c->done) {
		fprintf(stderr, "counted: %s\n", reason ? reason : "the program ended too early");
		exit(1);
	}
	uv_close((uv_handle_t *)&c->tick, NULL);
}

static struct child *start(struct counted *c, char **argv)
{
	const struct child_fd report = {c->report[1], REPORT_FD};
	struct child_spec spec = {
		.name = argv[0],
		.argv = argv,
		.stop_signal = SIGTERM,
		.kill_after_ms = 1000,
		.output_fd = STDERR_FILENO,
		.fds = &report,
		.nfds = 1,
		.cb = {.on_held = on_held, .on_exit = on_exit_},
		.arg = c,
	};

	return child_spawn(&c->loop, &spec, &c->err);
}

int main(int argc, char **argv)
{
	const struct measure_options options = {.counters = COUNTERS_AUTO, .cpu = CPU_CLOCKS};
	struct counted c;
	struct child *child;

	memset(&c, 0, sizeof(c));
	if (argc < 2 || pipe2(c.report, O_CLOEXEC) < 0 ||
	    fcntl(c.report[0], F_SETFL, O_NONBLOCK) < 0)
		return 2;
	c.m = measure_new(&options, &c.err);
	if (!c.m)
		fail(&c.err);
	uv_loop_init(&c.loop);
	uv_timer_init(&c.loop, &c.tick);
	c.tick.data = &c;
	child = start(&c, argv + 1);
	if (!child)
		fail(&c.err);
	close(c.report[1]);
	uv_run(&c.loop, UV_RUN_DEFAULT);
	child_stop(child);
	uv_run(&c.loop, UV_RUN_DEFAULT);
	measure_remove_role(c.m, ROLE_WORKER);
	measure_free(c.m);
	return uv_loop_close(&c.loop) == 0 ? 0 : 1;
}
