/* What a session leaves behind: the table, the snapshot, the folder of -o. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/session_internal.h"
#include "lib/clock.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "result/table.h"

#define LOG_COPY_MAX (4u << 20)

/* Makes a folder and those above it. */
static int make_dirs(const char *path)
{
	char part[4200];

	snprintf(part, sizeof(part), "%s", path);
	for (char *p = part + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return mkdir(part, 0777) < 0 && errno != EEXIST ? -errno : 0;
}

static int check_writable(const char *file, const char *option, struct err *err)
{
	const char *slash = strrchr(file, '/');
	struct stat st;
	char dir[4200];

	if (stat(file, &st) == 0 && S_ISDIR(st.st_mode) && (!slash || slash[1]))
		return err_set(err, -EISDIR, "%s: %s is a folder; name a file", option, file);

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
	if (access(dir, W_OK) < 0)
		return err_set(err, -errno, "%s: cannot write into %s: %s; name another place",
			       option, dir, strerror(errno));
	return 0;
}

int output_prepare(struct session *s, struct err *err)
{
	const struct app_options *o = s->opt;
	char probe[4200];
	int rc;

	if (o->json && strcmp(o->json, "-") != 0 && check_writable(o->json, "--json", err) < 0)
		return -EACCES;
	if (!o->output)
		return 0;
	rc = make_dirs(o->output);
	if (rc < 0)
		return err_set(err, rc, "--output: cannot make %s: %s; name another place",
			       o->output, strerror(-rc));
	snprintf(probe, sizeof(probe), "%s/", o->output);
	return check_writable(probe, "--output", err);
}

int output_run_dir(struct session *s, struct err *err)
{
	const char *top = s->opt->output ? s->opt->output : s->tmp.path;
	int rc;

	snprintf(s->run_dir, sizeof(s->run_dir), "%.4000s/%02u-%s-%.64s", top, s->runs,
		 dialect_name(s->want_dialect), s->variants[s->want_variant].name);
	rc = make_dirs(s->run_dir);
	if (rc < 0)
		return err_set(err, rc, "cannot make %s: %s", s->run_dir, strerror(-rc));
	return 0;
}

static void complain(struct session *s, int rc, const struct err *err)
{
	if (rc < 0)
		session_say(s, MESSAGE_ERROR, "%s", err->text);
}

void output_window(struct session *s, const struct window *w)
{
	struct err err = {0};
	char path[4300], number[16] = "";

	if (!s->opt->output)
		return;
	if (s->run_windows++) /* live: a run has as many as are asked for */
		snprintf(number, sizeof(number), "-%u", s->run_windows);
	snprintf(path, sizeof(path), "%s/before%s.json", s->run_dir, number);
	complain(s, snapshot_write_sample(&w->before, path, &err), &err);
	snprintf(path, sizeof(path), "%s/after%s.json", s->run_dir, number);
	complain(s, snapshot_write_sample(&w->after, path, &err), &err);
}

void output_sizes(struct session *s, const struct snapshot_table *tables, size_t n,
		  bool after_window)
{
	struct err err = {0};
	char path[4300], number[16] = "";

	if (!s->opt->output)
		return;
	if (after_window && s->run_windows)
		snprintf(number, sizeof(number), "-%u", s->run_windows + 1);
	snprintf(path, sizeof(path), "%s/sizes%s%s.json", s->run_dir, after_window ? "-after" : "",
		 number);
	complain(s, snapshot_write_sizes(tables, n, path, &err), &err);
}

/* The server's log so far goes to the run's folder; the server itself may serve more runs. */
void output_run_end(struct session *s)
{
	const struct server *server = s->servers[s->model.dialect].server;
	char path[4300];
	int fd, rc;

	if (!s->opt->output || !server)
		return;
	snprintf(path, sizeof(path), "%s/server.log", s->run_dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	rc = fd < 0 ? -errno : server_copy_log(server, fd, LOG_COPY_MAX);
	if (rc < 0)
		session_say(s, MESSAGE_ERROR, "cannot write %s: %s", path, strerror(-rc));
	if (fd >= 0)
		close(fd);
}

bool session_complete(const struct session *s)
{
	size_t valid = 0;

	for (size_t i = 0; i < s->windows.len; i++)
		valid += s->windows.items[i]->valid;
	return !s->signal && !s->failed && valid >= s->plan.len;
}

int session_status(const struct session *s)
{
	bool wrong = s->failed || (!s->live && !session_complete(s));

	for (size_t i = 0; i < s->nresults; i++)
		wrong = wrong || result_is_broken(&s->results[i]);
	return wrong;
}

static size_t list_databases(const struct session *s, struct snapshot_database *db)
{
	size_t n = 0;

	for (size_t i = 0; i < s->ndialects; i++) {
		const struct server_facts *f = &s->facts[s->dialects[i]];
		struct snapshot_setting *set;

		if (!f->known)
			continue;
		set = xcalloc(f->settings.len + 1, sizeof(*set));
		for (size_t k = 0; k < f->settings.len; k++)
			set[k] = (struct snapshot_setting){f->settings.items[k].name,
							   f->settings.items[k].value};
		db[n++] = (struct snapshot_database){
			.dialect = s->dialects[i],
			.version = f->version,
			.binary = f->binary,
			.settings = set,
			.nsettings = f->settings.len,
		};
	}
	return n;
}

int output_snapshot(struct session *s, const char *path, const struct window *extra,
		    struct err *err)
{
	const struct window **windows = xcalloc(s->windows.len + 2, sizeof(*windows));
	struct snapshot_database db[DIALECT_COUNT];
	size_t n = 0, ndb = list_databases(s, db);
	struct snapshot snap = {
		.created_wall_ns = clock_wall_ns(),
		.complete = session_complete(s),
		.host = &s->host,
		.counters = measure_counters(s->measure),
		.workload = &s->model.workload,
		.from_environment = (const char *const *)s->opt->from_environment.items,
		.nfrom_environment = s->opt->from_environment.len,
		.databases = db,
		.ndatabases = ndb,
		.variants = s->variants,
		.nvariants = s->nvariants,
		.windows = windows,
		.results = s->results,
		.nresults = s->nresults,
	};
	int rc;

	measure_host_noise(&s->host.after, "/proc");
	while (n < s->windows.len) {
		windows[n] = s->windows.items[n];
		n++;
	}
	if (extra)
		windows[n++] = extra;
	snap.nwindows = n;
	rc = snapshot_write(&snap, path, err);
	for (size_t i = 0; i < ndb; i++)
		free((void *)(uintptr_t)db[i].settings);
	free(windows);
	return rc;
}

int output_state_path(char *out, size_t size)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char dir[4000];
	int rc;

	if (xdg && *xdg)
		snprintf(dir, sizeof(dir), "%s/cputop", xdg);
	else if (home && *home)
		snprintf(dir, sizeof(dir), "%s/.local/state/cputop", home);
	else
		return -ENOENT;
	rc = make_dirs(dir);
	if (rc == 0)
		snprintf(out, size, "%s/last.json", dir);
	return rc;
}

static void print_table(struct session *s, FILE *out)
{
	struct strbuf sb;

	if (!s->nresults)
		return;
	strbuf_init(&sb);
	table_print(&sb, s->results, s->nresults, measure_counters(s->measure));
	fwrite(sb.buf, 1, sb.len, out);
	errno = 0;
	if ((fflush(out) != 0 || ferror(out)) && errno != EPIPE && errno != EIO) {
		fprintf(stderr, "cputop: error: cannot write the table: %s\n", strerror(errno));
		s->status = 1;
	}
	strbuf_release(&sb);
}

static void write_snapshot(struct session *s, const char *path)
{
	struct err err = {0};

	if (output_snapshot(s, path, NULL, &err) == 0 || err.code == -EPIPE)
		return;
	fprintf(stderr, "cputop: error: %s\n", err.text);
	s->status = 1;
}

void output_finish(struct session *s)
{
	bool json_stdout = s->opt->json && !strcmp(s->opt->json, "-");
	char path[4300];

	if (!s->ended)
		return;
	print_table(s, json_stdout ? stderr : stdout);
	if (s->opt->json)
		write_snapshot(s, s->opt->json);
	if (s->opt->output) {
		snprintf(path, sizeof(path), "%s/snapshot.json", s->opt->output);
		write_snapshot(s, path);
	}
	if (s->live && output_state_path(path, sizeof(path)) == 0)
		write_snapshot(s, path);
}
