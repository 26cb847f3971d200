/* Parsing of /proc: hostile names, cut texts, numbers. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/procfs.h"

#define TAIL                                                                       \
	" S 77 1 1 0 -1 4194304 10 20 30 40 150 25 300 45 20 0 7 0 123456 1000 2 " \
	"18446744073709551615 "                                                    \
	"1 1\n"

static int parse(const char *text, struct procstat *st)
{
	return procfs_parse_stat(text, strlen(text), st);
}

static void test_stat_fields(void **state)
{
	struct procstat st;

	(void)state;
	assert_int_equal(parse("42 (postgres)" TAIL, &st), 0);
	assert_int_equal(st.pid, 42);
	assert_string_equal(st.comm, "postgres");
	assert_int_equal(st.state, 'S');
	assert_int_equal(st.ppid, 77);
	assert_int_equal(st.utime, 150);
	assert_int_equal(st.stime, 25);
	assert_int_equal(st.cutime, 300);
	assert_int_equal(st.cstime, 45);
	assert_int_equal(st.threads, 7);
	assert_int_equal(st.start, 123456);
}

static void test_stat_names(void **state)
{
	static const char *const names[] = {
		"a) R 1 (", "x\ny",      ")))))))))))))))", "(",        "",
		"a b",      ") R 1 2 3", "\xe7\xff\x80",    "\x1b[31m", "1 (2) S 3"};
	char text[512];
	struct procstat st;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(text, sizeof(text), "9 (%s)" TAIL, names[i]);
		assert_int_equal(parse(text, &st), 0);
		assert_string_equal(st.comm, names[i]);
		assert_int_equal(st.ppid, 77);
		assert_int_equal(st.start, 123456);
	}
	assert_int_equal(parse("9 (x\\ny\\\\z)" TAIL, &st), 0);
	assert_string_equal(st.comm, "x\ny\\z");
}

static void test_stat_long_name(void **state)
{
	char text[1024], name[300];
	struct procstat st;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "9 (%s)" TAIL, name);
	assert_int_equal(parse(text, &st), 0);
	assert_int_equal(strlen(st.comm), sizeof(st.comm) - 1);
	assert_int_equal(st.threads, 7);
}

/* No length of a cut text is taken for a whole one, and none is read beyond its end. */
static void test_stat_cut(void **state)
{
	const char *text = "42 (a) b)" TAIL;
	size_t needed = (size_t)(strstr(text, " 1000 ") - text);
	struct procstat st;

	(void)state;
	for (size_t len = 0; len <= strlen(text); len++) {
		char *exact = malloc(len ? len : 1);

		assert_non_null(exact);
		memcpy(exact, text, len);
		assert_int_equal(procfs_parse_stat(exact, len, &st) == 0, len > needed);
		free(exact);
	}
	assert_int_not_equal(parse("", &st), 0);
	assert_int_not_equal(parse("no stat at all", &st), 0);
	assert_int_not_equal(parse(") 1 (", &st), 0);
	assert_int_not_equal(parse("99999999999999999999999 (x)" TAIL, &st), 0);
}

static void test_own_stat(void **state)
{
	static const char *const names[] = {"a) R 1 (", "x\ny", "\xc3(\x1b)"};
	char path[PROCFS_PATH_MAX], text[PROCFS_STAT_MAX], before[16];
	struct procstat st;

	(void)state;
	prctl(PR_GET_NAME, before);
	procfs_path(path, "/proc", getpid(), "stat");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ssize_t n;

		prctl(PR_SET_NAME, names[i]);
		n = procfs_read(path, text, sizeof(text));
		assert_true(n > 0);
		assert_int_equal(procfs_parse_stat(text, (size_t)n, &st), 0);
		assert_string_equal(st.comm, names[i]);
		assert_int_equal(st.pid, getpid());
		assert_int_equal(st.ppid, getppid());
		assert_int_equal(st.state, 'R');
		assert_int_equal(st.threads, 1);
	}
	prctl(PR_SET_NAME, before);
}

