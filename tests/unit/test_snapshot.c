/*
 * The snapshot file: what is in it, and that it is whole or absent. With --dump DIR it writes its
 * documents there instead, for tests/cli/schema.sh; the locale is then the user's.
 */
#include "config.h"

#include "result/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "result/compare.h"
#include "snapshot_read.h"

static void test_head(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	json_t *root = written(&f->snapshot);
	assert_text("cputop.snapshot", root, "schema");
	assert_member(1, root, "version");
	assert_text(PACKAGE_VERSION, root, "tool", "version");
	assert_text("2025-11-30T20:43:20.123Z", root, "created");
	assert_true(json_is_false(at(root, "complete", NULL)));
	assert_null_at(root, "host", "governor");
	assert_true(json_is_true(at(root, "host", "smt", NULL)));
	assert_member(-1, root, "host", "perf_event_paranoid");
	assert_member(-5, root, "host", "nice");
	assert_null_at(root, "host", "cpufreq_max_khz");
	assert_true(json_is_true(at(root, "host", "turbo", NULL)));
	assert_text("V\\x1b", root, "host", "mitigations", "mds");
	assert_member(10, root, "host", "before", "steal_ns");
	assert_member(11, root, "host", "after", "steal_ns");
	assert_null_at(root, "host", "after", "throttled_runs");
	assert_text("A \"CPU\" \xc2\xb5 \\xff\\x1b[0m", root, "host", "cpu_model");
	assert_text("perf", root, "counters", "source");
	assert_null_at(root, "counters", "instructions", "reason");
	assert_text("too few counters", root, "counters", "cycles", "reason");
	assert_true(json_is_true(at(root, "counters", "cpu", "available", NULL)));
	assert_null_at(root, "counters", "icount");
	assert_true(json_is_real(at(root, "workload", "rate", NULL)));
	assert_member(8, root, "workload", "concurrency");
	assert_text("CPUTOP_NAMES", root, "from_environment", "1");
	assert_text("\xc3\xa9\\x80", root, "databases", "0", "settings", "odd\\xfe name");
	assert_text("sql", root, "variants", "1", "kind");
	json_decref(root);
	f->counters.source = COUNTERS_ICOUNT;
	f->counters.icount = (struct icount_facts){.roles = 5, .libc = "glibc 2.36"};
	memcpy(f->counters.no_cpu_reason, "slow", sizeof("slow"));
	root = written(&f->snapshot);
	assert_text("slow", root, "counters", "cpu", "reason");
	assert_text("glibc 2.36", root, "counters", "icount", "libc");
	assert_null_at(root, "counters", "icount", "server_build_id");
	assert_text("database", root, "counters", "icount", "roles", "1");
	json_decref(root);
	free(f);
}

static void test_results(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	json_t *root = written(&f->snapshot);
	json_t *base = at(root, "results", "0", NULL), *own = at(root, "results", "1", NULL);
	assert_null_at(base, "change");
	assert_int_equal(json_array_size(at(own, "windows", NULL)), 4);
	assert_member(7, own, "windows", "3");
	assert_member(1600, own, "jobs");
	assert_member(4, own, "per_job", "total", "cpu_ns", "n");
	assert_member(4, own, "per_second", "total", "cpu_ns", "n");
	assert_true(json_real_value(at(own, "work_per_job", "rows_examined", "median", NULL)) >
		    4.9);
	assert_true(json_real_value(at(own, "work_per_second", "statements", "max", NULL)) > 59);
	assert_member(0, own, "work_per_job", "buffers", "n");
	assert_member(1114112, own, "latency_ns", "p50");
	assert_text("pername", own, "change", "base");
	assert_text("cheaper", own, "change", "cpu_ns", "verdict");
	double low = json_real_value(at(own, "change", "cpu_ns", "ci95", "0", NULL));
	double high = json_real_value(at(own, "change", "cpu_ns", "ci95", "1", NULL));
	double ratio = json_real_value(at(own, "change", "cpu_ns", "ratio", NULL));
	assert_true(0.3 < low && low <= ratio && ratio <= high && high < 0.36);
	json_decref(root);
	free(f);
}

