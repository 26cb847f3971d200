/* The part of the snapshot that is a window. */
#include "config.h"

#include "result/snapshot.h"

#include <stdio.h>

#include "snapshot_read.h"

static void test_window(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	json_t *root = written(&f->snapshot), *w = at(root, "windows", "1", NULL);
	assert_member(1, w, "index");
	assert_text("2025-11-30T20:43:20.123Z", w, "start");
	assert_member(20000000000LL, w, "length_ns");
	assert_null_at(w, "invalid_reason");
	assert_text("checkpoint", w, "events", "0");
	assert_int_equal(json_array_size(at(w, "events", NULL)), 1);
	assert_text("autovacuum", root, "windows", "2", "events", "0");
	assert_text("late", root, "windows", "9", "events", "0");
	assert_text("few jobs", root, "windows", "9", "events", "1");
	assert_member(2, w, "jobs", "backlog_before");
	assert_member(3, w, "jobs", "backlog_after");
	assert_member(1200, w, "work", "statements");
	assert_member(1200, w, "work", "commits");
	assert_member(532000, w, "work", "wal_bytes");
	assert_null_at(w, "work", "buffers");
	assert_text("the server began to count anew", w, "work", "missing", "buffers");
	assert_text("not measured to its end", root, "windows", "11", "work", "missing", "commits");
	assert_text("claim_8", w, "plans", "0", "statement");
	assert_member(380, w, "plans", "0", "custom");
	assert_true(json_is_true(at(w, "plans", "0", "anew", NULL)));
	assert_member(400, w, "plans", "1", "generic");
	assert_true(json_is_false(at(w, "plans", "1", "anew", NULL)));
	assert_null_at(root, "windows", "2", "plans");
	assert_member(0, w, "checks", "lost");
	assert_null_at(root, "windows", "8", "checks", "lost");
	assert_member(1114112, w, "latency_ns", "p50");
	assert_member(1299000, w, "latency_ns", "p95");
	assert_member(69950, w, "lateness_ns", "mean");
	assert_member(89900, w, "lateness_ns", "max");
	assert_member(3, w, "jobs", "late");
	assert_null_at(root, "windows", "11", "lateness_ns", "max");
	assert_null_at(root, "windows", "11", "jobs", "late");
	assert_member(1299000, w, "latency_ns", "max");
	assert_member(1099500, w, "latency_ns", "mean");
	assert_member(472000000, w, "processes", "worker", "instructions");
	assert_member(800000000, w, "processes", "database", "parts", "backend", "instructions");
	assert_member(-1000000, w, "processes", "database", "parts", "exited", "cpu_ns");
	assert_null_at(w, "processes", "database", "parts", "exited", "coverage");
	assert_null(json_object_get(at(w, "processes", "database", "parts", NULL), "monitor"));
	assert_member(1000, w, "processes", "machine", "steal_ns");
	assert_true(json_real_value(at(w, "per_job", "total", "cpu_ns", NULL)) > 5.57e6);
	assert_true(json_real_value(at(w, "per_second", "total", "cpu_ns", NULL)) > 111e6);
	json_decref(root);
	free(f);
}

static void test_histogram_holds_all_jobs(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	json_t *root = written(&f->snapshot), *pair;
	json_t *buckets = at(root, "windows", "0", "latency_ns", "histogram", NULL);
	json_int_t sum = 0, last = 0;
	size_t i;
	json_array_foreach(buckets, i, pair)
	{
		json_int_t upper = json_integer_value(json_array_get(pair, 0));
		assert_true(upper > last);
		assert_true(json_integer_value(json_array_get(pair, 1)) > 0);
		sum += json_integer_value(json_array_get(pair, 1));
		last = upper;
	}
	assert_int_equal(sum, 400);
	json_decref(root);
	free(f);
}

static void test_spoilt_windows(void **state)
{
	(void)state;
	struct session_fixture *f = fixture();
	json_t *root = written(&f->snapshot), *windows = at(root, "windows", NULL);
	assert_true(json_is_false(at(windows, "9", "valid", NULL)));
	assert_text("the worker ended: \\x01", windows, "9", "invalid_reason");
	/* invalid windows stay visible with their figures */
	assert_true(json_is_real(at(windows, "9", "per_job", "worker", "cycles", NULL)));
	assert_null_at(windows, "10", "per_job");
	assert_null_at(windows, "10", "latency_ns", "p50");
	assert_int_equal(json_array_size(at(windows, "10", "latency_ns", "histogram", NULL)), 0);
	assert_null_at(windows, "10", "per_second", "total", "cycles");
	assert_null_at(windows, "10", "processes", "worker", "coverage");
	assert_true(json_is_false(at(windows, "11", "valid", NULL)));
	assert_text("not measured to its end", windows, "11", "invalid_reason");
	assert_null_at(windows, "11", "jobs", "completed");
	assert_null_at(windows, "11", "length_ns");
	json_decref(root);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_histogram_holds_all_jobs),
		cmocka_unit_test(test_spoilt_windows),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
