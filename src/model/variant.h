/* A variant of the queue, as the plan, the screen and the snapshot know it. Its SQL is in variant/.
 */
#ifndef CPUTOP_MODEL_VARIANT_H
#define CPUTOP_MODEL_VARIANT_H

#include <stdbool.h>

enum claim_mode { CLAIM_SHARED, CLAIM_PER_NAME };

struct variant {
	char name[64];   /* the folder's name: letters, digits, "-", "_", "." */
	char title[160]; /* its one-line lesson */
	char dir[4096];  /* the folder */
	bool builtin;
	enum claim_mode claim;
	bool prepared;
};

#endif