static void test_too_few_windows_have_no_interval(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	f->snapshot.nwindows = 6;
	f->snapshot.nresults = results_from_windows(f->list, 6, "pername", f->results, 4);
	json_t *root = written(&f->snapshot), *own = at(root, "results", "1", NULL);
	assert_true(json_is_real(at(own, "change", "cpu_ns", "ratio", NULL)));
	assert_null_at(own, "change", "cpu_ns", "ci95");
	assert_null_at(own, "change", "cpu_ns", "verdict");
	json_decref(root);
	free(f);
}

static void test_empty_session(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	empty_session(f);
	json_t *root = written(&f->snapshot);
	assert_null_at(root, "counters");
	assert_null_at(root, "host", "kernel");
	assert_null_at(root, "host", "smt");
	assert_null_at(root, "host", "mitigations");
	assert_null_at(root, "host", "nice");
	assert_null_at(root, "host", "cgroup_quota_cpus");
	assert_null_at(root, "host", "perf_event_paranoid");
	assert_text("max", root, "workload", "rate");
	assert_int_equal(json_array_size(at(root, "windows", NULL)), 0);
	json_decref(root);
	free(f);
}

static void test_numbers_that_are_none(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	f->host.loadavg[1] = (double)NAN;
	f->workload.seed = UINT64_MAX;
	json_t *root = written(&f->snapshot);
	assert_null_at(root, "host", "loadavg", "1");
	assert_member(INT64_MAX, root, "workload", "seed");
	json_decref(root);
	free(f);
}

static void test_sample(void **state)
{
	(void)state;
	struct proc_row rows[2];
	struct sample s = sample_of(rows);
	struct err err = {0};
	char *path = path_of("before.json");
	assert_int_equal(snapshot_write_sample(&s, path, &err), 0);
	json_t *root = json_load_file(path, 0, NULL);
	assert_member(123456789, root, "taken_ns");
	assert_member(41, root, "processes", "0", "pid");
	assert_text("backend", root, "processes", "0", "part");
	assert_text("postgres: \xe2\x82\xac \\x1b]0;x\\x07 idle", root, "processes", "0", "title");
	assert_text("load\\xff", root, "processes", "1", "title");
	assert_text("worker", root, "processes", "1", "role");
	assert_null_at(root, "processes", "1", "cycles");
	assert_member(3000000, root, "processes", "1", "cpu_ns");
	json_decref(root);
	drop(path);
}

static void test_sizes(void **state)
{
	(void)state;
	struct err err = {0};
	char *path = path_of("sizes.json");
	assert_int_equal(snapshot_write_sizes(fixture_tables, 2, path, &err), 0);
	json_t *root = json_load_file(path, 0, NULL);
	assert_member(81920, root, "tables", "0", "bytes");
	assert_text("jobs_due", root, "tables", "0", "indexes", "1", "name");
	assert_member(7, root, "tables", "0", "dead_rows");
	assert_null_at(root, "tables", "1", "dead_rows");
	assert_int_equal(json_array_size(at(root, "tables", "1", "indexes", NULL)), 0);
	json_decref(root);
	drop(path);
}

static void assert_content(const char *path, const char *text)
{
	struct strbuf sb;
	strbuf_init(&sb);
	assert_int_equal(strbuf_read_file(&sb, path, 1 << 20), 0);
	assert_string_equal(sb.buf, text);
	strbuf_release(&sb);
}

#define NO_TABLES "{\n \"tables\": []\n}\n"

static void test_replaces_and_keeps_links(void **state)
{
	(void)state;
	struct err err = {0};
	struct stat st;
	char *path = path_of("target"), *link = path_of("link");
	put(path, "old");
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(snapshot_write_sizes(NULL, 0, link, &err), 0);
	assert_content(path, NO_TABLES);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	drop(link);
	drop(path);
}

static void test_mode_follows_the_umask(void **state)
{
	(void)state;
	struct err err = {0};
	struct stat st;
	char *path = path_of("new.json");
	mode_t old = umask(027);
	assert_int_equal(snapshot_write_sizes(NULL, 0, path, &err), 0);
	umask(old);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	drop(path);
}

