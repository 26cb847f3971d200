#include "config.h"

#include "lib/rng.h"

#include <errno.h>
#include <sys/random.h>

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

void rng_init(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix64(&seed);
}

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

uint64_t rng_next(struct rng *r)
{
	uint64_t result = rotl(r->s[1] * 5, 7) * 9;
	uint64_t t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rotl(r->s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	/* the first 2^64 mod n numbers would make some results likelier than others */
	uint64_t skip = (0 - n) % n, x;

	do
		x = rng_next(r);
	while (x < skip);
	return x % n;
}

double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

int rng_token(char *out, unsigned n)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char bytes[64];
	unsigned used = 0;

	out[0] = '\0';
	while (used < n) {
		ssize_t got = getrandom(bytes, sizeof(bytes), 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		/* 252 = 7 * 36: above it some letters would be likelier */
		for (ssize_t i = 0; i < got && used < n; i++)
			if (bytes[i] < 252)
				out[used++] = alphabet[bytes[i] % 36];
	}
	out[n] = '\0';
	return 0;
}
