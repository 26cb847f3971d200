/*
 * Descriptors that are kept open to make a tick cheap. They may take half of the soft limit, which
 * is raised (to the hard one at most) only when that is not enough, as programs started later
 * inherit it; the other half is left to the loop and to the databases.
 */
#ifndef CPUTOP_FDBUDGET_H
#define CPUTOP_FDBUDGET_H

#include <stdbool.h>

/* True: n more may be kept. False: do without (open, read, close). */
bool fdbudget_take(unsigned n);
void fdbudget_give(unsigned n);

#endif
