#include "config.h"

#include "variant/variant.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/strbuf.h"

/* Line by line: what a variant needs at least. */
#define REST                                                                                     \
	"-- :prefill\np;\n-- :enqueue\ne;\n-- :complete\nc;\n-- :settle\ns;\n-- :check\nk;\n-- " \
	":listen\nl;\n"
#define WHOLE "-- :setup\na;\nb;\n-- :claim\nx limit :limit;\n" REST
#define INI   "[variant]\ntitle = T\nclaim = shared\n"

struct fixture {
	char dir[64];
	char path[128]; /* of the variant */
};

static int parse(struct variant_sql *sql, const char *text, struct err *err)
{
	return variant_parse_sql(sql, DIALECT_POSTGRES, "f.sql", text, strlen(text), err);
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->dir, sizeof(f->dir), "/tmp/cputop-unit-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/mine", f->dir);
	*state = f;
	return mkdir(f->path, 0700);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int rc = nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	unsetenv("CPUTOP_DATADIR");
	free(f);
	return rc;
}

/* ---- variant.ini ---- */

static void test_ini(void **state)
{
	struct fixture *f = *state;
	struct variant v;
	struct err err = {0, ""};

	put(f->path, "variant.ini",
	    "# a comment\n; another\n\n[variant] ; here\n  title =  One;two, FOR UPDATE   # note\n"
	    "claim=per-name\ncomplete = single\nprepared = no\nkeys = yes\n");
	assert_int_equal(variant_load(&v, f->path, &err), 0);
	assert_string_equal(v.name, "mine");
	assert_string_equal(v.title, "One;two, FOR UPDATE");
	assert_string_equal(v.dir, f->path);
	assert_int_equal(v.claim, CLAIM_PER_NAME);
	assert_false(v.prepared);
	assert_false(v.builtin);
	/* what may be left out; no newline at the end; a slash behind the folder */
	put(f->path, "variant.ini", "[variant]\ntitle=x\nclaim = shared");
	snprintf(f->path + strlen(f->path), 2, "/");
	assert_int_equal(variant_load(&v, f->path, &err), 0);
	assert_string_equal(v.name, "mine");
	assert_int_equal(v.claim, CLAIM_SHARED);
	assert_true(v.prepared);
	assert_int_equal(v.complete, COMPLETE_SINGLE);
	assert_string_equal(v.like, "");
	put(f->path, "variant.ini", INI "complete = batch\nlike = skiplocked\n");
	assert_int_equal(variant_load(&v, f->path, &err), 0);
	assert_int_equal(v.complete, COMPLETE_BATCH);
	assert_string_equal(v.like, "skiplocked");
}

