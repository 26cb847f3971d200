/* Samples of measure in tests: a role of one real tree, its readings, its rows. */
#ifndef CPUTOP_TEST_SAMPLE_HELP_H
#define CPUTOP_TEST_SAMPLE_HELP_H

#include <stdbool.h>
#include <sys/types.h>

#include "measure/measure.h"
#include "measure_help.h"

/* Path of this program, to exec it: under Valgrind /proc/self/exe itself runs Valgrind. Static. */
const char *own_path(void);
/* Starts a keeper with the program, follows it as this role, and releases it. */
struct measure *measure_begin(enum cpu_source cpu, struct keeper *k, enum role role,
			      void (*program)(void *), void *arg);
void measure_end(struct measure *m, struct keeper *k);
/* Reads and checks the order of the rows. */
void read_sample(struct measure *m, unsigned flags, struct sample *s);

const struct proc_row *row_titled(const struct sample *s, const char *title); /* NULL: none */
const struct proc_row *row_of(const struct sample *s, pid_t pid); /* fails when there is none */
bool has_row(const struct sample *s, pid_t pid);
pid_t pid_titled(const struct sample *s, const char *title); /* -1: none */
int part_titled(const struct sample *s, const char *title);  /* -1: none */
/* Reads until a row with this title is there. */
void wait_for_title(struct measure *m, const char *title);

/* Of a role that must be there. */
const struct usage *total_of(const struct sample *s, enum role role);

#endif
