/*
 * Variants from their folders: variant.ini and DIALECT.sql with named statements. See
 * cputop-variant(5).
 *
 * A line "-- :NAME" (what follows the name is a comment) begins statement NAME, which goes to the
 * next such line or the end of the file; other comment lines belong to the statement. Trailing
 * semicolons and blanks are taken off (scripts, setup among them, may hold several statements
 * separated by semicolons). ":limit" in claim is replaced by a literal number: a parameter there
 * would defeat the plan cache.
 *
 * With "like = NAME" in variant.ini the statements that a folder's file does not have, or all of
 * them where there is no such file, are those of the built-in variant NAME. claim and claimed
 * belong together: they are taken from one file.
 */
#ifndef CPUTOP_VARIANT_H
#define CPUTOP_VARIANT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/dialect.h"
#include "model/variant.h"

struct err;
struct strbuf;
struct workload;

enum statement {
	SQL_SETUP,   /* script: creates table job and all it needs, in the schema that is current */
	SQL_PREFILL, /* $1 number of names: one pending job a year ahead for each name */
	SQL_COMPLETED, /* may be missing; $1 number of the first, from 0, $2 how many, $3 number of
			  names: completed jobs, spread evenly over the names */
	SQL_INDEX,     /* may be missing; script: what is best made once the table is filled */
	SQL_ENQUEUE,   /* $1 name, $2 seq, $3 due_ns, $4 payload or null, $5 key or null: one job,
			  due now, and the wake-up */
	SQL_ENQUEUE_MANY, /* may be missing; $1 JSON [[name, seq, due_ns, payload, key], ...] */
	SQL_OTHER,        /* may be missing; $1 name, $2 seq: other work of the transaction that
			     enqueues */
	SQL_CLAIM,        /* :limit; per-name: $1 name. Rows: id, name, seq, due_ns[, payload]; with
			     SQL_CLAIMED none,
			     and one more parameter: a number that no other claim has */
	SQL_CLAIMED,      /* may be missing; the claim's parameters: the rows that it took */
	SQL_COMPLETE, /* $1 id: changes exactly one row, or returns exactly one; complete = batch:
			 $1 list of ids, as many rows */
	/* With mutex keys, in their place; keys = yes has the first and the third. Rows: id, name,
	 * seq, due_ns, payload, key. */
	SQL_CLAIM_KEYS,
	SQL_CLAIMED_KEYS,
	SQL_COMPLETE_KEYS,
	/* may be missing; each is one statement, sent as it is before there are keys */
	SQL_ROUTINE_CLAIM,
	SQL_ROUTINE_COMPLETE,
	SQL_HOLD,   /* may be missing; $1 key: it is held for a day */
	SQL_KEYED,  /* may be missing; $1 how many, $2 number of names, $3 key: due jobs */
	SQL_PRUNE,  /* may be missing; $1 seconds: deletes completed jobs that are older */
	SQL_RESCUE, /* may be missing: jobs that were claimed long ago are due again */
	SQL_SETTLE, /* script: VACUUM ANALYZE, CHECKPOINT */
	SQL_CHECK,  /* one row: jobs waiting (due, not claimed), running, completed (null: they
		       are gone from the table); prefill not counted */
	SQL_LISTEN, /* begins to listen for wake-ups; only where dialect_notifies */
	STATEMENT_COUNT
};
const char *statement_name(enum statement s);
/* Whether every variant has it on this dialect. */
bool statement_needed(enum statement s, enum dialect d);

struct variant_sql {
	char *text[STATEMENT_COUNT];    /* owned; NULL when there is none */
	unsigned line[STATEMENT_COUNT]; /* where it begins in its file, from 1 */
	char *from[STATEMENT_COUNT];    /* owned: its file; NULL where text is */
	char file[4096];                /* the variant's own */
};
void variant_sql_release(struct variant_sql *sql);

/* Reads a variant's variant.ini: name_or_dir is a built-in name, or a folder when it holds a slash
 * or is one that exists. Returns 0 or a negative errno; err names the file and line, or lists the
 * built-in names. */
int variant_load(struct variant *v, const char *name_or_dir, struct err *err);
/* Reads and checks its statements for a dialect: all that are needed are there, none is unknown or
 * twice. */
int variant_load_sql(struct variant_sql *sql, const struct variant *v, enum dialect d,
		     struct err *err);
/* Parses SQL text (for variant_load_sql and the fuzzer). */
int variant_parse_sql(struct variant_sql *sql, enum dialect d, const char *file, const char *text,
		      size_t len, struct err *err);
/* How many parameters statement s has: the highest number in it; 0 when it is missing. */
int variant_sql_parameters(const struct variant_sql *sql, enum statement s);
/* What keeps a variant from doing what a workload asks for whatever its statements are, to follow
 * its name, and the option that asks; NULL: nothing. */
const char *variant_cannot(const struct variant *v, const struct workload *w, const char **option);
/* Whether the variant can do what the workload asks for. Returns 0, or -EINVAL with err, which says
 * what to leave out. */
int variant_fits(const struct variant *v, const struct variant_sql *sql, const struct workload *w,
		 struct err *err);
/* Claims with a limit: the text of SQL_CLAIM or SQL_CLAIM_KEYS with ":limit" replaced. */
void variant_sql_claim(const struct variant_sql *sql, enum statement s, unsigned limit,
		       struct strbuf *out);
/* What the server says of statement s as it was sent (which differs from text where :limit was
 * replaced): "FILE:LINE: statement claim failed: MESSAGE". position is a character of sent, from 1;
 * 0 when it is not known. */
void variant_sql_error(struct err *err, const struct variant_sql *sql, enum statement s,
		       const char *sent, unsigned position, const char *message);
/* The built-in variants, in the order in which v cycles through them (skiplocked first). Returns
 * how many there are, 0 with err when none is found; at most max are filled. They are looked for in
 * CPUTOP_DATADIR (the variable), the build tree of the running program, the installed data
 * directory. */
size_t variant_builtin(struct variant *out, size_t max, struct err *err);

#endif