static void test_ini_errors(void **state)
{
	static const struct {
		const char *text, *line, *what;
	} cases[] = {
		{INI "wrong = 1\n", ":4: ", "unknown key 'wrong'"},
		{INI "claim = shared\n", ":4: ", "claim is there twice"},
		{"[variant]\ntitle = T\nclaim = some\n", ":3: ", "not 'some'"},
		{INI "like = a/b\n", ":4: ", "name of a built-in"},
		{INI "complete = none\n", ":4: ", "single or batch"},
		{INI "prepared = maybe\n", ":4: ", "prepared is yes or no"},
		{INI "keys =\n", ":4: ", "keys is yes or no"},
		{INI "[variant]\n", ":4: ", "twice"},
		{INI "[external]\n", ":4: ", "external"},
		{INI "[else]\n", ":4: ", "unknown section [else]"},
		{INI "\n\nnothing\n", ":6: ", "name = value"},
		{"title = T\n", ":1: ", "before [variant]"},
		{"[variant]\ntitle =\n", ":2: ", "title takes"},
		{"[variant]\nclaim = shared\n", ": ", "title is missing"},
		{"[variant]\ntitle = T\n", ": ", "claim is missing"},
		{"", ": ", "title is missing"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char start[256];
		struct variant v;
		struct err err = {0, ""};

		put(f->path, "variant.ini", cases[i].text);
		assert_int_equal(variant_load(&v, f->path, &err), -EINVAL);
		snprintf(start, sizeof(start), "%s/variant.ini%s", f->path, cases[i].line);
		if (strncmp(err.text, start, strlen(start)) != 0 ||
		    !strstr(err.text, cases[i].what))
			fail_msg("case %zu: %s", i, err.text);
	}
}

static void test_folders(void **state)
{
	struct fixture *f = *state;
	char bad[200];
	struct variant v;
	struct err err = {0, ""};

	assert_int_equal(variant_load(&v, "/nowhere/at/all", &err), -ENOENT);
	assert_int_equal(variant_load(&v, f->path, &err), -ENOENT);
	assert_non_null(strstr(err.text, "variant.ini"));
	snprintf(bad, sizeof(bad), "%s/a b", f->dir);
	assert_int_equal(mkdir(bad, 0700), 0);
	put(bad, "variant.ini", INI);
	assert_int_equal(variant_load(&v, bad, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no name for a variant"));
}

/* ---- the built-in ones ---- */

static void builtin(struct fixture *f, const char *name)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/variants", f->dir);
	mkdir(dir, 0700);
	snprintf(dir, sizeof(dir), "%s/variants/%s", f->dir, name);
	assert_int_equal(mkdir(dir, 0700), 0);
	put(dir, "variant.ini", INI);
	put(dir, "postgres.sql", WHOLE);
}

static void test_builtin(void **state)
{
	struct fixture *f = *state;
	struct variant v[4];
	struct err err = {0, ""};

	setenv("CPUTOP_DATADIR", f->dir, 1);
	assert_int_equal(variant_builtin(v, 4, &err), 0);
	assert_non_null(strstr(err.text, "CPUTOP_DATADIR"));
	builtin(f, "zeta");
	builtin(f, "alpha");
	builtin(f, "pername");
	builtin(f, "skiplocked");
	assert_int_equal(variant_builtin(v, 4, &err), 4);
	assert_string_equal(v[0].name, "skiplocked");
	assert_string_equal(v[1].name, "pername");
	assert_string_equal(v[2].name, "alpha");
	assert_string_equal(v[3].name, "zeta");
	assert_true(v[0].builtin);
	memset(v, 0, sizeof(v));
	assert_int_equal(variant_builtin(v, 1, &err), 4);
	assert_string_equal(v[1].name, "");
	assert_int_equal(variant_load(&v[0], "alpha", &err), 0);
	assert_true(v[0].builtin);
	assert_int_equal(variant_load(&v[0], "beta", &err), -ENOENT);
	assert_non_null(strstr(err.text, "unknown variant 'beta'; built in: skiplocked, pername, "
					 "alpha, zeta"));
}

/* What a folder's file does not have is the built-in variant's, as are its lines in messages. */
static void test_like(void **state)
{
	struct fixture *f = *state;
	char start[256];
	struct variant v;
	struct variant_sql sql;
	struct err err = {0, ""};

	setenv("CPUTOP_DATADIR", f->dir, 1);
	builtin(f, "skiplocked");
	put(f->path, "variant.ini", INI "like = skiplocked\n");
	assert_int_equal(variant_load(&v, f->path, &err), 0);
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), 0);
	assert_string_equal(sql.text[SQL_CLAIM], "x limit :limit");
	variant_sql_release(&sql);
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_MYSQL, &err), -ENOENT);
	put(f->path, "postgres.sql", "-- :complete\nmine\n");
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), 0);
	assert_string_equal(sql.text[SQL_COMPLETE], "mine");
	assert_string_equal(sql.text[SQL_CLAIM], "x limit :limit");
	variant_sql_error(&err, &sql, SQL_COMPLETE, "mine", 0, "no");
	snprintf(start, sizeof(start), "%s/postgres.sql:2: ", f->path);
	assert_int_equal(strncmp(err.text, start, strlen(start)), 0);
	variant_sql_error(&err, &sql, SQL_CLAIM, "x", 0, "no");
	snprintf(start, sizeof(start), "%s/variants/skiplocked/postgres.sql:5: ", f->dir);
	assert_int_equal(strncmp(err.text, start, strlen(start)), 0);
	variant_sql_release(&sql);
	put(f->path, "variant.ini", INI "like = nothing\n");
	assert_int_equal(variant_load(&v, f->path, &err), 0);
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), -ENOENT);
	assert_non_null(strstr(err.text, "unknown variant 'nothing'"));
}

