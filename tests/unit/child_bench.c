#include "config.h"

#include "child_bench.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void on_held(struct child *c, pid_t keeper, void *arg)
{
	struct seen *seen = arg;

	seen->held = true;
	seen->keeper = keeper;
	seen->keeper_leads_group = getpgid(keeper) == keeper;
	seen->keeper_leads_session = getsid(keeper) == keeper;
	assert_int_equal(child_pid(c), 0);
	assert_int_equal(child_keeper_pid(c), keeper);
	if (!seen->hold)
		child_release(c);
}

static void on_started(struct child *c, pid_t pid, void *arg)
{
	struct seen *seen = arg;

	(void)c;
	seen->started = true;
	seen->pid = pid;
}

void bench_on_left(struct child *c, const struct child_status *status, void *arg)
{
	struct seen *seen = arg;

	(void)c;
	seen->left = true;
	seen->status = *status;
}

static void on_exit_(struct child *c, const struct child_status *status, const char *reason,
		     void *arg)
{
	struct seen *seen = arg;

	assert_false(seen->exited);
	seen->exited = true;
	seen->status = *status;
	snprintf(seen->reason, sizeof(seen->reason), "%s", reason ? reason : "");
	child_free(c);
	seen->child = NULL;
}

void bench_init(struct bench *b, const char *script)
{
	static char sh[] = "/bin/sh", c[] = "-c", path[] = "PATH=/usr/bin:/bin";

	memset(b, 0, sizeof(*b));
	uv_loop_init(&b->loop);
	snprintf(b->mark, sizeof(b->mark), "%s", support_new_mark());
	b->env[0] = b->mark;
	b->env[1] = path;
	b->argv[0] = sh;
	b->argv[1] = c;
	b->argv[2] = strdup(script);
	snprintf(b->out, sizeof(b->out), "/tmp/cptest-child-XXXXXX");
	b->spec = (struct child_spec){
		.name = "worker",
		.argv = b->argv,
		.env = b->env,
		.stop_signal = SIGTERM,
		.kill_after_ms = 200,
		.output_fd = mkostemp(b->out, O_CLOEXEC),
		.cb = {.on_held = on_held, .on_started = on_started, .on_exit = on_exit_},
		.arg = &b->seen,
	};
}

void bench_spawn(struct bench *b)
{
	struct err err;

	b->seen.child = child_spawn(&b->loop, &b->spec, &err);
	if (!b->seen.child)
		fail_msg("%s", err.text);
}

void bench_wait(struct bench *b, const bool *flag)
{
	assert_true(support_run_until(&b->loop, flag, LIMIT_MS));
}

void bench_release(struct bench *b)
{
	assert_true(support_wait_marked(b->mark, 0, 100));
	assert_true(support_loop_close(&b->loop));
	free(b->argv[2]);
	close(b->spec.output_fd);
	unlink(b->out);
}

void bench_run(struct bench *b, const char *script)
{
	bench_init(b, script);
	bench_spawn(b);
	bench_wait(b, &b->seen.exited);
}
