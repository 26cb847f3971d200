/* Asking a program what it is. What it says on either output is its answer: why it cannot run is an
 * answer too. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "server/engine.h"

#define ANSWER_MS 5000

enum { ARGS_MAX = 4 };

/* Reads until the end, but not for ever; false when it did not come in time. */
static bool read_answer(int fd, char *out, size_t size)
{
	uint64_t end = clock_now_ns() + ANSWER_MS * NS_PER_MS, now;
	bool ended = false;
	size_t len = 0;

	while (!ended && len + 1 < size && (now = clock_now_ns()) < end) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, (int)((end - now) / NS_PER_MS) + 1) <= 0)
			continue;
		n = read(fd, out + len, size - 1 - len);
		ended = n == 0 || (n < 0 && errno != EINTR);
		len += n > 0 ? (size_t)n : 0;
	}
	out[len] = '\0';
	return ended;
}

/* Starts it with both outputs in fd. */
static int start(const char *program, const char *const *args, int fd, pid_t *pid)
{
	char name[SERVER_PATH_MAX], text[ARGS_MAX][64];
	char *argv[ARGS_MAX + 2] = {name};
	posix_spawn_file_actions_t actions;
	int rc;

	text_copy(name, sizeof(name), program);
	for (size_t i = 0; i < ARGS_MAX && args[i]; i++) {
		text_copy(text[i], sizeof(text[i]), args[i]);
		argv[i + 1] = text[i];
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fd, STDERR_FILENO);
	rc = posix_spawn(pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

bool server_ask(const char *program, const char *const *args, char *out, size_t size)
{
	int fds[2], rc, status = -1;
	pid_t pid;

	out[0] = '\0';
	if (pipe2(fds, O_CLOEXEC) != 0)
		return false;
	rc = start(program, args, fds[1], &pid);
	close(fds[1]);
	if (rc == 0) {
		if (!read_answer(fds[0], out, size))
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	} else {
		text_copy(out, size, strerror(rc));
	}
	close(fds[0]);
	return rc == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool server_ask_version(enum dialect d, const char *program, char *out, size_t size)
{
	const struct server_ops *ops = server_ops_for(d);

	return server_ask(program, ops->version_args, out, size);
}
