/* A copy of the model that owns all it points to. */
#ifndef CPUTOP_FREEZE_H
#define CPUTOP_FREEZE_H

struct model;

struct model *freeze_copy(const struct model *m);
void freeze_free(struct model *copy); /* NULL is fine */

#endif