/* A claim of one's own does not read what it took by the statement of another. */
static void test_like_claimed(void **state)
{
	struct fixture *f = *state;
	char dir[128];
	struct variant v;
	struct variant_sql sql;
	struct err err = {0, ""};

	setenv("CPUTOP_DATADIR", f->dir, 1);
	builtin(f, "skiplocked");
	snprintf(dir, sizeof(dir), "%s/variants/skiplocked", f->dir);
	put(dir, "postgres.sql", WHOLE "-- :claimed\ny\n");
	put(f->path, "variant.ini", INI "like = skiplocked\n");
	put(f->path, "postgres.sql", "-- :check\nz\n");
	assert_int_equal(variant_load(&v, f->path, &err), 0);
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), 0);
	assert_string_equal(sql.text[SQL_CLAIMED], "y");
	variant_sql_release(&sql);
	put(f->path, "postgres.sql", "-- :claim\nz\n");
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), 0);
	assert_null(sql.text[SQL_CLAIMED]);
	variant_sql_release(&sql);
	/* in a circle */
	put(dir, "variant.ini", INI "like = skiplocked\n");
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), -ELOOP);
	assert_non_null(strstr(err.text, "circle"));
}

/* ---- SQL ---- */

static void test_statements(void **state)
{
	struct variant_sql sql;
	struct err err = {0, ""};

	(void)state;
	assert_int_equal(parse(&sql,
			       "-- about the file\n\n"
			       "-- :setup  what it is\n\n  \ncreate a;\n-- why\ncreate b;\n\n"
			       "--:claim\n\tselect 1\nlimit :limit ; \n;\n" REST,
			       &err),
			 0);
	assert_string_equal(sql.text[SQL_SETUP], "create a;\n-- why\ncreate b");
	assert_int_equal(sql.line[SQL_SETUP], 6);
	assert_string_equal(sql.text[SQL_CLAIM], "\tselect 1\nlimit :limit");
	assert_int_equal(sql.line[SQL_CLAIM], 11);
	assert_string_equal(sql.text[SQL_LISTEN], "l");
	variant_sql_release(&sql);
	assert_null(sql.text[SQL_SETUP]);
}

