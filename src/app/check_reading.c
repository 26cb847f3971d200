/*
 * Processes to read. A root, held as a keeper is, forks so many that use a little CPU time, say so
 * and wait. It ends them and itself at end of file on its pipe, so however cputop ends, nothing of
 * this stays.
 *
 * Two things are asked of them: what a reading costs, and whether what they used is what is
 * measured.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/check.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "lib/format.h"
#include "lib/xalloc.h"

#define ROUNDS   15
#define USE_NS   (30 * NS_PER_MS) /* three ticks of 100 Hz */
#define READY_MS 20000

static const unsigned sizes[CHECK_READINGS] = {1, 10, 100};

struct crowd {
	pid_t root;
	int control; /* a byte releases the root, its end ends all */
	int report;  /* a byte from each process that is ready */
};

static uint64_t cpu_now(clockid_t id)
{
	struct timespec ts = {0, 0};

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void say_ready(int report)
{
	while (write(report, "r", 1) < 0 && errno == EINTR)
		;
}

/* In the child. */
static void member(unsigned n, int control, int report)
{
	uint64_t until = USE_NS / n;

	close(control);
	while (cpu_now(CLOCK_PROCESS_CPUTIME_ID) < until)
		;
	say_ready(report);
	close(report);
	for (;;)
		pause();
}

static void end_members(const pid_t *pids, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	for (unsigned i = 0; i < n; i++)
		while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
			;
}

static bool read_byte(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* In the child. */
static void root(unsigned n, int control, int report)
{
	pid_t *pids = xcalloc(n, sizeof(*pids));
	unsigned started = 0;

	/* A key that interrupts cputop must not end this before its children. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (read_byte(control)) {
		while (started < n) {
			pid_t pid = fork();

			if (pid == 0)
				member(n, control, report);
			if (pid < 0)
				break;
			pids[started++] = pid;
		}
		close(report);
		read_byte(control);
	}
	end_members(pids, started);
	_exit(0);
}

static int crowd_start(struct crowd *c, unsigned n)
{
	int control[2], report[2];

	if (pipe2(control, O_CLOEXEC) != 0)
		return -errno;
	if (pipe2(report, O_CLOEXEC) != 0) {
		int e = errno;

		close(control[0]);
		close(control[1]);
		return -e;
	}
	c->root = fork();
	if (c->root == 0) {
		close(control[1]);
		close(report[0]);
		root(n, control[0], report[1]);
	}
	close(control[0]);
	close(report[1]);
	c->control = control[1];
	c->report = report[0];
	return c->root < 0 ? -EAGAIN : 0;
}

/* Waits until all of them are ready. */
static bool crowd_release(const struct crowd *c, unsigned n)
{
	uint64_t end = clock_now_ns() + READY_MS * NS_PER_MS;

	if (write(c->control, "g", 1) != 1)
		return false;
	while (n > 0) {
		struct pollfd p = {.fd = c->report, .events = POLLIN};
		uint64_t now = clock_now_ns();

		if (now >= end)
			return false;
		if (poll(&p, 1, (int)((end - now) / NS_PER_MS) + 1) <= 0)
			continue;
		if (!read_byte(c->report))
			return false;
		n--;
	}
	return true;
}

static void crowd_end(struct crowd *c)
{
	if (c->control >= 0)
		close(c->control);
	if (c->report >= 0)
		close(c->report);
	while (c->root > 0 && waitpid(c->root, NULL, 0) < 0 && errno == EINTR)
		;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* CPU time of this thread, so that what else the machine does is no part of it. */
static struct value reading_cost(struct measure *m, struct err *err)
{
	uint64_t costs[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begun = cpu_now(CLOCK_THREAD_CPUTIME_ID);
		struct sample s = {0};
		int r = measure_sample(m, 0, &s, err);

		costs[i] = cpu_now(CLOCK_THREAD_CPUTIME_ID) - begun;
		sample_release(&s);
		if (r < 0)
			return (struct value){0, VALUE_UNREADABLE};
	}
	qsort(costs, ROUNDS, sizeof(*costs), by_size);
	return value_of((int64_t)costs[ROUNDS / 2]);
}

static int worker_ns(struct measure *m, struct value *out, struct err *err)
{
	struct sample s = {0};
	int r = measure_sample(m, 0, &s, err);

	*out = s.roles[ROLE_WORKER].total.cpu_ns;
	sample_release(&s);
	return r;
}

/* Forking and ending cost something, and a running process is seen with a delay of a tick. */
void check_judge_cpu(struct check *c)
{
	uint64_t got = (uint64_t)c->measured_ns.v;

	if (value_known(c->measured_ns) && got >= c->used_ns * 9 / 10 && got <= c->used_ns * 3) {
		c->cpu.available = true;
		return;
	}
	if (value_known(c->measured_ns))
		snprintf(c->cpu.reason, sizeof(c->cpu.reason),
			 "a process used %u ms of CPU time, but %lld ms were measured",
			 (unsigned)(c->used_ns / NS_PER_MS),
			 (long long)(c->measured_ns.v / (int64_t)NS_PER_MS));
	else
		text_copy(c->cpu.reason, sizeof(c->cpu.reason),
			  "the CPU time of a process cannot be read");
}

static void read_crowd(struct check *c, unsigned i, struct measure *m, struct err *err)
{
	unsigned n = sizes[i];
	struct value before, after;
	struct crowd crowd = {-1, -1, -1};
	int r = crowd_start(&crowd, n);

	c->reading[i] = (struct check_reading){n, {0, VALUE_UNREADABLE}};
	if (r < 0) {
		err_set(err, r, "no processes can be started: %s", strerror(-r));
		goto end;
	}
	if (measure_add_role(m, ROLE_WORKER, crowd.root, err) < 0 || worker_ns(m, &before, err) < 0)
		goto out;
	if (!crowd_release(&crowd, n)) {
		err_set(err, -ETIMEDOUT, "%u processes did not start within %d s", n,
			READY_MS / 1000);
		goto out;
	}
	if (worker_ns(m, &after, err) < 0)
		goto out;
	if (i == 0)
		c->measured_ns = value_sub(after, before);
	c->reading[i].cpu_ns = reading_cost(m, err);
out:
	measure_remove_role(m, ROLE_WORKER);
end:
	crowd_end(&crowd);
}

void check_readings(struct check *c, const struct measure_options *options)
{
	struct err err = {0};
	struct measure *m = measure_new(options, &err);

	c->used_ns = USE_NS;
	c->measured_ns = (struct value){0, VALUE_UNREADABLE};
	for (unsigned i = 0; i < CHECK_READINGS; i++)
		c->reading[i] = (struct check_reading){sizes[i], {0, VALUE_UNREADABLE}};
	if (m) {
		c->counters = *measure_counters(m);
		for (unsigned i = 0; i < CHECK_READINGS && !err.code; i++)
			read_crowd(c, i, m, &err);
		measure_free(m);
	}
	if (err.code && !value_known(c->measured_ns))
		text_copy(c->cpu.reason, sizeof(c->cpu.reason), err.text);
	else
		check_judge_cpu(c);
}
