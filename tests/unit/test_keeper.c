/* The keeper's protocol, spoken by hand on its socket. */
#include "config.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/keeper.h"
#include "proc_support.h"

enum { ARGS_MAX = 20, LIMIT_MS = 10000 };

struct keeper_bench {
	pid_t pid;
	int fd; /* our end */
	char mark[64];
};

/* Starts it with these arguments (NULL at the end); its descriptor 3 is a socket to us. */
static void start(struct keeper_bench *k, const char *const *args)
{
	char *argv[ARGS_MAX] = {NULL};
	char path[4200];
	int ends[2];

	snprintf(path, sizeof(path), "%s/cputop-keeper", getenv("CPUTOP_LIBEXEC"));
	snprintf(k->mark, sizeof(k->mark), "%s", support_new_mark());
	argv[0] = path;
	for (size_t i = 0; args[i] && i + 2 < ARGS_MAX; i++)
		argv[i + 1] = strdup(args[i]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	k->pid = fork();
	if (k->pid == 0) {
		char *env[] = {k->mark, NULL};
		int null = open("/dev/null", O_RDWR);

		/* out of the way of 3, which either end may be */
		ends[1] = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		dup2(ends[1], KEEPER_CONTROL_FD);
		execve(path, argv, env);
		_exit(99);
	}
	close(ends[1]);
	k->fd = ends[0];
	for (size_t i = 1; argv[i]; i++)
		free(argv[i]);
}

static void say(const struct keeper_bench *k, const char *text)
{
	assert_int_equal(send(k->fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* The next line, without its end; empty at end of file. Static. */
static const char *hear(const struct keeper_bench *k)
{
	static char line[512];
	struct pollfd p = {.fd = k->fd, .events = POLLIN};
	size_t n = 0;

	while (n < sizeof(line) - 1) {
		assert_int_equal(poll(&p, 1, LIMIT_MS), 1);
		if (read(k->fd, line + n, 1) <= 0 || line[n] == '\n')
			break;
		n++;
	}
	line[n] = '\0';
	return line;
}

/* Its exit status; nothing may be left of the tree. */
static int finish(struct keeper_bench *k)
{
	int status = -1;

	assert_true(support_wait_marked(k->mark, 0, LIMIT_MS));
	close(k->fd);
	waitpid(k->pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_life(void **state)
{
	static const char *const args[] = {"--name", "x", "--", "/bin/sh", "-c", "exit 5", NULL};
	struct keeper_bench k;
	int pid;

	(void)state;
	start(&k, args);
	assert_string_equal(hear(&k), "held");
	say(&k, "go\n");
	assert_int_equal(sscanf(hear(&k), "started %d", &pid), 1);
	assert_true(pid > 1 && pid != k.pid);
	assert_string_equal(hear(&k), "exited 5 0");
	assert_string_equal(hear(&k), "");
	assert_int_equal(finish(&k), 0);
}

static void test_lines_in_pieces(void **state)
{
	static const char *const args[] = {"--", "/bin/sleep", "1000", NULL};
	struct keeper_bench k;

	(void)state;
	start(&k, args);
	assert_string_equal(hear(&k), "held");
	say(&k, "nonsense\n\ngo away\ng");
	say(&k, "o\ngo\nstop please\n");
	assert_int_equal(strncmp(hear(&k), "started ", 8), 0);
	for (int i = 0; i < 1000; i++)
		say(&k, "a very long line without an end ");
	say(&k, "\nst");
	say(&k, "op\n");
	assert_string_equal(hear(&k), "exited -1 15");
	assert_string_equal(hear(&k), "");
	assert_int_equal(finish(&k), 0);
}

static void test_end_of_file_while_held(void **state)
{
	static const char *const args[] = {"--", "/bin/sleep", "1000", NULL};
	struct keeper_bench k;

	(void)state;
	start(&k, args);
	assert_string_equal(hear(&k), "held");
	shutdown(k.fd, SHUT_WR);
	assert_string_equal(hear(&k), "");
	assert_int_equal(finish(&k), 0);
}

static void test_go_after_stop(void **state)
{
	static const char *const args[] = {"--", "/bin/sleep", "1000", NULL};
	struct keeper_bench k;

	(void)state;
	start(&k, args);
	assert_string_equal(hear(&k), "held");
	say(&k, "stop\ngo\n");
	assert_string_equal(hear(&k), "");
	assert_int_equal(finish(&k), 0);
}

/* Not our child, so that only /proc tells. */
static void await_stopped(pid_t pid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int ms = 0; ms < LIMIT_MS; ms++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = read(fd, text, sizeof(text) - 1);
		const char *end;

		close(fd);
		assert_true(n > 0);
		text[n] = '\0';
		end = strrchr(text, ')');
		if (end && end[2] == 'T')
			return;
		usleep(1000);
	}
	fail_msg("%d does not stop", (int)pid);
}

/* A program that was stopped by a signal ends all the same. */
static void test_stopped_program(void **state)
{
	static const char *const args[] = {"--kill-after", "5000", "--",
					   "/bin/sleep",   "1000", NULL};
	struct keeper_bench k;
	int pid = 0;

	(void)state;
	start(&k, args);
	assert_string_equal(hear(&k), "held");
	say(&k, "go\n");
	assert_int_equal(sscanf(hear(&k), "started %d", &pid), 1);
	kill(pid, SIGSTOP);
	await_stopped(pid);
	say(&k, "stop\n");
	assert_string_equal(hear(&k), "exited -1 15");
	assert_int_equal(finish(&k), 0);
}

/* The kernel ends the program when nobody else is there to do it. */
static void test_killed(void **state)
{
	static const char *const args[] = {"--death-signal", "12",   "--",
					   "/bin/sleep",     "1000", NULL};
	struct keeper_bench k;

	(void)state;
	start(&k, args);
	assert_string_equal(hear(&k), "held");
	say(&k, "go\n");
	assert_int_equal(strncmp(hear(&k), "started ", 8), 0);
	kill(k.pid, SIGKILL);
	assert_int_equal(finish(&k), -SIGKILL);
}

static void test_bad_arguments(void **state)
{
	static const char *const bad[][5] = {
		{NULL},
		{"--", NULL},
		{"--unknown", "x", "--", "/bin/true", NULL},
		{"--stop-signal", "0", "--", "/bin/true", NULL},
		{"--stop-signal", "TERM", "--", "/bin/true", NULL},
		{"--kill-after", "-1", "--", "/bin/true", NULL},
		{"--nofile", "x", "--", "/bin/true", NULL},
		{"--fds", "2", "--", "/bin/true", NULL},
		{"--fds", "3,,4", "--", "/bin/true", NULL},
		{"--groups", "1,x", "--", "/bin/true", NULL},
		{"--uid", "1", "--", "/bin/true", NULL},
	};
	struct keeper_bench k;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		start(&k, bad[i]);
		assert_string_equal(hear(&k), "");
		assert_int_equal(finish(&k), 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_lines_in_pieces),
		cmocka_unit_test(test_end_of_file_while_held),
		cmocka_unit_test(test_go_after_stop),
		cmocka_unit_test(test_stopped_program),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_bad_arguments),
	};

	support_find_libexec();
	return cmocka_run_group_tests_name("keeper", tests, NULL, NULL);
}
