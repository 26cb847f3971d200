#include "config.h"

#include "lib/strbuf.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define assert_sane(sb)                                       \
	do {                                                  \
		assert_non_null((sb)->buf);                   \
		assert_int_equal((sb)->buf[(sb)->len], '\0'); \
		if ((sb)->cap)                                \
			assert_true((sb)->len < (sb)->cap);   \
		else                                          \
			assert_int_equal((sb)->len, 0);       \
	} while (0)

static void starts_empty(void **state)
{
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	assert_sane(&sb);
	assert_string_equal(sb.buf, "");
	strbuf_add(&sb, "x", 0);
	strbuf_addstr(&sb, "");
	strbuf_reset(&sb);
	assert_sane(&sb);
	strbuf_release(&sb);
	strbuf_release(&sb);
	assert_sane(&sb);
}

static void grows_byte_by_byte(void **state)
{
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (int i = 0; i < 1000; i++) {
		strbuf_addch(&sb, (char)('a' + i % 26));
		assert_int_equal(sb.len, i + 1);
		assert_sane(&sb);
	}
	assert_memory_equal(sb.buf + 26, "abcdefghij", 10);
	strbuf_release(&sb);
}

static void grows_at_once(void **state)
{
	struct strbuf sb;
	static char big[100000];

	(void)state;
	memset(big, 'x', sizeof(big));
	strbuf_init(&sb);
	strbuf_addch(&sb, 'a');
	strbuf_add(&sb, big, sizeof(big));
	assert_sane(&sb);
	assert_int_equal(sb.len, sizeof(big) + 1);
	assert_int_equal(sb.buf[sizeof(big)], 'x');
	strbuf_release(&sb);
}

static void keeps_nul_bytes(void **state)
{
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.buf, "a\0b", 4);
	strbuf_release(&sb);
}

static void formats(void **state)
{
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	strbuf_addf(&sb, "%d-%s", 42, "x");
	strbuf_addf(&sb, "%200d|", 7);
	assert_sane(&sb);
	assert_int_equal(sb.len, 4 + 201);
	assert_memory_equal(sb.buf, "42-x ", 5);
	assert_string_equal(sb.buf + sb.len - 2, "7|");
	strbuf_release(&sb);
}

/* A locale with a decimal comma may not be installed: then this shows nothing, but the C locale in
 * force inside is checked in any case by its not being disturbed outside. */
static void ignores_the_locale(void **state)
{
	const char *comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
	struct strbuf sb;

	(void)state;
	for (size_t i = 0; i < sizeof(comma) / sizeof(comma[0]); i++)
		if (setlocale(LC_ALL, comma[i]))
			break;
	strbuf_init(&sb);
	strbuf_addf(&sb, "%.2f", 1.5);
	assert_string_equal(sb.buf, "1.50");
	strbuf_release(&sb);
	setlocale(LC_ALL, "C");
}

static void resets_and_detaches(void **state)
{
	struct strbuf sb;
	size_t cap;
	char *s;

	(void)state;
	strbuf_init(&sb);
	strbuf_addstr(&sb, "hello");
	cap = sb.cap;
	strbuf_reset(&sb);
	assert_sane(&sb);
	assert_string_equal(sb.buf, "");
	assert_int_equal(sb.cap, cap);
	strbuf_addstr(&sb, "again");
	s = strbuf_detach(&sb);
	assert_string_equal(s, "again");
	assert_sane(&sb);
	assert_int_equal(sb.cap, 0);
	free(s);
	s = strbuf_detach(&sb);
	assert_string_equal(s, "");
	free(s);
}

static void reads_files(void **state)
{
	char path[] = "/tmp/cputop-test-XXXXXX";
	int fd = mkstemp(path);
	struct strbuf sb;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	strbuf_init(&sb);
	strbuf_addstr(&sb, ">");
	assert_int_equal(strbuf_read_file(&sb, path, 10), 0);
	assert_string_equal(sb.buf, ">0123456789");
	assert_int_equal(strbuf_read_file(&sb, path, 9), -EFBIG);
	assert_string_equal(sb.buf, ">0123456789");
	assert_sane(&sb);
	/* of /proc: the size is not known before */
	strbuf_reset(&sb);
	assert_int_equal(strbuf_read_file(&sb, "/proc/self/stat", 100000), 0);
	assert_true(sb.len > 20);
	unlink(path);
	assert_int_equal(strbuf_read_file(&sb, path, 10), -ENOENT);
	assert_int_equal(strbuf_read_file(&sb, "/", 10), -EISDIR);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty),
		cmocka_unit_test(grows_byte_by_byte),
		cmocka_unit_test(grows_at_once),
		cmocka_unit_test(keeps_nul_bytes),
		cmocka_unit_test(formats),
		cmocka_unit_test(ignores_the_locale),
		cmocka_unit_test(resets_and_detaches),
		cmocka_unit_test(reads_files),
	};

	return cmocka_run_group_tests_name("strbuf", tests, NULL, NULL);
}
