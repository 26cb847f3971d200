/*
 * A private database server: found, initialised, started, used, stopped. It runs under a keeper as
 * an ordinary user, with its data in the session's temporary directory, on 127.0.0.1 only, with a
 * random password. One file per engine behind struct server_ops. Settings are the engine's
 * defaults, but for what privacy needs and what --set changes.
 */
#ifndef CPUTOP_SERVER_H
#define CPUTOP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <uv.h>

#include "db/db.h"
#include "model/dialect.h"

struct err;
struct run_prefix;
struct server;
struct tmpdir;

struct server_setting {
	char name[64];
	char value[128];
};

struct server_options {
	enum dialect dialect;
	const char *bin_dir; /* --postgres-bin or PG_BIN and the like; NULL: PATH, then the usual
				places, of several versions the newest */
	const char *bin_variable; /* the variable that gave bin_dir; NULL: the option did */
	unsigned port;            /* 0: the default, or a free one when it is busy */
	bool port_asked;          /* a busy port is an error */
	const char *user; /* --server-user, when running as root; NULL: the engine's default, else
			     nobody */
	const struct server_setting *settings; /* borrowed */
	size_t nsettings;
	const struct run_prefix *prefix; /* how the server proper is started; borrowed, outlives it;
					    NULL: by itself */
};

struct server_callbacks {
	/* What it is doing: "initialising the data directory"; once a second again while it does.
	 */
	void (*progress)(struct server *, const char *what, void *arg);
	/* The keeper of the server proper is held: open counters on it. Returns 0, or a negative
	 * errno with err: the start then fails. */
	int (*held)(struct server *, pid_t keeper, void *arg, struct err *err);
	void (*ready)(struct server *, void *arg);
	/* Could not start, or ended by itself; the server has stopped. err is one line with the
	 * log's last error. */
	void (*failed)(struct server *, const struct err *err, void *arg);
};

/* Begins to start it. Returns NULL with err when no binary is found or the options cannot work. tmp
 * outlives it. */
struct server *server_start(uv_loop_t *loop, struct tmpdir *tmp,
			    const struct server_options *options, const struct server_callbacks *cb,
			    void *arg, struct err *err);
/* Stops it and removes its data, unless tmp is kept; done is called from the loop when its tree has
 * ended and the data are gone. A failure that was not yet told is not told any more. */
void server_stop(struct server *s, void (*done)(struct server *, void *arg), void *arg);
/* In or after failed or done; what server_stop has not removed goes here and now, which may block.
 * NULL is fine. */
void server_free(struct server *s);

enum dialect server_dialect(const struct server *s);
const struct db_dsn *server_dsn(const struct server *s); /* valid from ready on */
const char *server_binary(const struct server *s);       /* path of the server program */
const char *server_version(const struct server *s);      /* "15.18", empty before ready */
const char *server_data_dir(const struct server *s);
/* Path of its log, for messages: the server's user can put another file there. */
const char *server_log(const struct server *s);
/* Writes what the server has logged, and no more than max bytes of it, to out_fd. Reads the log
 * that was opened at the start, whatever stands at its path. Returns 0 or -errno. */
int server_copy_log(const struct server *s, int out_fd, size_t max);
pid_t server_pid(const struct server *s); /* its main process, 0 when not running */

/* What a server's program answers when it is asked for its version; false when it does not run. */
bool server_ask_version(enum dialect d, const char *program, char *out, size_t size);
/* Whether a server of this dialect can be found (for "every server found"); path gets its binary,
 * err why not. */
bool server_find(enum dialect d, const struct server_options *options, char *path, size_t size,
		 struct err *err);

#endif