static void test_pipe_is_written_into(void **state)
{
	(void)state;
	struct err err = {0};
	struct stat st;
	char got[64] = "", *path = path_of("fifo");
	assert_int_equal(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(snapshot_write_sizes(NULL, 0, path, &err), 0);
	assert_int_equal(read(fd, got, sizeof(got) - 1), strlen(NO_TABLES));
	assert_string_equal(got, NO_TABLES);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(fd);
	drop(path);
}

/* A file that may not grow fails as one on a full disk does, after a part of it was written. */
static void test_no_room_leaves_the_old_file(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	struct err err = {0};
	struct rlimit all, few;
	char *path = path_of("kept.json");
	put(path, "old");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
	few = all;
	few.rlim_cur = 1000;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	int rc = snapshot_write(&f->snapshot, path, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(rc, -EFBIG);
	assert_null(strchr(err.text, '\n'));
	assert_non_null(strstr(err.text, "kept.json"));
	assert_content(path, "old");
	assert_int_equal(entries(), 1);
	drop(path);
	free(f);
}

static void test_errors(void **state)
{
	(void)state;
	struct err err = {0};
	char *missing = path_of("no/such.json");
	assert_int_equal(snapshot_write_sizes(NULL, 0, missing, &err), -ENOENT);
	assert_non_null(strstr(err.text, "make its folder first"));
	assert_int_equal(snapshot_write_sizes(NULL, 0, dir, &err), -EISDIR);
	assert_int_equal(snapshot_write_sizes(NULL, 0, missing, NULL), -ENOENT);
	free(missing);
}

/* Writes an empty list of tables to standard output, which meanwhile is the file path. */
static int to_stdout(const char *path, struct err *err)
{
	fflush(stdout);
	int old = dup(STDOUT_FILENO), fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(old >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
	int rc = snapshot_write_sizes(NULL, 0, "-", err);
	assert_true(dup2(old, STDOUT_FILENO) >= 0);
	close(old);
	close(fd);
	return rc;
}

static void test_standard_output(void **state)
{
	(void)state;
	struct err err = {0};
	char *path = path_of("stdout");
	assert_int_equal(to_stdout(path, &err), 0);
	assert_content(path, NO_TABLES);
	assert_int_equal(to_stdout("/dev/full", &err), -ENOSPC);
	assert_string_equal(err.text, "cannot write standard output: No space left on device; "
				      "free some space or choose another file");
	drop(path);
}

static int dump(const char *where)
{
	struct session_fixture *f = fixture();
	struct proc_row rows[2];
	struct sample s = sample_of(rows);
	struct err err = {0};
	int failed = 0;
	setlocale(LC_ALL, "");
	printf("decimal point %s\n", localeconv()->decimal_point);
	snprintf(dir, sizeof(dir), "%s", where);
	char *full = path_of("snapshot.json"), *empty = path_of("empty.json");
	char *before = path_of("before.json"), *sizes = path_of("sizes.json");
	failed |= snapshot_write(&f->snapshot, full, &err);
	empty_session(f);
	failed |= snapshot_write(&f->snapshot, empty, &err);
	failed |= snapshot_write_sample(&s, before, &err);
	failed |= snapshot_write_sizes(fixture_tables, 2, sizes, &err);
	if (failed)
		fprintf(stderr, "%s\n", err.text);
	free(sizes);
	free(before);
	free(empty);
	free(full);
	free(f);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_too_few_windows_have_no_interval),
		cmocka_unit_test(test_empty_session),
		cmocka_unit_test(test_numbers_that_are_none),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_replaces_and_keeps_links),
		cmocka_unit_test(test_mode_follows_the_umask),
		cmocka_unit_test(test_pipe_is_written_into),
		cmocka_unit_test(test_no_room_leaves_the_old_file),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_standard_output),
	};
	if (argc == 3 && strcmp(argv[1], "--dump") == 0)
		return dump(argv[2]);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