static void test_switches(void **state)
{
	const char *text = "Name:\tvoluntary_ctxt_switches:\t9\nPid:\t1\n"
			   "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n";
	uint64_t v;

	(void)state;
	assert_int_equal(procfs_parse_switches(text, strlen(text), &v), 0);
	assert_int_equal(v, 157);
	assert_int_not_equal(procfs_parse_switches(text, strlen(text) - 30, &v), 0);
	assert_int_not_equal(procfs_parse_switches("", 0, &v), 0);
}

static void test_io(void **state)
{
	const char *text = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\n"
			   "write_bytes: 8192\ncancelled_write_bytes: 77\n";
	struct procio io;

	(void)state;
	assert_int_equal(procfs_parse_io(text, strlen(text), &io), 0);
	assert_int_equal(io.read_bytes, 4096);
	assert_int_equal(io.write_bytes, 8192);
	text = "read_bytes: 4096\ncancelled_write_bytes: 77\n";
	assert_int_not_equal(procfs_parse_io(text, strlen(text), &io), 0);
}

static void test_machine(void **state)
{
	const char *text = "cpu  10 1 20 1000 30 4 5 6 7 8\ncpu0 1 2 3 4\n";
	struct procmachine m;

	(void)state;
	assert_int_equal(procfs_parse_machine(text, strlen(text), &m), 0);
	assert_int_equal(m.user, 10);
	assert_int_equal(m.idle, 1000);
	assert_int_equal(m.iowait, 30);
	assert_int_equal(m.softirq, 5);
	assert_int_equal(m.steal, 6);
	text = "cpu  10 1 20 1000\n";
	assert_int_equal(procfs_parse_machine(text, strlen(text), &m), 0);
	assert_int_equal(m.steal, 0);
	assert_int_not_equal(procfs_parse_machine("cpu0 1 2 3 4\n", 13, &m), 0);
	assert_int_not_equal(procfs_parse_machine("cpu  1 2", 8, &m), 0);
}

static void test_pids(void **state)
{
	const char *at = "12 345 7 ";
	pid_t pid;

	(void)state;
	assert_true(procfs_next_pid(&at, &pid) && pid == 12);
	assert_true(procfs_next_pid(&at, &pid) && pid == 345);
	assert_true(procfs_next_pid(&at, &pid) && pid == 7);
	assert_false(procfs_next_pid(&at, &pid));
	at = "99999999999";
	assert_false(procfs_next_pid(&at, &pid));
	at = "self";
	assert_false(procfs_next_pid(&at, &pid));
}

static void test_title(void **state)
{
	char args[] = "/bin/x\0-D\0/dir with\0";
	char padded[] = "postgres: checkpointer \0\0\0\0";
	char nothing[] = "\0\0 ";

	(void)state;
	assert_int_equal(procfs_title(args, sizeof(args) - 1), 19);
	assert_string_equal(args, "/bin/x -D /dir with");
	procfs_title(padded, sizeof(padded) - 1);
	assert_string_equal(padded, "postgres: checkpointer");
	assert_int_equal(procfs_title(nothing, sizeof(nothing) - 1), 0);
}

static void test_bounded(void **state)
{
	char small[8];

	(void)state;
	assert_int_equal(procfs_read("/proc/self/stat", small, sizeof(small)), 7);
	assert_int_equal(small[7], '\0');
	assert_int_equal(procfs_read("/proc/self/nothing", small, sizeof(small)), -2);
	assert_true(procfs_ticks_ns(1) >= 1000000 && procfs_ticks_ns(1) <= 10000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat_fields),
		cmocka_unit_test(test_stat_names),
		cmocka_unit_test(test_stat_long_name),
		cmocka_unit_test(test_stat_cut),
		cmocka_unit_test(test_own_stat),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_io),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_title),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
