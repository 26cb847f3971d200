/*
 * A worker or producer of a run: cputop-load under a keeper, told what to do over a control socket
 * (one line a command; see cputop-load(1)). Life: load_spawn, held, ready, load_send("start"), ...,
 * load_quit, ended; then load_free. ended comes once, last, also when it dies by itself.
 */
#ifndef CPUTOP_LOAD_H
#define CPUTOP_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "db/db.h"
#include "model/sample.h"
#include "model/variant.h"
#include "model/workload.h"

struct err;
struct load;
struct run_prefix;

struct load_callbacks {
	void (*held)(struct load *, pid_t keeper, void *arg); /* open counters now */
	void (*ready)(struct load *, void *arg);
	void (*stopped)(struct load *, void *arg);
	/* To load_ask: a name with two numbers, as often as there are; then the end. Both with the
	 * question's number. */
	void (*answer)(struct load *, unsigned number, const char *name, const uint64_t v[2],
		       void *arg);
	void (*answered)(struct load *, unsigned number, void *arg);
	void (*note)(struct load *, const char *text, void *arg); /* escaped */
	/* The whole tree has ended. reason is NULL when that was asked for by load_quit. */
	void (*ended)(struct load *, const char *reason, void *arg);
};

struct load_spec {
	enum role role; /* ROLE_WORKER or ROLE_PRODUCER */
	const struct workload *workload;
	const struct variant *variant;
	const struct db_dsn *dsn;
	int page_fd;                     /* borrowed */
	int log_fd;                      /* borrowed */
	const struct run_prefix *prefix; /* borrowed; NULL: it runs by itself */
	bool drop;                       /* run as uid and gid */
	uid_t uid;
	gid_t gid;
	struct load_callbacks cb;
	void *arg;
};

struct load *load_spawn(uv_loop_t *loop, const struct load_spec *spec, struct err *err);
enum role load_role(const struct load *l);
void load_release(struct load *l);                   /* after held */
void load_send(struct load *l, const char *command); /* "start", "rate", "stop" */
/* A statement that each of its connections runs between two of its own. */
void load_ask(struct load *l, unsigned number, const char *sql);
void load_quit(struct load *l); /* ends it; ended follows */
void load_free(struct load *l); /* after ended; NULL is fine */

#endif
