#include "config.h"

#include "app/app.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "app/check.h"
#include "app/session.h"
#include "lib/asan.h"
#include "lib/err.h"
#include "lib/xalloc.h"
#include "model/variant.h"
#include "proc/child.h"
#include "variant/variant.h"

#define BUILTIN_MAX 64

static int complain(const struct err *err, int status)
{
	fprintf(stderr, "cputop: %s\n", err->text);
	return status;
}

static int list_variants(void)
{
	struct variant *v = xcalloc(BUILTIN_MAX, sizeof(*v));
	struct err err = {0};
	size_t n = variant_builtin(v, BUILTIN_MAX, &err);

	for (size_t i = 0; i < n; i++)
		printf("%-14s %s\n", v[i].name, v[i].title);
	for (size_t i = 0; i < n; i++)
		printf("%s%s\n", i ? "" : "\n", v[i].dir);
	free(v);
	return n ? 0 : complain(&err, 1);
}

/* What was asked for is on standard output, or the status says that it is not. */
static int printed(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status; /* the reader has had enough */
	fprintf(stderr, "cputop: cannot write to standard output: %s\n", strerror(errno));
	return 1;
}

/* A standard stream that is closed must not become one of our files. */
static void open_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Descriptors for a few hundred processes, each with two or three files. */
static void raise_file_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur < rl.rlim_max) {
		rl.rlim_cur = rl.rlim_max < 65536 ? rl.rlim_max : 65536;
		setrlimit(RLIMIT_NOFILE, &rl);
	}
}

static void name_environment(const struct app_options *o)
{
	for (size_t i = 0; o->batch && i < o->from_environment.len; i++) {
		const char *name = o->from_environment.items[i], *value = getenv(name);

		fprintf(stderr, "cputop: %s=%s from the environment\n", name, value ? value : "");
	}
}

static struct session_end run_session(const struct app_options *o, const struct frontend *frontend)
{
	struct session_end end = {.status = 1};
	struct err err = {0};
	uv_loop_t loop;
	struct session *s;
	int rc;

	uv_loop_init(&loop);
	s = session_new(&loop, o, &err, &end.status);
	if (!s) {
		complain(&err, end.status);
		if (uv_loop_close(&loop) != 0)
			abort();
		return end;
	}
	rc = session_start(s, o->batch ? NULL : frontend, &err);
	uv_run(&loop, UV_RUN_DEFAULT);
	if (rc < 0)
		complain(&err, 1);
	end = session_finish(s);
	session_free(s);
	if (uv_loop_close(&loop) != 0)
		abort(); /* a handle of ours was not closed */
	return end;
}

int app_main(int argc, char **argv, const struct frontend *frontend)
{
	struct session_end end = {0};
	struct app_options o;
	struct err err = {0};

	open_streams();
	setlocale(LC_CTYPE, ""); /* numbers are written without regard to the locale */
	signal(SIGPIPE, SIG_IGN);
	child_remember_limits();
	raise_file_limit();
	if (argc > 1 && !strcmp(argv[1], "check"))
		return check_main(argc - 1, argv + 1);
	app_options_init(&o);
	if (app_options_load(&o, argc, argv, &err) < 0) {
		end.status = complain(&err, 2);
	} else if (o.help) {
		options_help(&app_option_table, stdout);
		end.status = printed(0);
	} else if (o.version) {
		printf("cputop %s\n", PACKAGE_VERSION);
		end.status = printed(0);
	} else if (o.list_variants) {
		end.status = printed(list_variants());
	} else if (!o.batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		fprintf(stderr, "cputop: the live screen needs a terminal; use cputop -b (batch) "
				"without one\n");
		end.status = 2;
	} else {
		name_environment(&o);
		end = run_session(&o, frontend);
	}
	app_options_release(&o);
	if (end.signal) {
		signal(end.signal, SIG_DFL);
		raise(end.signal);
	}
	return end.status;
}
