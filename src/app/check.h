/* The verb "check": what this machine can measure. Inside src/app. */
#ifndef CPUTOP_APP_CHECK_H
#define CPUTOP_APP_CHECK_H

#include <stdbool.h>

#include "lib/options.h"
#include "lib/vec.h"
#include "measure/measure.h"
#include "model/check.h"

struct app_options;
struct err;
struct strbuf;

struct check_options {
	struct vec_of(const char *) needs; /* names of the table in check_needs.c */
	char *json;                        /* owned, NULL: none */
	bool help;
};

extern const struct option_table check_option_table;

/* argv[0] is the verb. Returns the exit status. */
int check_main(int argc, char **argv);

/* check_probe.c: everything but notes and needs. Takes about a second. */
void check_probe(struct check *c, const struct app_options *o);
/* Whether the icount tool is there, for the machine's processor. */
void check_icount(struct check *c);

/* check_clock.c */
void check_clock_read(struct check_clock *c, unsigned readings);
/* Sorts one cost in; part of check_clock_read. */
void check_clock_add(struct check_clock *c, uint64_t ns);

/* check_reading.c: reads 1, 10 and 100 processes of its own, and whether CPU time comes out right.
 */
void check_readings(struct check *c, const struct measure_options *options);
/* Whether what was measured is what was used; part of check_readings. */
void check_judge_cpu(struct check *c);

/* check_servers.c */
void check_servers(struct check *c, const struct app_options *o);
/* The number in "postgres (PostgreSQL) 15.18 (Debian 15.18-0)". False when there is none. */
bool check_version_number(char *out, size_t size, const char *text);

/* check_needs.c */
const char *check_need_name(const char *name); /* the table's own string; NULL: unknown */
void check_need_names(struct strbuf *out);     /* "cpu, clock, ..." */
/* Whether it is there, for each of c->needs, and whether all is well. */
void check_judge(struct check *c);

/* check_notes.c: what will disturb. */
void check_notes(struct check *c);

/* check_print.c: at most 80 columns. */
void check_print(struct strbuf *out, const struct check *c);

#endif
