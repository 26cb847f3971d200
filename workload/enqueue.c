#include "config.h"

#include "workload/enqueue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format.h"
#include "lib/rng.h"
#include "lib/xalloc.h"
#include "workload/program.h"

#define TRIES_MAX 10

/* ---- the statements ---- */

/* The same for every variant, and hard to compress. */
static char *new_payload(uint64_t seed, unsigned bytes)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text;
	struct rng rng;

	if (!bytes)
		return NULL;
	text = xmalloc(bytes + 1);
	rng_init(&rng, ~seed);
	for (unsigned i = 0; i < bytes; i++)
		text[i] = letters[rng_below(&rng, sizeof(letters) - 1)];
	text[bytes] = '\0';
	return text;
}

void enqueue_statements_init(struct enqueue_statements *s, const struct program *p)
{
	const struct workload *w = &p->options->workload;
	enum statement kind = w->enqueue_batch > 1 ? SQL_ENQUEUE_MANY : SQL_ENQUEUE;

	s->transaction = w->enqueue_tx;
	s->many = kind == SQL_ENQUEUE_MANY;
	s->nparams = variant_sql_parameters(&p->sql, kind);
	s->payload = new_payload(w->seed, w->payload_bytes);
	s->enqueue = (struct pool_statement){
		.index = 0,
		.kind = kind,
		.name = "enqueue",
		.text = p->sql.text[kind],
		.open = s->transaction,
	};
	s->other = (struct pool_statement){
		.index = 1,
		.kind = SQL_OTHER,
		.name = "other",
		.text = p->sql.text[SQL_OTHER],
		.open = true,
	};
	s->begin = (struct pool_statement){
		.kind = SQL_OTHER, .text = "begin", .plain = true, .open = true};
	s->commit = (struct pool_statement){.kind = SQL_OTHER, .text = "commit", .plain = true};
	s->rollback = (struct pool_statement){
		.kind = SQL_OTHER, .text = "rollback", .plain = true, .open = true};
}

void enqueue_statements_release(struct enqueue_statements *s)
{
	free(s->payload);
}

/* ---- the jobs ---- */

void enqueue_init(struct enqueue *e)
{
	strbuf_init(&e->rows);
	strbuf_init(&e->payload);
}

void enqueue_release(struct enqueue *e)
{
	strbuf_release(&e->rows);
	strbuf_release(&e->payload);
}

void enqueue_reset(struct enqueue *e)
{
	e->jobs = 0;
	e->key[0] = '\0';
	strbuf_reset(&e->rows);
}

/* A job with a key has it as the first word of its payload. */
static void set_payload(struct enqueue *e, const char *key)
{
	const char *ballast = e->statements->payload;

	strbuf_reset(&e->payload);
	strbuf_addstr(&e->payload, key);
	if (key[0] && ballast)
		strbuf_addch(&e->payload, ' ');
	if (ballast)
		strbuf_addstr(&e->payload, ballast);
}

static void add_json(struct strbuf *out, const char *text)
{
	strbuf_addstr(out, text[0] ? ",\"" : ",null");
	strbuf_addstr(out, text);
	strbuf_addstr(out, text[0] ? "\"" : "");
}

void enqueue_add(struct enqueue *e, unsigned name, int key, uint64_t seq, uint64_t due_ns)
{
	char text[WORKLOAD_NAME_MAX], key_text[WORKLOAD_KEY_MAX] = "";
	bool many = e->statements->many;

	workload_name(name, text);
	if (key >= 0)
		workload_key((unsigned)key, key_text);
	if (key >= 0 || e->jobs == 0)
		set_payload(e, key_text);
	if (e->jobs++ == 0) {
		memcpy(e->name, text, sizeof(text));
		memcpy(e->key, key_text, sizeof(key_text));
		format_u64(e->seq, seq);
		format_u64(e->due, due_ns);
	}
	if (!many)
		return;
	strbuf_addf(&e->rows, "%s[\"%s\",%llu,%llu", e->jobs == 1 ? "[" : ",", text,
		    (unsigned long long)seq, (unsigned long long)due_ns);
	add_json(&e->rows, e->payload.buf);
	add_json(&e->rows, key_text);
	strbuf_addch(&e->rows, ']');
}

/* ---- sending ---- */

static void run_step(struct enqueue *e);

static void rolled_back_cb(struct pool *pool, unsigned slot, const struct db_result *result,
			   void *arg)
{
	struct enqueue *e = arg;

	(void)pool;
	(void)slot;
	(void)result;
	if (e->again) {
		jobs_page_add(e->count_retried, 1);
		e->step = 0;
		run_step(e);
		return;
	}
	e->done(e, false, e->arg);
}

static const struct pool_statement *statement_of(const struct enqueue *e)
{
	const struct enqueue_statements *s = e->statements;
	const struct pool_statement *const steps[] = {&s->begin, &s->other, &s->enqueue,
						      &s->commit};

	return s->transaction ? steps[e->step] : &s->enqueue;
}

static void failed(struct enqueue *e, const struct db_result *result)
{
	const struct pool_call rollback = {
		.statement = &e->statements->rollback, .cb = rolled_back_cb, .arg = e};

	pool_error(e->pool, statement_of(e), result, &e->err);
	if (!e->statements->transaction) {
		e->done(e, false, e->arg);
		return;
	}
	e->again = result->status == DB_RETRY && e->tries++ < TRIES_MAX;
	pool_run(e->pool, e->slot, &rollback);
}

static void step_cb(struct pool *pool, unsigned slot, const struct db_result *result, void *arg)
{
	struct enqueue *e = arg;
	const struct enqueue_statements *s = e->statements;

	(void)pool;
	(void)slot;
	if (result->status != DB_OK) {
		failed(e, result);
	} else if (!s->transaction || statement_of(e) == &s->commit) {
		e->done(e, true, e->arg);
	} else {
		e->step++;
		run_step(e);
	}
}

static void run_step(struct enqueue *e)
{
	const struct enqueue_statements *s = e->statements;
	struct pool_call call = {.statement = statement_of(e), .cb = step_cb, .arg = e};

	if (call.statement == &s->enqueue && s->many) {
		call.nparams = s->nparams;
		call.params[0] = e->rows.buf;
	} else if (call.statement == &s->enqueue) {
		call.nparams = s->nparams;
		call.params[0] = e->name;
		call.params[1] = e->seq;
		call.params[2] = e->due;
		call.params[3] = e->payload.len ? e->payload.buf : NULL;
		call.params[4] = e->key[0] ? e->key : NULL;
	} else if (call.statement == &s->other) {
		call.nparams = 2;
		call.params[0] = e->name;
		call.params[1] = e->seq;
	}
	pool_run(e->pool, e->slot, &call);
}

void enqueue_send(struct enqueue *e)
{
	if (e->statements->many)
		strbuf_addch(&e->rows, ']');
	e->step = e->tries = 0;
	run_step(e);
}
