/*
 * PostgreSQL. It accepts connections from 127.0.0.1 only, has no Unix socket, and its one account
 * that may log in needs the password. INT is its fast shutdown, QUIT the immediate one: nobody
 * needs the data once cputop has ended.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <unistd.h>

#include "lib/xalloc.h"
#include "proc/child.h"
#include "proc/notes.h"
#include "proc/tmpdir.h"
#include "server/engine.h"

/* Lines of postmaster.pid, from 0. */
enum { PID_LINE_PID = 0, PID_LINE_SHM = 6, PID_LINE_STATUS = 7, PID_LINES = 8 };

static void init_args(const struct server *s, struct server_args *a)
{
	server_arg(a, "--pgdata=%s", s->data_dir);
	server_arg(a, "--username=%s", s->dsn.user);
	server_arg(a, "--auth=scram-sha-256");
	server_arg(a, "--pwfile=%s", s->password_file);
	server_arg(a, "--encoding=UTF8");
	server_arg(a, "--locale=C");
	/* Only for the making of the directory: the server itself syncs as it does by default. */
	server_arg(a, "--no-sync");
}

static void run_args(const struct server *s, struct server_args *a)
{
	server_arg(a, "-D");
	server_arg(a, "%s", s->data_dir);
	for (size_t i = 0; i < s->nsettings; i++) {
		server_arg(a, "-c");
		server_arg(a, "%s=%s", s->settings[i].name, s->settings[i].value);
	}
	server_arg(a, "-c");
	server_arg(a, "port=%u", s->dsn.port);
	server_arg(a, "-c");
	server_arg(a, "listen_addresses=%s", s->dsn.host);
	server_arg(a, "-c");
	server_arg(a, "unix_socket_directories=");
}

/* Reads postmaster.pid and takes it apart into lines; false when it is not complete. */
static bool read_pid_file(const struct server *s, char *text, size_t size, char *lines[PID_LINES])
{
	char *path = xasprintf("%s/postmaster.pid", s->data_dir);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n;

	free(path);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (size_t i = 0; i < PID_LINES; i++) {
		lines[i] = strsep(&text, "\n");
		if (!lines[i])
			return false;
	}
	return true;
}

/* A postmaster ended by KILL leaves a segment of shared memory: remember it, also for the sweep of
 * a later start. */
static void note_segment(struct server *s, const char *line)
{
	unsigned long key, id;
	char note[64];

	if (s->shm || sscanf(line, "%lu %lu", &key, &id) != 2)
		return;
	s->shm = true;
	s->shm_key = (key_t)key;
	s->shm_id = (int)id;
	snprintf(note, sizeof(note), "shm %ld %d", s->shm_key, s->shm_id);
	/* Without the note only a start after a SIGKILL would do less. */
	if (tmpdir_note(s->tmp, note) < 0)
		return;
}

static bool is_up(struct server *s)
{
	char text[2048];
	char *lines[PID_LINES];

	if (!read_pid_file(s, text, sizeof(text), lines) ||
	    strtol(lines[PID_LINE_PID], NULL, 10) != child_pid(s->child))
		return false;
	note_segment(s, lines[PID_LINE_SHM]);
	return strncmp(lines[PID_LINE_STATUS], "ready", 5) == 0;
}

static void clean_up(struct server *s)
{
	/* In use it cannot be: the whole tree has ended. What fails here is left to the sweep. */
	if (s->shm &&
	    notes_remove_shm(s->shm_key, s->shm_id, s->drop ? s->user.uid : geteuid()) == 0)
		s->shm = false;
}

static const char *const programs[] = {"postgres", NULL};
static const char *const init_programs[] = {"initdb", NULL};
static const char *const init_dirs[] = {"", NULL};
static const char *const version_args[] = {"--version", NULL};
static const char *const usual_dirs[] = {NULL};
static const char *const places[] = {"/usr/lib/postgresql/", "/usr/pgsql-", "/usr/local/pgsql-",
				     NULL};
static const char *const reserved[] = {"port",
				       "listen_addresses",
				       "unix_socket_directories",
				       "data_directory",
				       "config_file",
				       "hba_file",
				       "ident_file",
				       "external_pid_file",
				       "logging_collector",
				       "log_destination",
				       "password_encryption",
				       "krb_server_keyfile",
				       NULL};
static const char *const severities[] = {"FATAL:", "PANIC:", "ERROR:", "initdb: error:", NULL};
static const char *const fatal[] = {"FATAL:", "PANIC:", NULL};
static const struct server_hint hints[] = {
	{"No space left on device",
	 "free space in the temporary directory, or set TMPDIR to another one"},
	{"Disk quota exceeded",
	 "free space in the temporary directory, or set TMPDIR to another one"},
	{"Address already in use", "give another port with --postgres-port, or none"},
	{"unrecognized configuration parameter", "correct the name given with --set"},
	{"invalid value for parameter", "correct the value given with --set"},
	{"requires a numeric value", "correct the value given with --set"},
	{"requires a Boolean value", "correct the value given with --set"},
	{"outside the valid range for parameter", "correct the value given with --set"},
	{"could not map anonymous shared memory",
	 "free memory, or lower shared_buffers with --set"},
	{"Cannot allocate memory", "free memory, or lower shared_buffers with --set"},
	{NULL, NULL},
};

const struct server_ops server_postgres = {
	.dialect = DIALECT_POSTGRES,
	.title = "PostgreSQL",
	.dir = "pg",
	.programs = programs,
	.init_programs = init_programs,
	.init_dirs = init_dirs,
	.places = places,
	.usual_dirs = usual_dirs,
	.version_args = version_args,
	.how_to_get = "install it (on Debian: apt-get install postgresql)",
	.port = 55433,
	.user = "postgres",
	.account = "postgres",
	.stop_signal = SIGINT,
	.eof_signal = SIGQUIT,
	.kill_after_ms = 1500,
	.reserved = reserved,
	.severities = severities,
	.fatal = fatal,
	.busy_port = "Address already in use",
	.hints = hints,
	.init_args = init_args,
	.run_args = run_args,
	.is_up = is_up,
	.clean_up = clean_up,
	.first_database = "postgres",
	.create_sql = "CREATE DATABASE cputop OWNER postgres",
	.version_sql = "SHOW server_version",
};
