/*
 * Servers and clients. A server's version comes from running it with --version: a program that does
 * not answer within a few seconds is killed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/check.h"
#include "app/options.h"
#include "app/session_internal.h"
#include "db/db.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "lib/format.h"
#include "lib/xalloc.h"

#define ANSWER_MS 5000

bool check_version_number(char *out, size_t size, const char *text)
{
	const char *at = text;
	size_t len = 0;

	/* The first word that begins with a digit. */
	while (*at && !(*at >= '0' && *at <= '9' && (at == text || at[-1] == ' ')))
		at++;
	len = strspn(at, "0123456789.");
	while (len > 0 && at[len - 1] == '.')
		len--;
	if (len >= size)
		len = 0;
	memcpy(out, at, len);
	out[len] = '\0';
	return len > 0;
}

/* Reads until the end, but not for ever. */
static void read_answer(int fd, char *out, size_t size)
{
	uint64_t end = clock_now_ns() + ANSWER_MS * NS_PER_MS, now;
	size_t len = 0;

	while (len + 1 < size && (now = clock_now_ns()) < end) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, (int)((end - now) / NS_PER_MS) + 1) <= 0)
			continue;
		n = read(fd, out + len, size - 1 - len);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	out[len] = '\0';
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* What PROGRAM --version writes, in out. */
static void ask_version(const char *program, char *out, size_t size)
{
	char option[] = "--version", name[4096];
	char *const argv[] = {name, option, NULL};
	posix_spawn_file_actions_t actions;
	int fds[2];
	pid_t pid;

	out[0] = '\0';
	if (pipe2(fds, O_CLOEXEC) != 0)
		return;
	text_copy(name, sizeof(name), program);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	if (posix_spawn(&pid, program, &actions, NULL, argv, environ) == 0) {
		close(fds[1]);
		fds[1] = -1;
		read_answer(fds[0], out, size);
		kill(pid, SIGKILL); /* it has said what it had to */
		wait_for(pid);
	}
	posix_spawn_file_actions_destroy(&actions);
	if (fds[1] >= 0)
		close(fds[1]);
	close(fds[0]);
}

static void check_server(struct check_server *s, enum dialect d, const struct session *session)
{
	struct server_options so;
	struct err err = {0};
	char text[512], *remedy;

	session_server_options(session, d, &so);
	s->found.available = server_find(d, &so, s->binary, sizeof(s->binary), &err);
	if (s->found.available) {
		ask_version(s->binary, text, sizeof(text));
		check_version_number(s->version, sizeof(s->version), text);
		return;
	}
	s->binary[0] = '\0';
	remedy = strstr(err.text, "; ");
	if (remedy) {
		*remedy = '\0';
		text_copy(s->found.remedy, sizeof(s->found.remedy), remedy + 2);
	}
	text_copy(s->found.reason, sizeof(s->found.reason), err.text);
}

static void check_client(struct check_client *c, enum dialect d)
{
	const struct db_ops *ops = db_ops_for(d);
	char text[128] = "";

	if (!ops)
		return;
	text_copy(c->name, sizeof(c->name), ops->name);
	check_version_number(c->version, sizeof(c->version),
			     ops->client_version(text, sizeof(text)));
}

void check_servers(struct check *c, const struct app_options *o)
{
	/* As a session would look for them. */
	struct session *session = xcalloc(1, sizeof(*session));

	session->opt = o;
	for (unsigned d = 0; d < DIALECT_COUNT; d++) {
		check_server(&c->servers[d], (enum dialect)d, session);
		check_client(&c->clients[d], (enum dialect)d);
	}
	free(session);
}
