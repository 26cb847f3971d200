/*
 * What happens between being spawned and the program's exec. Every descriptor that the keeper has
 * is close-on-exec, so that the program gets standard input, output and error and those of --fds,
 * and no other.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proc/keeper.h"

static int fail(char *text, int code, const char *what)
{
	snprintf(text, KEEPER_TEXT_MAX, "%s: %s", what, strerror(-code));
	return code;
}

/* close_range for kernels and libraries without it. */
static void close_from(unsigned first)
{
	long max;

#ifdef HAVE_CLOSE_RANGE
	if (close_range(first, ~0U, 0) == 0)
		return;
#endif
	max = sysconf(_SC_OPEN_MAX);
	for (long fd = (long)first; fd < max; fd++)
		close((int)fd);
}

static void keep_descriptors(const struct keeper_options *o)
{
	close_from(KEEPER_FIRST_FD + (unsigned)o->ntargets);
	for (int fd = KEEPER_CONTROL_FD; fd < KEEPER_FIRST_FD + (int)o->ntargets; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Becomes the user for good. */
static int drop_privileges(const struct keeper_options *o, char *text)
{
	uid_t r, e, s;

	if (!o->drop)
		return 0;
	if (setgroups(o->ngroups, o->groups) < 0 || setresgid(o->gid, o->gid, o->gid) < 0 ||
	    setresuid(o->uid, o->uid, o->uid) < 0)
		return fail(text, -errno, "cannot change to the user that it is to run as");
	if (getresuid(&r, &e, &s) < 0 || r != o->uid || e != o->uid || s != o->uid ||
	    setuid(0) == 0)
		return fail(text, -EPERM, "privileges could not be given up");
	return 0;
}

int keeper_prepare(const struct keeper_options *o, char *text)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	sigset_t all;
	int rc;

	/* Fails only for a session leader, which has a group of its own anyway. */
	setpgid(0, 0);
	/* Whatever is not read from the signal descriptor stays pending: no keyboard and no hang-up
	 * ends the keeper before its tree. */
	sigfillset(&all);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&all, faults[i]);
	sigprocmask(SIG_SETMASK, &all, NULL);
	/* An ignored SIGCHLD would reap by itself and lose the exit status. */
	signal(SIGCHLD, SIG_DFL);
	keep_descriptors(o);
	rc = drop_privileges(o, text);
	if (rc < 0)
		return rc;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return fail(text, -errno, "cannot become subreaper");
	return 0;
}

static _Noreturn void child_fail(int exec_fd, const char *what, const char *path)
{
	char text[KEEPER_TEXT_MAX];
	int n = snprintf(text, sizeof(text), "%s %s: %s", what, path, strerror(errno));

	if (n > 0 &&
	    write(exec_fd, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1) < 0)
		_exit(126);
	_exit(127);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Moves descriptors 4, 5, ... to their targets: first out of the way of all targets, then down. */
static int place_descriptors(const struct keeper_options *o, int *exec_fd)
{
	int high = KEEPER_FIRST_FD + (int)o->ntargets;
	int moved[KEEPER_FDS_MAX];
	size_t i;

	for (i = 0; i < o->ntargets; i++) {
		if (o->targets[i] >= high)
			high = o->targets[i] + 1;
	}
	*exec_fd = fcntl(*exec_fd, F_DUPFD_CLOEXEC, high);
	if (*exec_fd < 0)
		return -errno;
	for (i = 0; i < o->ntargets; i++) {
		moved[i] = fcntl(KEEPER_FIRST_FD + (int)i, F_DUPFD_CLOEXEC, high);
		if (moved[i] < 0)
			return -errno;
	}
	for (i = 0; i < o->ntargets; i++) {
		if (dup2(moved[i], o->targets[i]) < 0)
			return -errno;
	}
	return 0;
}

/* Only down from what cputop has raised it to for itself, so that it cannot be refused. */
static void limit_files(unsigned long soft)
{
	struct rlimit rl;

	if (soft == 0 || getrlimit(RLIMIT_NOFILE, &rl) < 0 || rl.rlim_cur <= soft)
		return;
	rl.rlim_cur = soft;
	setrlimit(RLIMIT_NOFILE, &rl);
}

static _Noreturn void child_main(const struct keeper_options *o, pid_t keeper, int exec_fd)
{
	/* The order matters: a change of user would clear the death signal, and a keeper that was
	 * killed before it was set is found by the parent's pid. */
	if (prctl(PR_SET_PDEATHSIG, o->death_signal) < 0)
		child_fail(exec_fd, "cannot tie to the keeper", o->argv[0]);
	if (getppid() != keeper)
		_exit(127);
	if (place_descriptors(o, &exec_fd) < 0)
		child_fail(exec_fd, "cannot hand on the descriptors of", o->argv[0]);
	if (chdir(o->cwd) < 0)
		child_fail(exec_fd, "cannot change to the directory", o->cwd);
	reset_signals();
	limit_files(o->nofile);
	execv(o->argv[0], o->argv);
	child_fail(exec_fd, "cannot run", o->argv[0]);
}

/* The keeper's own copies would hide the end of file from who reads the other ends. */
static void release_descriptors(const struct keeper_options *o)
{
	for (size_t i = 0; i < o->ntargets; i++)
		close(KEEPER_FIRST_FD + (int)i);
	dup2(STDIN_FILENO, STDOUT_FILENO);
	dup2(STDIN_FILENO, STDERR_FILENO);
}

pid_t keeper_fork(const struct keeper_options *o, int *exec_fd)
{
	pid_t keeper = getpid();
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	/* fork and nothing shorter: inherited counters follow it. */
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		child_main(o, keeper, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		pid = -errno;
		close(ends[0]);
		return pid;
	}
	release_descriptors(o);
	*exec_fd = ends[0];
	return pid;
}
