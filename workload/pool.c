/*
 * The pool: --pool connections, all opened and all with their statements prepared before "ready",
 * none closed before the end.
 *
 * Of the idle connections the one with the lowest number is taken: at a low rate the first does
 * nearly all the work and its backend stays warm, as with the pools of real clients. A worker
 * listens on that first one, too: the backend that a wake-up has woken then runs the claim. A
 * connection runs one statement at a time; each is a transaction of its own, where it is not said
 * otherwise, and counts as one statement and one commit when it is sent, a repeated one again. So
 * does preparing a statement that was not prepared at the start.
 */
#include "config.h"

#include "workload/pool.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/xalloc.h"

#define TRIES_MAX      10
#define BACKOFF_MAX_MS 100

static void run_slot(struct pool_slot *s);
static void ask_slot(struct pool_slot *s, bool resume);
static void broken_cb(struct db *db, const char *reason, void *arg);

static void count(_Atomic uint64_t *counter)
{
	if (counter)
		atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void count_sent(const struct pool *p, const struct pool_statement *st)
{
	count(p->spec.count_statements);
	if (!st->open)
		count(p->spec.count_commits);
}

void pool_error(const struct pool *p, const struct pool_statement *statement,
		const struct db_result *result, struct err *err)
{
	variant_sql_error(err, p->spec.sql, statement->kind, statement->text,
			  result->error_position, result->error);
}

static void fail_statement(struct pool *p, const struct pool_statement *statement,
			   const struct db_result *result)
{
	struct err err = {0, ""};

	if (result->status == DB_BROKEN)
		err_set(&err, -EIO, "lost a connection to the database: %s", result->error);
	else
		pool_error(p, statement, result, &err);
	p->spec.failed(p->spec.arg, err.text);
}

/* ---- running ---- */

/* What ends a transaction cannot be tried again by itself: without the rest it would succeed. */
static bool in_transaction(const struct pool_statement *st)
{
	return st->open || st->plain;
}

static void retry_cb(uv_timer_t *timer)
{
	run_slot(timer->data);
}

static void ran_cb(struct db *db, const struct db_result *result, void *arg)
{
	struct pool_slot *s = arg;
	struct pool *p = s->pool;
	uint64_t backoff_ms;

	(void)db;
	if (p->closing)
		return;
	if (result->status == DB_BROKEN) {
		fail_statement(p, s->call.statement, result);
		return;
	}
	if (result->status == DB_RETRY && !in_transaction(s->call.statement) &&
	    s->tries < TRIES_MAX) {
		count(p->spec.count_retried);
		backoff_ms = 1ULL << s->tries++;
		uv_timer_start(&s->retry, retry_cb,
			       backoff_ms < BACKOFF_MAX_MS ? backoff_ms : BACKOFF_MAX_MS, 0);
		return;
	}
	s->open = s->call.statement->open;
	s->call.cb(p, s->number, result, s->call.arg);
}

static void prepared_late_cb(struct db *db, const struct db_result *result, void *arg)
{
	struct pool_slot *s = arg;

	(void)db;
	if (s->pool->closing)
		return;
	if (result->status != DB_OK) {
		fail_statement(s->pool, s->call.statement, result);
		return;
	}
	s->prepared[s->call.statement->index] = true;
	run_slot(s);
}

static void run_slot(struct pool_slot *s)
{
	const struct pool_statement *st = s->call.statement;

	/* within a transaction the server would answer for what has been before it */
	if (s->asked && !s->open) {
		ask_slot(s, true);
		return;
	}
	count_sent(s->pool, st);
	if (st->plain)
		db_query(s->db, st->text, ran_cb, s);
	else if (!s->pool->spec.prepare)
		db_query_params(s->db, st->text, s->call.nparams, s->call.params, ran_cb, s);
	else if (s->prepared[st->index])
		db_exec(s->db, st->name, s->call.nparams, s->call.params, ran_cb, s);
	else
		db_prepare(s->db, st->name, st->text, prepared_late_cb, s);
}

void pool_run(struct pool *p, unsigned slot, const struct pool_call *call)
{
	struct pool_slot *s = &p->slots[slot];
	size_t at[POOL_PARAMS];

	s->call = *call;
	strbuf_reset(&s->text);
	for (int i = 0; i < call->nparams; i++) {
		at[i] = s->text.len;
		if (call->params[i])
			strbuf_add(&s->text, call->params[i], strlen(call->params[i]) + 1);
	}
	/* it may have moved while it grew */
	for (int i = 0; i < call->nparams; i++)
		s->call.params[i] = call->params[i] ? s->text.buf + at[i] : NULL;
	s->tries = 0;
	run_slot(s);
}

bool pool_take(struct pool *p, unsigned *slot)
{
	for (unsigned i = 0; i < p->spec.connections; i++) {
		if (p->slots[i].idle) {
			p->slots[i].idle = false;
			*slot = i;
			return true;
		}
	}
	return false;
}

void pool_give(struct pool *p, unsigned slot)
{
	if (p->slots[slot].asked)
		ask_slot(&p->slots[slot], false);
	else
		p->slots[slot].idle = true;
}

struct db *pool_connection(struct pool *p, unsigned slot)
{
	return p->slots[slot].db;
}

/* ---- asking ---- */

static void answered_cb(struct db *db, const struct db_result *result, void *arg)
{
	struct pool_slot *s = arg;
	struct pool *p = s->pool;
	struct pool_question *q = &p->question;
	bool last = false;

	(void)db;
	if (p->closing)
		return;
	if (result->status == DB_BROKEN) {
		broken_cb(db, result->error, s);
		return;
	}
	if (s->question == q->number) {
		q->answer(q->arg, result);
		last = --q->waiting == 0;
	}
	if (s->resume) {
		run_slot(s);
	} else {
		pool_give(p, s->number);
		p->spec.freed(p->spec.arg);
	}
	if (last)
		q->done(q->arg);
}

static void ask_slot(struct pool_slot *s, bool resume)
{
	s->asked = false;
	s->resume = resume;
	s->question = s->pool->question.number;
	db_query(s->db, s->pool->question.sql, answered_cb, s);
}

void pool_ask(struct pool *p, const char *sql,
	      void (*answer)(void *arg, const struct db_result *result), void (*done)(void *arg),
	      void *arg)
{
	struct pool_question *q = &p->question;

	free(q->sql);
	*q = (struct pool_question){.sql = xstrdup(sql),
				    .number = q->number + 1,
				    .waiting = p->spec.connections,
				    .answer = answer,
				    .done = done,
				    .arg = arg};
	for (unsigned i = 0; i < p->spec.connections; i++) {
		struct pool_slot *s = &p->slots[i];

		s->asked = true;
		if (!s->idle)
			continue;
		s->idle = false;
		ask_slot(s, false);
	}
}

/* ---- opening ---- */

static void setup_cb(struct db *db, const struct db_result *result, void *arg);

/* Prepares the next of the first statements, or is ready. */
static void setup_step(struct pool_slot *s)
{
	struct pool *p = s->pool;
	const struct pool_statement *st;

	if (p->spec.prepare && s->setup < p->spec.nfirst) {
		st = p->spec.first[s->setup];
		db_prepare(s->db, st->name, st->text, setup_cb, s);
		return;
	}
	pool_give(p, s->number);
	if (++p->nready == p->spec.connections)
		p->spec.ready(p->spec.arg);
}

static void setup_cb(struct db *db, const struct db_result *result, void *arg)
{
	struct pool_slot *s = arg;
	struct pool *p = s->pool;

	(void)db;
	if (p->closing)
		return;
	if (result->status != DB_OK) {
		fail_statement(p, p->spec.first[s->setup], result);
		return;
	}
	s->prepared[p->spec.first[s->setup++]->index] = true;
	setup_step(s);
}

static void opened_cb(struct db *db, const struct db_result *result, void *arg)
{
	struct pool_slot *s = arg;
	struct err err = {0, ""};

	(void)db;
	if (s->pool->closing)
		return;
	if (result->status == DB_OK) {
		setup_step(s);
		return;
	}
	err_set(&err, -EIO, "cannot connect to the database: %s%s", result->error,
		strcmp(result->sqlstate, "53300") == 0 || strstr(result->error, "too many clients")
			? "; lower --pool or --workers, or raise max_connections with --set"
			: "");
	s->pool->spec.failed(s->pool->spec.arg, err.text);
}

static void broken_cb(struct db *db, const char *reason, void *arg)
{
	struct pool_slot *s = arg;
	struct err err = {0, ""};

	(void)db;
	if (s->pool->closing)
		return;
	err_set(&err, -EIO, "lost a connection to the database: %s", reason);
	s->pool->spec.failed(s->pool->spec.arg, err.text);
}

int pool_open(struct pool *p, const struct pool_spec *spec, struct err *err)
{
	memset(p, 0, sizeof(*p));
	p->spec = *spec;
	p->slots = xcalloc(spec->connections, sizeof(*p->slots));
	for (unsigned i = 0; i < spec->connections; i++) {
		struct pool_slot *s = &p->slots[i];

		s->pool = p;
		s->number = i;
		strbuf_init(&s->text);
		s->prepared = xcalloc(spec->statements, sizeof(*s->prepared));
		s->db = db_open(spec->loop, spec->dsn, spec->application, opened_cb, s, err);
		if (!s->db)
			return -ENOTCONN;
		uv_timer_init(spec->loop, &s->retry);
		s->retry.data = s;
		db_on_broken(s->db, broken_cb, s);
	}
	return 0;
}

void pool_close(struct pool *p)
{
	if (p->closing)
		return;
	p->closing = true;
	for (unsigned i = 0; p->slots && i < p->spec.connections; i++) {
		struct pool_slot *s = &p->slots[i];

		if (!s->db)
			continue;
		uv_close((uv_handle_t *)&s->retry, NULL);
		db_close(s->db, NULL, NULL);
		s->db = NULL;
	}
}

void pool_release(struct pool *p)
{
	for (unsigned i = 0; p->slots && i < p->spec.connections; i++) {
		free(p->slots[i].prepared);
		strbuf_release(&p->slots[i].text);
	}
	free(p->slots);
	free(p->question.sql);
}
