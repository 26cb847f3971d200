#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "model/workload.h"
#include "variant/variant.h"

/* What a variant needs at least. */
#define WHOLE                                                                              \
	"-- :setup\na\n-- :prefill\np\n-- :enqueue\ne $3\n-- :claim\nx limit :limit;\n-- " \
	":complete\nc\n-- :settle\ns\n-- :check\nk\n-- :listen\nl\n"

#define KEYS "-- :claim_keys\nx\n-- :complete_keys\nx\n"

static int parse(struct variant_sql *sql, const char *text, struct err *err)
{
	return variant_parse_sql(sql, DIALECT_POSTGRES, "f.sql", text, strlen(text), err);
}

/* What a variant cannot do is refused, with what to leave out. */
static void test_fits(void **state)
{
	static const struct {
		struct workload w;
		const char *sql, *what; /* NULL: it fits */
	} cases[] = {
		{{.enqueue_batch = 1}, "", NULL},
		{{.enqueue_batch = 1, .completed = 1},
		 "",
		 "completed; add it, or leave out --completed"},
		{{.enqueue_batch = 1, .completed = 1}, "-- :completed\nx\n", NULL},
		{{.enqueue_batch = 1, .payload_bytes = 1}, "", "enqueue has no $4, the payload"},
		{{.enqueue_batch = 1, .enqueue_tx = true}, "", "leave out --enqueue tx"},
		{{.enqueue_batch = 1, .enqueue_tx = true}, "-- :other\nx\n", NULL},
		{{.enqueue_batch = 2}, "", "leave out --enqueue-batch"},
		{{.enqueue_batch = 2}, "-- :enqueue_many\n$1\n", NULL},
		{{.enqueue_batch = 1, .mutex_keys = 1}, "", "leave out --mutex-keys"},
		{{.enqueue_batch = 1, .mutex_keys = 1},
		 "-- :claim_keys\nx\n",
		 "complete_keys; add"},
		{{.enqueue_batch = 1, .mutex_keys = 1}, KEYS, "enqueue has no $5, the key"},
		{{.enqueue_batch = 2, .mutex_keys = 1}, KEYS "-- :enqueue_many\n$1\n", NULL},
		{{.enqueue_batch = 2, .mutex_keys = 1, .blocked = 1}, KEYS, "statement hold; add"},
		{{.enqueue_batch = 2, .mutex_keys = 1, .queued = 1}, KEYS, "leave out --queued"},
	};
	struct variant v = {.name = "mine", .history = true, .keys = true};
	struct variant_sql sql;
	struct err err = {0, ""};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];
		int rc;

		snprintf(text, sizeof(text), "%s%s", WHOLE, cases[i].sql);
		assert_int_equal(parse(&sql, text, &err), 0);
		rc = variant_fits(&v, &sql, &cases[i].w, &err);
		if ((rc == 0) != !cases[i].what || (rc < 0 && !strstr(err.text, cases[i].what)))
			fail_msg("case %zu: %d %s", i, rc, err.text);
		variant_sql_release(&sql);
	}
	v.history = false;
	assert_int_equal(parse(&sql, WHOLE "-- :completed\nx\n", &err), 0);
	assert_int_equal(variant_fits(&v, &sql, &cases[1].w, &err), -EINVAL);
	assert_non_null(strstr(err.text, "mine keeps no completed jobs"));
	v.keys = false;
	assert_int_equal(variant_fits(&v, &sql,
				      &(struct workload){.enqueue_batch = 1, .mutex_keys = 1},
				      &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "mine knows no mutex keys"));
	variant_sql_release(&sql);
}

/* Those of this package are whole. */
static void test_package(void **state)
{
	struct variant v[8];
	struct variant_sql sql;
	struct err err = {0, ""};
	char dir[4096];
	size_t n;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/workload",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	setenv("CPUTOP_DATADIR", dir, 1);
	n = variant_builtin(v, 8, &err);
	assert_int_equal(n, 7);
	for (size_t i = 0; i < n * DIALECT_COUNT; i++) {
		struct strbuf claim;

		assert_int_equal(variant_load_sql(&sql, &v[i % n], (enum dialect)(i / n), &err), 0);
		strbuf_init(&claim);
		variant_sql_claim(&sql, SQL_CLAIM, 8, &claim);
		assert_non_null(strstr(claim.buf, "limit 8 for update skip locked"));
		assert_null(strstr(claim.buf, ":limit"));
		/* a parameter in the limit would have each claim planned anew */
		assert_null(strstr(claim.buf, "limit $"));
		strbuf_release(&claim);
		variant_sql_release(&sql);
	}
	assert_int_equal(v[0].claim, CLAIM_SHARED);
	assert_int_equal(v[1].claim, CLAIM_PER_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_package),
	};

	return cmocka_run_group_tests_name("fits", tests, NULL, NULL);
}
