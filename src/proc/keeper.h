/*
 * The parts of cputop-keeper, which see each other only here. What a keeper is for: child.h.
 *
 * It speaks lines on descriptor 3, a socket whose other end only cputop has.
 *   up:    "held", "started PID", "failed TEXT" (the program could not be run), "exited CODE
 * SIGNAL" (one of them is -1 and 0) down:  "go", "stop", "kill"; end of file means that cputop has
 * ended Descriptors 4 and above are handed on to the program under the numbers given by --fds.
 */
#ifndef CPUTOP_KEEPER_H
#define CPUTOP_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define KEEPER_CONTROL_FD 3
#define KEEPER_FIRST_FD   4
#define KEEPER_FDS_MAX    16
#define KEEPER_GROUPS_MAX 1024
#define KEEPER_TEXT_MAX   400
/* Once cputop has ended its trees get no longer than this before they are killed. */
#define KEEPER_EOF_KILL_MS 1500

struct keeper_options {
	int stop_signal;  /* to the program on "stop" */
	int eof_signal;   /* to the program when cputop has ended */
	int death_signal; /* the program gets it from the kernel when the keeper is killed */
	unsigned kill_after_ms;
	bool drop, have_gid; /* change to the following user */
	uid_t uid;
	gid_t gid;
	gid_t groups[KEEPER_GROUPS_MAX];
	size_t ngroups;
	const char *cwd;
	unsigned long nofile;        /* soft limit of open files for the program; 0: as inherited */
	int targets[KEEPER_FDS_MAX]; /* numbers in the program of descriptors 4, 5, ... */
	size_t ntargets;
	char *const *argv; /* of the program; argv[0] is its path */
};

/* Makes a process group of its own, blocks signals, closes what is not its own, drops privileges
 * and becomes subreaper. Returns 0, or -errno with text (of KEEPER_TEXT_MAX bytes) saying what
 * failed. */
int keeper_prepare(const struct keeper_options *o, char *text);

/* Forks the program. *exec_fd then reads either the reason why it could not be executed, or nothing
 * and end of file when it runs. Returns its pid, or -errno. */
pid_t keeper_fork(const struct keeper_options *o, int *exec_fd);

/* Waits for "go", runs the program, reaps, stops; returns when no child is left. */
int keeper_run(const struct keeper_options *o);

/* One line to cputop; fmt without the newline. Lost when cputop has ended. */
void keeper_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
