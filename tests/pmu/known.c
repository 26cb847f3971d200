/*
 * A program whose instructions are known, for what counts it: loops of known length in this
 * process, in threads and children that end, and in daemons that nobody here reaps.
 *
 *   known TURNS THREADS CHILDREN DAEMONS TURNS-OF-EACH
 *
 * When all of it is done the number of instructions of the loops is written to descriptor 3; the
 * program then waits for a signal, so that it can be read while it lives.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/perf_loop.h"

#define REPORT_FD 3

static void *run_thread(void *arg)
{
	perf_loop_run(*(const uint32_t *)arg);
	return NULL;
}

static void run_threads(unsigned n, uint32_t turns)
{
	for (unsigned i = 0; i < n; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, run_thread, &turns) != 0)
			exit(1);
		pthread_join(t, NULL);
	}
}

static void reap(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		exit(1);
}

static void run_children(unsigned n, uint32_t turns)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			perf_loop_run(turns);
			_exit(0);
		}
		reap(pid);
	}
}

/* Their parent is gone before they begin; the pipe says when the last has ended. */
static void run_daemons(unsigned n, uint32_t turns)
{
	int ends[2];
	char byte;

	if (pipe(ends) < 0)
		exit(1);
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (fork() != 0)
				_exit(0);
			setsid();
			perf_loop_run(turns);
			_exit(0);
		}
		reap(pid);
	}
	close(ends[1]);
	while (read(ends[0], &byte, 1) > 0)
		;
	close(ends[0]);
}

int main(int argc, char **argv)
{
	uint64_t n[6] = {0};

	if (argc != 6)
		return 2;
	for (int i = 1; i < argc; i++)
		n[i] = strtoull(argv[i], NULL, 10);
	perf_loop_run((uint32_t)n[1]);
	run_threads((unsigned)n[2], (uint32_t)n[5]);
	run_children((unsigned)n[3], (uint32_t)n[5]);
	run_daemons((unsigned)n[4], (uint32_t)n[5]);
	dprintf(REPORT_FD, "%" PRIu64 "\n",
		perf_loop_expected((uint32_t)n[1]) +
			(n[2] + n[3] + n[4]) * perf_loop_expected((uint32_t)n[5]));
	pause();
	return 0;
}
