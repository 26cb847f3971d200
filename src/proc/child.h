/*
 * A program under a keeper. cputop starts everything this way:
 *
 *   cputop -- uv_spawn --> cputop-keeper -- fork, exec --> the program
 *
 * The keeper makes a process group of its own, drops privileges, becomes subreaper and says "held";
 * cputop then opens its counters on the keeper's pid (in on_held) and calls child_release; the
 * keeper forks, and the child execs. The keeper reaps everything below it. At end of file on its
 * control socket, however cputop ended, it stops the tree.
 *
 * Life: child_spawn -> on_held -> child_release -> on_started -> (child_stop) -> on_exit, after
 * which the tree is gone and the keeper with it; child_free may be called in or after on_exit only.
 * A keeper that is killed ends in on_exit as well. A program that ends by itself while others of
 * its tree run on (it forked them away) has these stopped too, unless on_left is there to decide.
 */
#ifndef CPUTOP_CHILD_H
#define CPUTOP_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

struct err;
struct child;

struct child_fd {
	int fd;     /* borrowed: a descriptor of cputop; the spawned keeper gets a copy */
	int target; /* its number in the program: 3 and above */
};

struct child_status {
	bool exited;        /* the program itself ended (false: the keeper was killed first) */
	int code;           /* exit status of the program, -1 when a signal ended it */
	int signal;         /* the signal that ended it, 0 otherwise */
	bool keeper_killed; /* the keeper did not end by itself */
};

struct child_callbacks {
	/* The keeper waits: open counters on pid, then child_release. */
	void (*on_held)(struct child *, pid_t keeper, void *arg);
	/* The program runs (exec succeeded). */
	void (*on_started)(struct child *, pid_t pid, void *arg);
	/* The program ended; others of its tree, if there are any, run on until child_stop. NULL:
	 * they are stopped at once. */
	void (*on_left)(struct child *, const struct child_status *status, void *arg);
	/* The program could not be started or its keeper was killed (reason is one line that begins
	 * with its name), or it ended (reason is NULL). Called once, last. */
	void (*on_exit)(struct child *, const struct child_status *status, const char *reason,
			void *arg);
};

struct child_spec {
	const char *name;  /* for messages: "worker", "postgres" */
	char *const *argv; /* argv[0] is a path */
	char *const *env;  /* the whole environment; NULL: cputop's own */
	const char *cwd;   /* NULL: "/" */
	bool drop;         /* change to uid and gid (and its groups) before anything else */
	uid_t uid;
	gid_t gid;
	int stop_signal;        /* sent to the program on child_stop: TERM, INT, QUIT */
	int eof_signal;         /* when cputop itself has ended; 0: the stop signal */
	int death_signal;       /* when its keeper is killed; 0: KILL */
	unsigned kill_after_ms; /* then KILL to the whole tree; after end of file at most 1500 */
	int output_fd; /* borrowed: standard output and error of the program, -1: /dev/null */
	const struct child_fd *fds;
	size_t nfds;
	struct child_callbacks cb;
	void *arg;
};

/* Where cputop-keeper and cputop-load are: CPUTOP_LIBEXEC (for tests), beside the running binary (a
 * build tree), or the installed libexec directory. Writes the path into out. Returns 0 or -ENOENT
 * with err. */
int child_find_program(const char *name, char *out, size_t size, struct err *err);

/* Looks up a user by name. Returns 0 or -ENOENT with err. */
int child_find_user(const char *name, uid_t *uid, gid_t *gid, struct err *err);

/* Call before cputop raises its own soft limit of open files: programs that are started from then
 * on get the one that was in force at this moment, as what they do may depend on it. */
void child_remember_limits(void);

/* Starts the keeper. Returns NULL with err when it cannot be spawned; then no callback is called.
 */
struct child *child_spawn(uv_loop_t *loop, const struct child_spec *spec, struct err *err);
void child_release(struct child *c);
/* Asks the keeper to stop the tree; on_exit follows. May be called in any state, more than once. */
void child_stop(struct child *c);
/* SIGKILL to the program's tree at once (by the keeper); on_exit follows. */
void child_kill(struct child *c);
pid_t child_keeper_pid(const struct child *c);
pid_t child_pid(const struct child *c); /* of the program, 0 before on_started */
void child_free(struct child *c);       /* NULL is fine */

#endif
