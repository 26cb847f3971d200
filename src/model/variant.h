/* A variant of the queue, as the plan, the screen and the snapshot know it. Its SQL is in variant/.
 */
#ifndef CPUTOP_MODEL_VARIANT_H
#define CPUTOP_MODEL_VARIANT_H

#include <stdbool.h>

enum claim_mode { CLAIM_SHARED, CLAIM_PER_NAME };
enum complete_mode { COMPLETE_SINGLE, COMPLETE_BATCH };

struct variant {
	char name[64];   /* the folder's name: letters, digits, "-", "_", "." */
	char title[160]; /* its one-line lesson */
	char dir[4096];  /* the folder */
	char like[64];   /* the built-in variant that statements are taken from; empty: none */
	bool builtin;
	enum claim_mode claim;
	enum complete_mode complete;
	bool prepared;
	bool keys;    /* knows mutex keys */
	bool history; /* completed jobs stay in the table */
};

#endif
