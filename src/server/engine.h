/*
 * What the parts of src/server share: the object, and the table that an engine is. Nothing outside
 * src/server includes it.
 */
#ifndef CPUTOP_SERVER_ENGINE_H
#define CPUTOP_SERVER_ENGINE_H

#include "lib/err.h"
#include "lib/vec.h"
#include "proc/user.h"
#include "server/server.h"

#define SERVER_PATH_MAX 4096

/* A command line: owned strings, NULL at the end once it is complete. */
struct server_args vec_of(char *);
void server_arg(struct server_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void server_args_end(struct server_args *a);
void server_args_release(struct server_args *a);

/* A text in the log or an error, and what the user can do about it. */
struct server_hint {
	const char *text;
	const char *advice;
};

struct server_ops {
	enum dialect dialect;
	const char *title; /* "PostgreSQL" */
	const char *dir;   /* name of its directory below the session's: "pg" */
	const char *program, *init_program;
	/* Directories that hold its versions: "/usr/lib/postgresql/" with "/bin" below each number.
	 * NULL at the end. */
	const char *const *places;
	const char *package; /* as Debian calls it */
	unsigned port;
	const char *user; /* whom it runs as when cputop is root */
	int stop_signal, eof_signal;
	unsigned kill_after_ms;
	const char *const *reserved;   /* settings that --set may not change; NULL at the end */
	const char *const *severities; /* that an error in the log begins with; NULL at the end */
	const char *const *fatal;      /* those of them that can end the server; NULL at the end */
	const char *busy_port;         /* what the log says when somebody else has the port */
	const struct server_hint *hints; /* text NULL at the end */

	/* Append the arguments after the program's name. */
	void (*init_args)(const struct server *s, struct server_args *a);
	void (*run_args)(const struct server *s, struct server_args *a);
	/* Whether it says that it accepts connections, so that none is made to somebody else's
	 * server on the same port. */
	bool (*is_up)(struct server *s);
	/* After its tree has ended: what a killed one leaves outside its directory. */
	void (*clean_up)(struct server *s);
	const char *first_database; /* the one to connect to before ours exists */
	const char *create_sql;
	const char *version_sql;
};

extern const struct server_ops server_postgres;
const struct server_ops *server_ops_for(enum dialect d);

/*
 * INITIALISING --initdb ended--> STARTING --is_up--> CONNECTING --connected--> PREPARING --> READY
 *       |                         ^   |                  |                        |            |
 *       |              port lost  `---'                  |                        |            |
 *       `-----------------------------------+------------+------------------------+------------'
 *                                 failure or stop --> ENDING --all released--> ENDED
 */
enum server_state {
	SERVER_INITIALISING,
	SERVER_STARTING,
	SERVER_CONNECTING,
	SERVER_PREPARING,
	SERVER_READY,
	SERVER_ENDING,
	SERVER_ENDED
};

struct server {
	const struct server_ops *ops; /* borrowed, as are the next two and arg */
	uv_loop_t *loop;
	struct tmpdir *tmp;
	struct server_callbacks cb;
	void *arg;
	enum server_state state;

	char bin_dir[SERVER_PATH_MAX];
	char binary[SERVER_PATH_MAX];
	char dir[SERVER_PATH_MAX]; /* its own, 0700, of the server's user; empty until made */
	char data_dir[SERVER_PATH_MAX];
	char log[SERVER_PATH_MAX];
	char password_file[SERVER_PATH_MAX];
	int log_fd;    /* owned; -1: none */
	long log_from; /* where the log of the present step begins */
	bool drop;     /* it runs as another user: */
	struct run_as user;
	bool port_asked;
	unsigned port_losses;            /* how often somebody took the port first */
	const struct run_prefix *prefix; /* borrowed; NULL: none */
	struct server_setting *settings; /* owned */
	size_t nsettings;
	struct db_dsn dsn;
	char version[64];

	struct child *child; /* owned: the initialising program or the server; NULL when none */
	struct db *db;       /* owned: the first connection; NULL when none */
	bool db_closing;     /* one is on its way out */
	uv_timer_t timer;
	bool timer_open;
	uint64_t deadline_ns; /* of the step */
	uint64_t refused_ns;  /* when the first connection of the step failed; 0: none did */

	struct err failure; /* code 0: it is being stopped */
	void (*done)(struct server *, void *arg);
	void *done_arg;   /* borrowed */
	uv_work_t remove; /* while removing: another thread deletes the files */
	bool removing, removed;

	bool shm; /* what is left of a killed PostgreSQL: */
	long shm_key;
	int shm_id;
};

/* Finds the directory with all programs of the engine. Returns 0 or -ENOENT with err. */
int server_find_bin(const struct server_ops *ops, const char *bin_dir, char *out, size_t size,
		    struct err *err);
/* Picks the port: wanted (0: the engine's default), or a free one when that is busy and was not
 * asked for. Returns 0, or -EADDRINUSE with err. */
int server_pick_port(const struct server_ops *ops, unsigned wanted, bool asked, unsigned *port,
		     struct err *err);
/* Makes the server's directory, its log and its password file; sets their paths, the user and the
 * password. Returns 0 or -errno with err. */
int server_make_files(struct server *s, const struct server_options *options, struct err *err);
/* Removes the server's directory on another thread, as that may take long, and then calls done.
 * Once it has begun a further call does nothing. */
void server_remove_files(struct server *s);
void server_remove_files_now(struct server *s); /* unless they are gone or kept */
/* Fills err: "TITLE WHAT: the last error in the log; advice". reason (may be NULL) is used instead
 * of the log. only_fatal: errors of clients do not count. */
void server_explain(const struct server *s, const char *what, const char *reason, bool only_fatal,
		    struct err *err);
/* Whether the log of the present step holds text. */
bool server_log_has(const struct server *s, const char *text);

#endif
