/*
 * cputop-icount: runs a command under the icount tool and says how many instructions it and its
 * children ran. See cputop-icount(1).
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "measure/icount_read.h"
#include "measure/icount_run.h"
#include "model/run_prefix.h"
#include "proc/child.h"
#include "proc/tmpdir.h"

#define STATUS_OWN  125 /* we failed; the other numbers are the command's */
#define THREADS_MAX 64

extern char **environ;

static int complain(const struct err *err)
{
	fprintf(stderr, "cputop-icount: %s\n", err->text);
	return STATUS_OWN;
}

static void usage(FILE *out)
{
	fputs("usage: cputop-icount [-v] [-o FILE] COMMAND [ARGUMENT ...]\n"
	      "Runs COMMAND and prints how many instructions it and its children ran.\n"
	      "  -o, --output FILE  where to print (standard error)\n"
	      "  -v, --verbose      a line for each process, and for each thread of those that "
	      "have "
	      "several\n"
	      "  -h, --help         this help\n"
	      "  -V, --version      the version\n",
	      out);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void print_threads(const struct icount_reader *r, unsigned slot, FILE *out)
{
	struct icount_thread_count t[THREADS_MAX];
	size_t n = icount_threads(r, slot, t, THREADS_MAX);

	for (size_t i = 0; n > 1 && i < n; i++) {
		if (t[i].tid)
			fprintf(out, "%14" PRIu64 "    thread %d\n", t[i].instructions,
				(int)t[i].tid);
		else
			fprintf(out, "%14" PRIu64 "    threads that ended\n", t[i].instructions);
	}
}

static void print_processes(const struct icount_reader *r, FILE *out)
{
	struct icount_life l;
	struct strbuf exe;

	strbuf_init(&exe);
	for (unsigned i = 0; i < icount_slots(r); i++) {
		if (!icount_slot(r, i, &l))
			continue;
		strbuf_reset(&exe);
		escape_text(&exe, l.exe, strlen(l.exe), true);
		fprintf(out, "%14" PRIu64 "  process %d of %d: %s\n", l.instructions, (int)l.pid,
			(int)l.ppid, exe.buf);
		print_threads(r, i, out);
	}
	strbuf_release(&exe);
}

static int report(struct icount_reader *r, pid_t pid, const char *command, bool verbose, FILE *out)
{
	uint64_t total, others;
	struct icount_life l;
	struct err err = {0};
	struct strbuf name;

	if (icount_update(r, &err) < 0)
		return complain(&err);
	others = icount_lives(r);
	if (!others) {
		err_set(&err, -EIO, "nothing was counted: %s did not start", command);
		return complain(&err);
	}
	total = icount_total(r);
	fprintf(out, "%" PRIu64 " instructions in user mode", total);
	strbuf_init(&name);
	escape_text(&name, base_name(command), strlen(base_name(command)), true);
	if (icount_find(r, pid, 0, &l))
		fprintf(out, ": %" PRIu64 " of %s, %" PRIu64 " of %" PRIu64 " other process%s",
			l.instructions, name.buf, total - l.instructions, others - 1,
			others == 2 ? "" : "es");
	strbuf_release(&name);
	fputc('\n', out);
	if (icount_turned_away(r))
		fprintf(out, "%" PRIu64 " processes were not counted: too many at the same time\n",
			icount_turned_away(r));
	if (verbose)
		print_processes(r, out);
	return 0;
}

static _Noreturn void run_command(const struct run_prefix *prefix, char **argv,
				  const sigset_t *mask)
{
	char **all = run_prefix_argv(prefix, argv), **env = run_prefix_env(prefix, environ);

	sigprocmask(SIG_SETMASK, mask, NULL);
	execve(all[0], all, env);
	fprintf(stderr, "cputop-icount: cannot run %s: %s\n", all[0], strerror(errno));
	_exit(STATUS_OWN);
}

/* Signals of the keyboard reach the command by themselves; the others are handed on. */
static int wait_for(pid_t pid, const sigset_t *signals)
{
	int status, sig;

	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
		if (sigwait(signals, &sig) == 0 && (sig == SIGTERM || sig == SIGHUP))
			kill(pid, sig);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const struct run_prefix *prefix, char **argv, int *status, struct err *err)
{
	sigset_t signals, before;
	pid_t pid;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &before);
	pid = fork();
	if (pid == 0)
		run_command(prefix, argv, &before);
	if (pid < 0)
		return err_set(err, -errno, "cannot fork: %s", strerror(errno));
	*status = wait_for(pid, &signals);
	return pid;
}

static int count_command(char **argv, bool verbose, FILE *out, struct tmpdir *tmp)
{
	char tool[4096], file[4200];
	struct icount_reader *r = NULL;
	struct run_prefix *prefix = NULL;
	struct err err = {0};
	int status = STATUS_OWN, pid;

	if (child_find_program(ICOUNT_TOOL, tool, sizeof(tool), NULL) < 0)
		tool[0] = '\0';
	snprintf(file, sizeof(file), "%s/icount", tmp->path);
	prefix = icount_prefix_new(tool[0] ? tool : NULL, file, &err);
	if (!prefix || icount_create(file, &err) < 0)
		goto out;
	r = icount_open(file, &err);
	if (!r)
		goto out;
	pid = run(prefix, argv, &status, &err);
	if (pid > 0 && report(r, pid, argv[0], verbose, out) != 0 && status == 0)
		status = STATUS_OWN;
out:
	if (err.code)
		status = complain(&err);
	icount_close(r);
	run_prefix_free(prefix);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"verbose", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	static struct tmpdir tmp = {.lock_fd = -1};
	const char *output = NULL;
	struct err err = {0};
	FILE *out = stderr;
	bool verbose = false;
	int c, status;

	while ((c = getopt_long(argc, argv, "+o:vhV", options, NULL)) != -1) {
		if (c == 'h' || c == 'V') {
			if (c == 'h')
				usage(stdout);
			else
				printf("cputop-icount %s\n", PACKAGE_VERSION);
			return 0;
		}
		if (c == '?')
			return STATUS_OWN;
		if (c == 'o')
			output = optarg;
		else
			verbose = true;
	}
	if (optind >= argc) {
		usage(stderr);
		return STATUS_OWN;
	}
	if (output && !(out = fopen(output, "we"))) {
		err_set(&err, -errno, "cannot write %s: %s", output, strerror(errno));
		return complain(&err);
	}
	if (tmpdir_create(&tmp, &err) < 0)
		return complain(&err);
	status = count_command(argv + optind, verbose, out, &tmp);
	tmpdir_remove(&tmp);
	return fclose(out) == 0 ? status : STATUS_OWN;
}
