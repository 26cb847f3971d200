/*
 * The keeper's life: it waits in poll for a signal, a line from cputop, the outcome of exec or a
 * time-out; then it looks at everything it knows.
 *
 *   WAITING --go--> STARTING --exec--> RUNNING --reaped--> ENDED
 *      |               `----------- exec failed ------------^
 *      `--stop, end of file--> ENDED
 *
 * Stopping is beside these states: a signal to the program at once, KILL to everything from the
 * deadline on, again and again until no child is left. When the program has ended, what it left
 * behind gets the same signal, as nobody else will tell it.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "proc/descendants.h"
#include "proc/keeper.h"

enum { KILL_EVERY_MS = 10, KILL_EVERY_MAX_MS = 200 };

enum program_state { WAITING, STARTING, RUNNING, ENDED };

struct keeper {
	const struct keeper_options *o;
	enum program_state state;
	pid_t pid; /* of the program, from STARTING on */
	int signal_fd;
	int exec_fd; /* open while STARTING, else -1 */
	bool control_open;
	bool childless;
	bool stopping, killing;
	int signal; /* that stops, while stopping */
	uint64_t deadline_ns;
	unsigned kill_every_ms;
	char line[64];
	size_t line_len;
};

void keeper_say(const char *fmt, ...)
{
	char text[KEEPER_TEXT_MAX + 64];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text) - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n > sizeof(text) - 2)
		n = (int)sizeof(text) - 2;
	for (int i = 0; i < n; i++) {
		if (text[i] == '\n')
			text[i] = ' ';
	}
	text[n] = '\n';
	/* Nobody to tell it to: then end of file is on its way. */
	if (send(KEEPER_CONTROL_FD, text, (size_t)n + 1, MSG_NOSIGNAL) < 0)
		return;
}

/* A process that somebody stopped gets no other signal than KILL before it goes on. */
static void signal_all(struct keeper *k)
{
	if (k->state == ENDED) {
		descendants_signal(getpid(), k->signal);
		descendants_signal(getpid(), SIGCONT);
	} else {
		kill(k->pid, k->signal);
		kill(k->pid, SIGCONT);
	}
}

static void begin_stop(struct keeper *k, int sig, unsigned after_ms)
{
	uint64_t deadline = clock_now_ns() + after_ms * NS_PER_MS;

	if (k->state == WAITING)
		k->state = ENDED;
	if (!k->stopping || deadline < k->deadline_ns)
		k->deadline_ns = deadline;
	k->stopping = true;
	k->signal = sig;
	signal_all(k);
}

static void start_program(struct keeper *k)
{
	pid_t pid;

	if (k->state != WAITING)
		return;
	pid = keeper_fork(k->o, &k->exec_fd);
	if (pid < 0) {
		keeper_say("failed cannot fork: %s", strerror(-pid));
		k->state = ENDED;
		return;
	}
	k->pid = pid;
	k->state = STARTING;
	k->childless = false;
}

/* Reads what became of exec; waits for it, so call it when there is something to read. */
static void exec_outcome(struct keeper *k)
{
	char text[KEEPER_TEXT_MAX];
	ssize_t n;

	do {
		n = read(k->exec_fd, text, sizeof(text) - 1);
	} while (n < 0 && errno == EINTR);
	close(k->exec_fd);
	k->exec_fd = -1;
	if (n > 0) {
		text[n] = '\0';
		keeper_say("failed %s", text);
		k->state = ENDED;
	} else {
		keeper_say("started %d", (int)k->pid);
		k->state = RUNNING;
	}
}

static void program_ended(struct keeper *k, int status)
{
	if (k->state == STARTING)
		exec_outcome(k);
	if (k->state == RUNNING) {
		if (WIFSIGNALED(status))
			keeper_say("exited -1 %d", WTERMSIG(status));
		else
			keeper_say("exited %d 0", WEXITSTATUS(status));
	}
	k->state = ENDED;
	if (k->stopping)
		signal_all(k);
}

static void reap(struct keeper *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == k->pid)
			program_ended(k, status);
	}
	k->childless = pid < 0 && errno == ECHILD;
}

static void obey(struct keeper *k, const char *line)
{
	if (strcmp(line, "go") == 0)
		start_program(k);
	else if (strcmp(line, "stop") == 0)
		begin_stop(k, k->o->stop_signal, k->o->kill_after_ms);
	else if (strcmp(line, "kill") == 0)
		begin_stop(k, SIGKILL, 0);
}

static void control_ended(struct keeper *k)
{
	unsigned after = k->o->kill_after_ms;

	k->control_open = false;
	begin_stop(k, k->o->eof_signal, after < KEEPER_EOF_KILL_MS ? after : KEEPER_EOF_KILL_MS);
}

static void read_control(struct keeper *k)
{
	char buf[256];
	ssize_t n = recv(KEEPER_CONTROL_FD, buf, sizeof(buf), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		control_ended(k);
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] != '\n') {
			if (k->line_len < sizeof(k->line) - 1)
				k->line[k->line_len++] = buf[i];
			continue;
		}
		k->line[k->line_len] = '\0';
		k->line_len = 0;
		obey(k, k->line);
	}
}

static void read_signals(struct keeper *k)
{
	struct signalfd_siginfo info;

	while (read(k->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTERM)
			begin_stop(k, k->o->stop_signal, k->o->kill_after_ms);
	}
}

static void kill_when_due(struct keeper *k)
{
	if (!k->stopping || k->childless || clock_now_ns() < k->deadline_ns)
		return;
	descendants_signal(getpid(), SIGKILL);
	/* What cannot be killed (asleep in the kernel, another user's) must not cost a whole CPU.
	 */
	k->kill_every_ms = k->killing ? k->kill_every_ms * 2 : KILL_EVERY_MS;
	if (k->kill_every_ms > KILL_EVERY_MAX_MS)
		k->kill_every_ms = KILL_EVERY_MAX_MS;
	k->killing = true;
}

static int poll_timeout_ms(const struct keeper *k)
{
	uint64_t now = clock_now_ns();

	if (k->killing)
		return (int)k->kill_every_ms;
	if (!k->stopping)
		return -1;
	return now >= k->deadline_ns ? 0 : (int)((k->deadline_ns - now) / NS_PER_MS) + 1;
}

static void wait_and_handle(struct keeper *k)
{
	struct pollfd fds[] = {
		{.fd = k->signal_fd, .events = POLLIN},
		{.fd = k->control_open ? KEEPER_CONTROL_FD : -1, .events = POLLIN},
		{.fd = k->exec_fd, .events = POLLIN},
	};

	if (poll(fds, sizeof(fds) / sizeof(fds[0]), poll_timeout_ms(k)) <= 0)
		return;
	if (fds[2].revents)
		exec_outcome(k);
	if (fds[0].revents)
		read_signals(k);
	if (fds[1].revents)
		read_control(k);
}

int keeper_run(const struct keeper_options *o)
{
	struct keeper k = {.o = o, .exec_fd = -1, .control_open = true, .childless = true};
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGTERM);
	k.signal_fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (k.signal_fd < 0) {
		keeper_say("failed cannot watch signals: %s", strerror(errno));
		return 1;
	}
	keeper_say("held");
	while (k.state != ENDED || !k.childless) {
		wait_and_handle(&k);
		reap(&k);
		kill_when_due(&k);
	}
	return 0;
}
