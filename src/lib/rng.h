/* A small seeded generator (xoshiro256**, seeded by splitmix64): the same seed gives the same
 * sequence everywhere. */
#ifndef CPUTOP_RNG_H
#define CPUTOP_RNG_H

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_init(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
/* Uniform in [0, n), without modulo bias; n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);
/* Uniform in [0, 1). */
double rng_unit(struct rng *r);
/* Fills out with n random lower-case letters and digits and a NUL from the system's random source
 * (for passwords); out holds n + 1 bytes. Returns 0 or -errno. */
int rng_token(char *out, unsigned n);

#endif
