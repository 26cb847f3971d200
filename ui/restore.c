/*
 * The crash handler writes a fixed string, sets the terminal's modes as they were, and lets the
 * signal take its course with the handler that was there before (the default, or a sanitizer's).
 */
#include "config.h"

#include "ui/restore.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "lib/xalloc.h"

/* Mouse off, bracketed paste off, normal screen, no attributes, cursor shown, ASCII, no application
 * keys. */
#define RESET                                                                                \
	"\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?1049l\033[0m\033[?25h" \
	"\033(B\017\033[?1l\033>\r"

static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct {
	volatile sig_atomic_t fd; /* -1: not armed */
	struct termios modes;
	struct sigaction old[SIGNALS];
} saved = {.fd = -1};

static char stack[64 * 1024]; /* a stack overflow must be able to say goodbye as well */

void restore_now(void)
{
	int fd = saved.fd;
	ssize_t ignored;

	if (fd < 0)
		return;
	saved.fd = -1;
	ignored = write(fd, RESET, sizeof(RESET) - 1);
	(void)ignored;
	tcsetattr(fd, TCSANOW, &saved.modes);
}

static void crash(int sig, siginfo_t *info, void *context)
{
	(void)context;
	restore_now();
	for (size_t i = 0; i < SIGNALS; i++) {
		if (signals[i] == sig)
			sigaction(sig, &saved.old[i], NULL);
	}
	/* A fault comes again by itself, with its address; anything else has to be raised. */
	if (info->si_code <= 0)
		raise(sig);
}

static void set_handlers(void)
{
	struct sigaction sa;
	stack_t ss;

	if (sigaltstack(NULL, &ss) == 0 && (ss.ss_flags & SS_DISABLE)) {
		memset(&ss, 0, sizeof(ss));
		ss.ss_sp = stack;
		ss.ss_size = sizeof(stack);
		sigaltstack(&ss, NULL);
	}
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = crash;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &sa, &saved.old[i]);
}

void restore_arm(int fd)
{
	static int at_exit;

	if (tcgetattr(fd, &saved.modes) < 0)
		return;
	set_handlers();
	xalloc_set_hook(restore_now);
	if (!at_exit)
		at_exit = atexit(restore_now) == 0;
	saved.fd = fd;
}

void restore_disarm(void)
{
	if (saved.fd < 0)
		return;
	saved.fd = -1;
	xalloc_set_hook(NULL);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &saved.old[i], NULL);
}
