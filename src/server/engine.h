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
	/* The lists end in NULL. Names of the server's program, the usual one first; those of the
	 * one that initialises (NULL: the server's own), and where that is, seen from the
	 * directory of the server's. */
	const char *const *programs, *const *init_programs, *const *init_dirs;
	/* Directories that hold its versions: "/usr/lib/postgresql/" with "/bin" below each number;
	 * directories that may hold the program. */
	const char *const *places, *const *usual_dirs;
	/* Where contrib/get-NAME puts it: "mysql" below a cache folder of cputop's, in bin; NULL:
	 * there is no such script. The variable that gives it another prefix. */
	const char *cache_dir, *prefix_variable;
	/* What makes it tell its version, and whether it is this engine that says so (NULL: the
	 * name of the program is enough). */
	const char *const *version_args;
	bool (*is_version)(const char *text);
	const char *how_to_get; /* "install it (on Debian: apt-get install postgresql)" */
	unsigned port;
	const char *user;    /* whom it runs as when cputop is root */
	const char *account; /* cputop's in the database */
	int stop_signal, eof_signal;
	unsigned kill_after_ms;
	const char *const *reserved;   /* settings that --set may not change; NULL at the end */
	const char *const *modifiers;  /* what may stand before a setting's name, which may then be
					  cut short as well; NULL at the end. NULL: none */
	const char *const *severities; /* that an error in the log begins with; NULL at the end */
	const char *const *fatal;      /* those of them that can end the server; NULL at the end */
	const char *noise;             /* errors with this text say nothing; NULL: none */
	const char *busy_port;         /* what the log says when somebody else has the port */
	const struct server_hint *hints; /* text NULL at the end */

	/* The text of the password file, owned by the caller; NULL: the password in a line. */
	char *(*password_text)(const struct server *s);
	bool password_at_start; /* the server reads it, not the program that initialises */
	/* Append the arguments after the program's name. */
	void (*init_args)(const struct server *s, struct server_args *a);
	void (*run_args)(const struct server *s, struct server_args *a);
	/* Whether it says that it accepts connections, so that none is made to somebody else's
	 * server on the same port. */
	bool (*is_up)(struct server *s);
	/* After its tree has ended: what a killed one leaves outside its directory. May be NULL. */
	void (*clean_up)(struct server *s);
	const char *first_database; /* the one to connect to before ours exists */
	const char *create_sql;
	const char *version_sql;
};

extern const struct server_ops server_postgres, server_mariadb, server_mysql;
const struct server_ops *server_ops_for(enum dialect d);

/* Paths of the programs that were found. */
struct server_programs {
	char dir[SERVER_PATH_MAX]; /* of the server's */
	char server[SERVER_PATH_MAX];
	char init[SERVER_PATH_MAX];
};

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

	struct server_programs programs;
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
	uint64_t deadline_ns;  /* of the step */
	uint64_t say_again_ns; /* when to say again what it is doing */
	uint64_t refused_ns;   /* when the first connection of the step failed; 0: none did */

	struct err failure; /* code 0: it is being stopped */
	void (*done)(struct server *, void *arg);
	void *done_arg;   /* borrowed */
	uv_work_t remove; /* while removing: another thread deletes the files */
	bool removing, removed;

	bool shm; /* what is left of a killed PostgreSQL: */
	long shm_key;
	int shm_id;
};

/* Finds the programs of the engine, in bin_dir if it is given. Returns 0 or -ENOENT with err. */
int server_find_programs(const struct server_ops *ops, const struct server_options *options,
			 struct server_programs *out, struct err *err);
/* What gives, or would give, the directory of its programs: --mysql-bin, or a variable. */
void server_bin_origin(const struct server_options *options, char *out, size_t size);
/* Runs a program with args (without its name) and reads what it says, both its outputs; one that
 * does not answer soon is killed. Returns whether it ended well. */
bool server_ask(const char *program, const char *const *args, char *out, size_t size);
/* Whether the name given is that of a setting, as the server takes it. */
bool server_same_setting(const struct server_ops *ops, const char *name, const char *given);
/* Whether text, a message of the server, names the setting. */
bool server_names_setting(const struct server_ops *ops, const char *text, const char *name);
/* Whether --set may give this setting. Returns 0 or -EINVAL with err. */
int server_check_setting(const struct server_ops *ops, const struct server_setting *set,
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
