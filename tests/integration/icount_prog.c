/*
 * A program that does a known amount of work in several ways, to be counted:
 *   loop N       N turns of a loop
 *   fork N K     K children one after the other, each with N turns
 *   wide N K     K children at the same time
 *   exec N       N turns, then becomes "loop N"
 *   threads N K  K threads, thread I with I * N turns
 *   killed N     a child with N turns that then kills itself with SIGKILL
 */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 64

static void turn(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		;
}

static pid_t child(unsigned long n, int sig)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (pid)
		return pid;
	turn(n);
	if (sig)
		raise(sig);
	_exit(0);
}

static void *thread(void *arg)
{
	turn((unsigned long)(uintptr_t)arg);
	return NULL;
}

static int threads(unsigned long n, unsigned long k)
{
	pthread_t t[THREADS_MAX];

	for (unsigned long i = 0; i < k && i < THREADS_MAX; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)((i + 1) * n)) != 0)
			return 1;
	for (unsigned long i = 0; i < k && i < THREADS_MAX; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static void forks(unsigned long n, unsigned long k, bool wide)
{
	for (unsigned long i = 0; i < k; i++) {
		child(n, 0);
		if (!wide)
			wait(NULL);
	}
	while (wide && wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long k = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "loop")) {
		turn(n);
	} else if (!strcmp(what, "fork") || !strcmp(what, "wide")) {
		forks(n, k, what[0] == 'w');
	} else if (!strcmp(what, "exec")) {
		turn(n);
		execl(argv[0], argv[0], "loop", argv[2], NULL);
		return 1;
	} else if (!strcmp(what, "threads")) {
		return threads(n, k);
	} else if (!strcmp(what, "killed")) {
		child(n, SIGKILL);
		wait(NULL);
	} else {
		fprintf(stderr, "see the head of icount_prog.c\n");
		return 2;
	}
	return 0;
}
