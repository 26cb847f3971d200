/*
 * What one connection of the producer does at a time: it enqueues a job, or --enqueue-batch of them
 * in one statement; with --enqueue tx as the second statement of a transaction, after other work. A
 * transaction that is worth trying again is rolled back and begun anew.
 */
#ifndef CPUTOP_ENQUEUE_H
#define CPUTOP_ENQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "model/workload.h"
#include "workload/pool.h"

struct program;

/* The statements, which all connections share. */
struct enqueue_statements {
	struct pool_statement begin, other, enqueue, commit, rollback;
	bool transaction, many;
	int nparams;   /* of enqueue */
	char *payload; /* owned; NULL: none */
};
void enqueue_statements_init(struct enqueue_statements *s, const struct program *p);
void enqueue_statements_release(struct enqueue_statements *s);

/* The work of a connection. Zeroed, then enqueue_init. */
struct enqueue {
	const struct enqueue_statements *statements; /* borrowed, as is the pool */
	struct pool *pool;
	_Atomic uint64_t *count_retried;
	unsigned slot;
	unsigned jobs; /* that it enqueues */
	char name[WORKLOAD_NAME_MAX], seq[POOL_PARAM_MAX], due[POOL_PARAM_MAX]; /* of the first */
	char key[WORKLOAD_KEY_MAX];
	struct strbuf payload; /* of the first */
	struct strbuf rows;    /* all, as JSON */
	unsigned step, tries;
	bool again;     /* after the rollback */
	struct err err; /* why it failed */
	/* The end; ok or err. The connection is still taken. */
	void (*done)(struct enqueue *e, bool ok, void *arg);
	void *arg;
};
void enqueue_init(struct enqueue *e);
void enqueue_release(struct enqueue *e);
/* Empties it, for the jobs of another time. */
void enqueue_reset(struct enqueue *e);
/* key is below 0 when there is none. */
void enqueue_add(struct enqueue *e, unsigned name, int key, uint64_t seq, uint64_t due_ns);
/* Sends it on connection e->slot, which was taken; done follows. */
void enqueue_send(struct enqueue *e);

#endif