static void test_sql_errors(void **state)
{
	static const struct {
		const char *text, *what;
	} cases[] = {
		{"", "f.sql: statement setup is missing"},
		{"-- :setup\na\n" REST, "f.sql: statement claim is missing"},
		{"select 1;\n" WHOLE, "f.sql:1: this stands before"},
		{WHOLE "-- :what\nx\n", "f.sql:18: unknown statement 'what'"},
		{WHOLE "-- :claim\nx\n",
		 "f.sql:18: statement claim is there twice (first at line 5)"},
		{"-- :setup\n\n;\n-- :claim\nx\n" REST, "f.sql:1: statement setup is empty"},
		{"-- :claim\nx\n" REST "-- :setup\n", "f.sql:15: statement setup is empty"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct variant_sql sql;
		struct err err = {0, ""};

		assert_int_equal(parse(&sql, cases[i].text, &err), -EINVAL);
		if (strncmp(err.text, cases[i].what, strlen(cases[i].what)) != 0)
			fail_msg("case %zu: %s", i, err.text);
		for (unsigned s = 0; s < STATEMENT_COUNT; s++)
			assert_null(sql.text[s]);
	}
}

/* What wakes the worker is the database's, or cputop's; what a claim took may be a second one. */
static void test_dialects(void **state)
{
	static const char listen[] = "-- :listen\nl;\n";
	char without[sizeof(WHOLE)], *at;
	struct variant_sql sql;
	struct err err = {0, ""};

	(void)state;
	memcpy(without, WHOLE, sizeof(WHOLE));
	at = strstr(without, listen);
	assert_non_null(at);
	memmove(at, at + strlen(listen), strlen(at + strlen(listen)) + 1);
	assert_int_equal(parse(&sql, without, &err), -EINVAL);
	assert_non_null(strstr(err.text, "statement listen is missing"));
	for (int i = 0; i < 2; i++) {
		enum dialect d = i ? DIALECT_MYSQL : DIALECT_MARIADB;

		assert_int_equal(
			variant_parse_sql(&sql, d, "f.sql", without, strlen(without), &err), 0);
		assert_null(sql.text[SQL_LISTEN]);
		assert_null(sql.text[SQL_CLAIMED]);
		variant_sql_release(&sql);
		assert_int_equal(variant_parse_sql(&sql, d, "f.sql", WHOLE, strlen(WHOLE), &err),
				 -EINVAL);
		assert_non_null(strstr(err.text, "no way to listen"));
	}
	assert_int_equal(parse(&sql, WHOLE "-- :claimed\nx\n", &err), 0);
	assert_string_equal(sql.text[SQL_CLAIMED], "x");
	variant_sql_release(&sql);
}

static void test_nul(void **state)
{
	struct variant_sql sql;
	struct err err = {0, ""};

	(void)state;
	assert_int_equal(
		variant_parse_sql(&sql, DIALECT_POSTGRES, "f.sql", WHOLE, sizeof(WHOLE), &err),
		-EINVAL);
}

static void test_missing_file(void **state)
{
	struct fixture *f = *state;
	struct variant v;
	struct variant_sql sql;
	struct err err = {0, ""};

	put(f->path, "variant.ini", INI);
	assert_int_equal(variant_load(&v, f->path, &err), 0);
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), -ENOENT);
	assert_non_null(strstr(err.text, "postgres.sql"));
	put(f->path, "postgres.sql", WHOLE);
	assert_int_equal(variant_load_sql(&sql, &v, DIALECT_POSTGRES, &err), 0);
	variant_sql_release(&sql);
}

static void test_limit(void **state)
{
	struct variant_sql sql;
	struct err err = {0, ""};
	struct strbuf out;

	(void)state;
	strbuf_init(&out);
	assert_int_equal(parse(&sql,
			       "-- :setup\nx\n-- :claim\n:limit a::limit :limits :limit_a :limit\n"
			       ":limit;\n" REST,
			       &err),
			 0);
	variant_sql_claim(&sql, SQL_CLAIM, 12, &out);
	assert_string_equal(out.buf, "12 a::limit :limits :limit_a 12\n12");
	strbuf_release(&out);
	variant_sql_release(&sql);
}

static void test_server_error(void **state)
{
	struct variant_sql sql;
	struct err err = {0, ""};
	const char *sent = "one \xc3\xa4\ntwo\nthree";

	(void)state;
	assert_int_equal(parse(&sql, WHOLE, &err), 0);
	variant_sql_error(&err, &sql, SQL_CLAIM, sent, 0, "no");
	assert_string_equal(err.text, "f.sql:5: statement claim failed: no");
	/* characters, not bytes: the sixth ends the line, the seventh begins the next */
	variant_sql_error(&err, &sql, SQL_CLAIM, sent, 6, "no");
	assert_string_equal(err.text, "f.sql:5: statement claim failed: no");
	variant_sql_error(&err, &sql, SQL_CLAIM, sent, 7, "no");
	assert_string_equal(err.text, "f.sql:6: statement claim failed: no");
	variant_sql_error(&err, &sql, SQL_CLAIM, sent, 12, "no");
	assert_string_equal(err.text, "f.sql:7: statement claim failed: no");
	variant_sql_error(&err, &sql, SQL_CLAIM, sent, 9999, "no");
	assert_string_equal(err.text, "f.sql:7: statement claim failed: no");
	variant_sql_release(&sql);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_ini),          TEST(test_ini_errors),   TEST(test_folders),
		TEST(test_builtin),      TEST(test_statements),   TEST(test_sql_errors),
		TEST(test_dialects),     TEST(test_nul),          TEST(test_missing_file),
		TEST(test_limit),        TEST(test_server_error), TEST(test_like),
		TEST(test_like_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
