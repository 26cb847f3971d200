#include "config.h"

#include "measure_help.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"

static void fail(const char *what)
{
	perror(what);
	abort();
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

static void run_keeper(void (*program)(void *), void *arg, int hold, int control, int report)
{
	struct rusage ru;
	uint64_t ns;
	pid_t child;
	char c;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (read(hold, &c, 1) != 1)
		_exit(0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		program(arg);
		_exit(0);
	}
	wait_for_all();
	getrusage(RUSAGE_CHILDREN, &ru);
	ns = ((uint64_t)ru.ru_utime.tv_sec + (uint64_t)ru.ru_stime.tv_sec) * NS_PER_S +
	     ((uint64_t)ru.ru_utime.tv_usec + (uint64_t)ru.ru_stime.tv_usec) * NS_PER_US;
	if (write(report, &ns, sizeof(ns)) != (ssize_t)sizeof(ns))
		_exit(1);
	while (read(control, &c, 1) > 0)
		;
	_exit(0);
}

void keeper_start(struct keeper *k, void (*program)(void *), void *arg)
{
	int hold[2], control[2], report[2];

	if (pipe2(hold, O_CLOEXEC) || pipe2(control, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		fail("pipe");
	fflush(NULL);
	k->pid = fork();
	if (k->pid < 0)
		fail("fork");
	if (k->pid == 0) {
		close(hold[1]);
		close(control[1]);
		close(report[0]);
		run_keeper(program, arg, hold[0], control[0], report[1]);
	}
	setpgid(k->pid, k->pid);
	close(hold[0]);
	close(control[0]);
	close(report[1]);
	k->hold = hold[1];
	k->control = control[1];
	k->report = report[0];
}

void keeper_release(struct keeper *k)
{
	if (write(k->hold, "g", 1) != 1)
		fail("release");
}

uint64_t keeper_wait(struct keeper *k)
{
	uint64_t ns = 0;

	if (read(k->report, &ns, sizeof(ns)) != (ssize_t)sizeof(ns))
		fail("report");
	return ns;
}

void keeper_end(struct keeper *k)
{
	kill(-k->pid, SIGKILL);
	kill(k->pid, SIGKILL);
	while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(k->hold);
	close(k->control);
	close(k->report);
}

void burn_ms(unsigned ms)
{
	struct timespec ts;
	uint64_t begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	begin = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	} while (now - begin < ms * NS_PER_MS);
}

pid_t fork_burner(unsigned ms)
{
	pid_t pid = fork();

	if (pid == 0) {
		burn_ms(ms);
		_exit(0);
	}
	return pid;
}

uint64_t deadline_in(unsigned ms)
{
	return clock_now_ns() + ms * NS_PER_MS;
}

bool deadline_passed(uint64_t deadline)
{
	return clock_now_ns() >= deadline;
}

void poll_pause(void)
{
	static const struct timespec pause = {0, 2000000};

	nanosleep(&pause, NULL);
}

char *make_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = malloc(512);

	if (!dir)
		abort();
	snprintf(dir, 512, "%.400s/cputop-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		fail("mkdtemp");
	return dir;
}

void put_file(const char *dir, const char *name, const char *text)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%.500s/%.500s", dir, name);
	for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		fail(path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void remove_dir(char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

void sleep_often(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		usleep(500);
}

void wait_for_ever(void)
{
	for (;;)
		pause();
}

void *shared_page(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	return p;
}
