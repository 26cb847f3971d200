#include "config.h"

#include "lib/rng.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The generator's published first numbers for the state {1, 2, 3, 4}. */
static void is_xoshiro256starstar(void **state)
{
	static const uint64_t expected[] = {11520ULL, 0ULL, 1509978240ULL, 1215971899390074240ULL};
	struct rng r = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(rng_next(&r), expected[i]);
}

/* splitmix64's published first numbers for the seed 1234567. */
static void is_seeded_by_splitmix64(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 1234567);
	assert_int_equal(r.s[0], 6457827717110365317ULL);
	assert_int_equal(r.s[1], 3203168211198807973ULL);
	assert_int_equal(r.s[2], 9817491932198370423ULL);
	assert_int_equal(r.s[3], 4593380528125082431ULL);
}

static void repeats_with_the_seed(void **state)
{
	struct rng a, b, c;
	unsigned differ = 0;

	(void)state;
	rng_init(&a, 1);
	rng_init(&b, 1);
	rng_init(&c, 2);
	for (int i = 0; i < 100; i++) {
		uint64_t x = rng_next(&a);

		assert_int_equal(x, rng_next(&b));
		differ += x != rng_next(&c);
	}
	assert_true(differ > 90);
}

static void is_even_below_n(void **state)
{
	unsigned seen[7] = {0};
	struct rng r;

	(void)state;
	rng_init(&r, 3);
	for (int i = 0; i < 70000; i++) {
		uint64_t x = rng_below(&r, 7);

		assert_true(x < 7);
		seen[x]++;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 9500, 10500);
	assert_int_equal(rng_below(&r, 1), 0);
}

/* n = 3 * 2^62: taken modulo n, the numbers below 2^62 would come twice as often. */
static void has_no_modulo_bias(void **state)
{
	uint64_t n = 3ULL << 62, low = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 4);
	for (int i = 0; i < 30000; i++)
		low += rng_below(&r, n) < 1ULL << 62;
	assert_in_range(low, 9500, 10500);
}

static void units_fill_the_interval(void **state)
{
	double sum = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 5);
	for (int i = 0; i < 100000; i++) {
		double u = rng_unit(&r);

		assert_true(u >= 0 && u < 1);
		sum += u;
	}
	assert_true(sum > 49500 && sum < 50500);
}

static void makes_tokens(void **state)
{
	char a[201], b[201];
	bool digit = false, letter = false;

	(void)state;
	memset(a, 'X', sizeof(a));
	assert_int_equal(rng_token(a, 200), 0);
	assert_int_equal(strlen(a), 200);
	for (size_t i = 0; i < 200; i++) {
		assert_true(isdigit((unsigned char)a[i]) || islower((unsigned char)a[i]));
		digit |= isdigit((unsigned char)a[i]) != 0;
		letter |= islower((unsigned char)a[i]) != 0;
	}
	assert_true(digit && letter);
	assert_int_equal(rng_token(b, 200), 0);
	assert_string_not_equal(a, b);
	assert_int_equal(rng_token(b, 0), 0);
	assert_string_equal(b, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_xoshiro256starstar), cmocka_unit_test(is_seeded_by_splitmix64),
		cmocka_unit_test(repeats_with_the_seed), cmocka_unit_test(is_even_below_n),
		cmocka_unit_test(has_no_modulo_bias),    cmocka_unit_test(units_fill_the_interval),
		cmocka_unit_test(makes_tokens),
	};

	return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
