/* A private server and what was heard of it. The programs are built once for each engine:
 * TEST_DIALECT says for which. */
#ifndef CPUTOP_TESTS_SERVER_BENCH_H
#define CPUTOP_TESTS_SERVER_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "lib/err.h"
#include "proc/tmpdir.h"
#include "server/server.h"

enum { LIMIT_MS = 60000 };

/* What the engines differ in, for tests that all of them have. */
struct engine_case {
	const char *title;
	const char *database_sql; /* "cputop" */
	const char *durable_sql, *durable;
	struct server_setting setting;
	const char *setting_sql, *setting_is;
	struct server_setting bad_setting;
	const char *bad_setting_says;
	const char *up;               /* in the log */
	const char *full, *full_says; /* mount's options for too small a file system */
	const char *init_program;     /* NULL: the server itself */
};
extern const struct engine_case engine_cases[DIALECT_COUNT];
#ifndef TEST_DIALECT
#define TEST_DIALECT DIALECT_POSTGRES
#endif
#define ENGINE engine_cases[TEST_DIALECT]

struct bench {
	uv_loop_t loop;
	struct tmpdir tmp;
	struct server_options options;
	struct server *server;
	bool held, ready, failed, over, done; /* over: ready or failed */
	bool refuse;                          /* on_held fails */
	pid_t keeper;
	char progress[256];
	struct err failure, err;
	char base[64];
};

struct answer {
	bool have;
	enum db_status status;
	char text[256];
};

/* With a TMPDIR of its own, and the programs that PG_BIN and the like name. */
void bench_init(struct bench *b);
/* False with b->err when it does not begin. */
bool bench_start(struct bench *b);
void bench_ready(struct bench *b);
/* It starts, and fails with an error that holds text. */
void bench_fails(struct bench *b, const char *text);
void bench_done(struct server *s, void *arg); /* for server_stop */
/* Stops it; nothing may be left. */
void bench_release(struct bench *b);
/* Connects as dsn says, and asks: the answer, or the error of either. */
struct answer bench_ask(struct bench *b, const struct db_dsn *dsn, const char *sql);

/* Runs the tests, without the last nroot ones when not root; "1..0 # SKIP" without the
 * server; without MariaDB, which every machine of the project has, it fails. */
#define bench_main(name, tests, nroot) \
	bench_main_n(name, tests, sizeof(tests) / sizeof((tests)[0]), nroot)
struct CMUnitTest;
int bench_main_n(const char *name, const struct CMUnitTest *tests, size_t n, size_t nroot);

#endif
