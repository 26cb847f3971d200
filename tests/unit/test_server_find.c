/* Where servers of MySQL are found, with shell scripts in the place of mysqld. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "proc/tmpdir.h"
#include "proc_support.h"
#include "server/server.h"

struct place {
	char base[64], bin[96];
	struct server_options options;
	struct err err;
};

static void place_init(struct place *b)
{
	memset(b, 0, sizeof(*b));
	snprintf(b->base, sizeof(b->base), "/tmp/cptest-XXXXXX");
	assert_non_null(mkdtemp(b->base));
	snprintf(b->bin, sizeof(b->bin), "%s/bin", b->base);
	assert_int_equal(mkdir(b->bin, 0755), 0);
}

static void place_release(struct place *b)
{
	assert_int_equal(remove_tree(b->base), 0);
}

static void put_script(const struct place *b, const char *name, const char *script)
{
	char path[128], text[1024];

	snprintf(path, sizeof(path), "%s/%s", b->bin, name);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	support_write_file(path, text, 0755);
}

static void assert_says(const struct err *err, const char *text)
{
	if (!strstr(err->text, text))
		fail_msg("'%s' is not in: %s", text, err->text);
}

/* What contrib/get-mysql has made: in its variable's prefix, and in the user's cache; told from a
 * MariaDB by asking. */
static void test_find_in_prefix(void **state)
{
	const char *reply = "echo 'mysqld  Ver 9.7.4-2 for Linux'";
	char *old = strdup(getenv("PATH"));
	char path[4096], wanted[128];
	struct place b;

	(void)state;
	place_init(&b);
	put_script(&b, "mysqld", reply);
	setenv("PATH", "/nonexistent", 1);
	setenv("CPUTOP_MYSQL_PREFIX", b.base, 1);
	snprintf(wanted, sizeof(wanted), "%s/mysqld", b.bin);
	assert_true(server_find(DIALECT_MYSQL, &b.options, path, sizeof(path), &b.err));
	assert_string_equal(path, wanted);
	/* which is not MariaDB's, nor is a MariaDB there a MySQL */
	b.options.bin_dir = b.bin;
	assert_false(server_find(DIALECT_MARIADB, &b.options, path, sizeof(path), &b.err));
	assert_says(&b.err, "is not MariaDB's");
	put_script(&b, "mysqld", "echo 'mysqld  Ver 10.11.9-MariaDB for Linux'");
	assert_false(server_find(DIALECT_MYSQL, &b.options, path, sizeof(path), &b.err));
	assert_says(&b.err, "is not MySQL's");
	put_script(&b, "mysqld", "echo 'mysqld: libaio.so.1 is not there' >&2; exit 127");
	assert_false(server_find(DIALECT_MYSQL, &b.options, path, sizeof(path), &b.err));
	assert_says(&b.err, "mysqld does not run: mysqld: libaio.so.1 is not there; ");
	unsetenv("CPUTOP_MYSQL_PREFIX");
	setenv("PATH", old, 1);
	free(old);
	place_release(&b);
}

/* The user's cache; root uses the system's, which no test may fill. */
static void test_find_in_cache(void **state)
{
	char path[4096], wanted[200], *old = strdup(getenv("PATH"));
	struct place b;
	bool found;

	(void)state;
	place_init(&b);
	setenv("PATH", "/nonexistent", 1);
	snprintf(wanted, sizeof(wanted), "%s/cputop", b.bin);
	assert_int_equal(mkdir(wanted, 0755), 0);
	snprintf(wanted, sizeof(wanted), "%s/cputop/mysql", b.bin);
	assert_int_equal(mkdir(wanted, 0755), 0);
	snprintf(wanted, sizeof(wanted), "%s/cputop/mysql/bin", b.bin);
	assert_int_equal(mkdir(wanted, 0755), 0);
	snprintf(wanted, sizeof(wanted), "%s/cputop/mysql/bin/mysqld", b.bin);
	support_write_file(wanted, "#!/bin/sh\necho 'mysqld  Ver 9.7.4-2 for Linux'\n", 0755);
	setenv("XDG_CACHE_HOME", b.bin, 1);
	found = server_find(DIALECT_MYSQL, &b.options, path, sizeof(path), &b.err);
	if (geteuid() == 0)
		assert_false(found && strcmp(path, wanted) == 0);
	else if (!found)
		fail_msg("%s", b.err.text);
	else if (strncmp(path, "/usr", 4) != 0 && strncmp(path, "/opt", 4) != 0)
		assert_string_equal(path, wanted); /* the usual places come first */
	unsetenv("XDG_CACHE_HOME");
	setenv("PATH", old, 1);
	free(old);
	place_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_in_prefix),
		cmocka_unit_test(test_find_in_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
