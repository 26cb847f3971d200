/* The SQL file of a variant, and its variant.ini. */
#include "config.h"

#include "fuzz/fuzz.h"
#include "lib/strbuf.h"
#include "variant/ini.h"
#include "variant/variant.h"

static void check_dialect(enum dialect d, const char *text, size_t size)
{
	static struct variant_sql sql;
	struct err err = {0};
	struct strbuf claim;
	int rc = variant_parse_sql(&sql, d, "x.sql", text, size, &err);

	fuzz_check_err(rc, &err);
	for (unsigned s = 0; s < STATEMENT_COUNT; s++) {
		bool needed = statement_needed(s, d);

		FUZZ_CHECK(rc == 0 || !sql.text[s]);
		FUZZ_CHECK(rc < 0 || !needed || sql.text[s]);
		if (sql.text[s])
			FUZZ_CHECK(sql.text[s][0] && strlen(sql.text[s]) < size);
	}
	if (rc < 0)
		return;
	FUZZ_CHECK(!memchr(text, '\0', size));
	strbuf_init(&claim);
	variant_sql_claim(&sql, SQL_CLAIM, 8, &claim);
	FUZZ_CHECK(claim.len <= strlen(sql.text[SQL_CLAIM]));
	strbuf_release(&claim);
	variant_sql_release(&sql);
}

static void check_sql(const char *text, size_t size)
{
	for (int d = 0; d < DIALECT_COUNT; d++)
		check_dialect((enum dialect)d, text, size);
}

static void check_ini(const char *text, size_t size)
{
	static struct variant v;
	struct err err = {0};
	int rc;

	memset(&v, 0, sizeof(v));
	rc = ini_parse(&v, "variant.ini", text, size, &err);
	fuzz_check_err(rc, &err);
	FUZZ_CHECK(memchr(v.title, '\0', sizeof(v.title)));
	FUZZ_CHECK(v.claim == CLAIM_SHARED || v.claim == CLAIM_PER_NAME);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > FUZZ_MAX)
		return 0;
	text = fuzz_copy(data, size);
	check_sql(text, size);
	check_ini(text, size);
	free(text);
	return 0;
}
