/* The lines of processes and threads, for the details of a row. */
#ifndef CPUTOP_PROCESSES_H
#define CPUTOP_PROCESSES_H

struct model;
struct sample;

/* Fills m->processes, nprocesses from b, with what each took per second since a. What was no row in
 * a and may have run for long before has no figures; nor has any when there is no rate between the
 * two (sample_rate_ns; a may be NULL). Titles are escaped. */
void processes_fill(struct model *m, const struct sample *a, const struct sample *b);

#endif
