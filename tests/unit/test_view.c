/* Keys: what they ask of the session, and what they change on the screen. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "lib/clock.h"
#include "lib/strbuf.h"
#include "view_help.h"

static void asked(const char *wanted)
{
	assert_string_equal(session.asked, wanted);
	session.asked[0] = 0;
}

static void test_requests(void **state)
{
	(void)state;
	keys("wvVa");
	asked("window;variant+;variant-;all;");
	keys("J");
	asked("dump;");
	assert_true(shows("saved /tmp/a-name.json"));
	keys("W");
	asked("rc;");
	assert_true(shows("no rc file today"));
	keys("bB");
	asked("dialect+;dialect-;");
	keys("r");
	asked("");
	snprintf(f->model.failure, sizeof(f->model.failure), "the worker ended");
	keys("r");
	asked("restart;");
}

static void test_rate_asks(void **state)
{
	(void)state;
	keys("+");
	asked("");
	assert_true(shows("ends the open window"));
	keys("n");
	asked("");
	keys("+y");
	asked("rate+;");
	keys("-y");
	asked("rate-;");
	f->model.window_open = false;
	keys("-");
	asked("rate-;");
}

static void test_quit(void **state)
{
	(void)state;
	keys("q");
	asked("quit;");
	key(K_CTRL('C'));
	asked("quit;");
	key(K_F(10));
	asked("quit;");
	f->model.plan_running = true;
	keys("q");
	asked("");
	assert_true(shows("the plan is still running"));
	keys("n");
	asked("");
	keys("qq");
	asked("quit;");
	key(K_CTRL('C'));
	key(K_CTRL('C'));
	asked("quit;");
	/* Esc never quits. */
	for (int i = 0; i < 9; i++)
		key(K_ESC);
	asked("");
}

static void test_quit_from_a_prompt(void **state)
{
	(void)state;
	keys("fq");
	asked("");
	key(K_CTRL('C'));
	asked("quit;");
}

static void test_screens(void **state)
{
	(void)state;
	keys("2");
	assert_int_equal(v.screen, SCREEN_RESULTS);
	keys("3");
	assert_int_equal(v.screen, SCREEN_RESULTS);
	assert_true(shows("3 does nothing here"));
	key(K_TAB);
	assert_int_equal(v.screen, SCREEN_LATENCY);
	key(K_BACK_TAB);
	key(K_BACK_TAB);
	assert_int_equal(v.screen, SCREEN_LIVE);
	key(K_BACK_TAB);
	assert_int_equal(v.screen, SCREEN_ENVIRONMENT);
	keys("e");
	assert_int_equal(v.screen, SCREEN_MESSAGES);
	keys("e");
	assert_int_equal(v.screen, SCREEN_ENVIRONMENT);
	keys("e");
	key(K_ESC);
	assert_int_equal(v.screen, SCREEN_ENVIRONMENT);
	keys("?");
	assert_ptr_equal(v.overlay, &overlay_help);
	assert_true(shows("quit"));
	key(K_ESC);
	assert_null(v.overlay);
}

static void test_where(void **state)
{
	(void)state;
	key(K_ENTER);
	assert_true(shows("WHERE  all roles"));
	assert_true(shows("4018"));
	key(K_ESC);
	keys("jjj");
	key(K_ENTER);
	assert_true(shows("WHERE  database"));
	assert_false(shows("4001"));
	key(K_ESC);
	keys("j");
	key(K_ENTER);
	assert_true(shows("database / backend  12 processes"));
	assert_true(shows("4003"));
	assert_false(shows("4018"));
	key(K_ESC);
	/* From the last row of the costs into the results. */
	key(K_END);
	keys("j");
	assert_int_equal(v.focus, TABLE_LIVE_RESULTS);
	key(K_ENTER);
	assert_int_equal(v.screen, SCREEN_RESULTS);
	keys("1k");
	assert_int_equal(v.focus, TABLE_COST);
}

/* Keys that arrive together, with no frame between them. */
static void test_keys_in_one_go(void **state)
{
	(void)state;
	view_key(&v, K_DOWN);
	view_key(&v, K_DOWN);
	view_key(&v, K_ENTER);
	view_draw(&v, &c);
	assert_true(shows("WHERE  producer  1 process,"));
}

static void test_colours_of_a_ratio(void **state)
{
	const struct cell *worker = &c.cells[4 * 80 + 79], *producer = &c.cells[5 * 80 + 79];

	(void)state;
	f->model.rows[1].cost.vs_base.v = 1.2;
	view_draw(&v, &c);
	assert_int_equal(worker->style, STYLE_GOOD);
	assert_int_equal(producer->style, STYLE_BAD);
}

static void test_command_lines(void **state)
{
	(void)state;
	key(K_ENTER);
	assert_true(shows("cputop-load"));
	assert_false(shows("/usr/libexec"));
	keys("c");
	assert_true(shows("/usr/libexec/cputop/cputop-load worker"));
	assert_true(shows("COMMAND"));
	assert_false(shows("PART"));
	keys("c");
	assert_false(shows("/usr/libexec"));
	key(K_ESC);
	keys("c");
	assert_ptr_equal(v.overlay, &overlay_where);
	assert_true(shows("/usr/libexec/cputop/cputop-load worker"));
}

static void test_freeze(void **state)
{
	(void)state;
	keys(" ");
	assert_true(shows("FROZEN"));
	f->model.jobs_completed = 4711;
	f->model.rows[0].cost.counters[COUNTER_CPU_NS].v = 9.99e6;
	f->results[0].result.jobs = 888;
	f->processes[0].pid = f->processes[0].tid = 7777;
	now_ns += 60 * NS_PER_S;
	keys("w");
	asked("window;");
	assert_true(shows("280 done"));
	assert_true(shows("1.48"));
	assert_true(shows("399"));
	assert_false(shows("9.99"));
	key(K_ENTER);
	assert_true(shows("4001"));
	key(K_ESC);
	keys(" ");
	assert_false(shows("FROZEN"));
	assert_true(shows("4711 done"));
	assert_true(shows("9.99"));
}

static void test_delay(void **state)
{
	(void)state;
	keys("d0.5");
	assert_true(shows("seconds between refreshes: 0.5"));
	key(K_ENTER);
	asked("delay 500;");
	keys("s0");
	key(K_ENTER);
	asked("");
	assert_true(shows("not a delay"));
	keys("d1x");
	key(K_BACKSPACE);
	key(K_ENTER);
	asked("delay 1000;");
	keys("d2");
	key(K_ESC);
	asked("");
}

static void test_filter_and_search(void **state)
{
	(void)state;
	keys("fwalw");
	assert_true(shows("walwriter"));
	assert_false(shows("backend"));
	assert_false(shows("Esc: all"));
	key(K_ENTER);
	assert_false(shows("backend"));
	assert_true(shows("filter: only rows with 'walw' (Esc: all)"));
	key(K_ESC);
	assert_true(shows("backend"));
	assert_false(shows("Esc: all"));
	keys("/data");
	key(K_ENTER);
	assert_int_equal(v.tables[TABLE_COST].id, ROLE_DATABASE);
	keys("f\xc3");
	key(K_ESC);
}

/* Esc does what the line says: first all rows, then it closes the overlay. */
static void test_filter_in_overlay(void **state)
{
	(void)state;
	key(K_DOWN);
	key(K_ENTER);
	assert_true(shows("WHERE"));
	keys("fnosuch");
	key(K_ENTER);
	assert_true(shows("filter: only rows with 'nosuch' (Esc: all)"));
	key(K_ESC);
	assert_true(shows("WHERE"));
	assert_false(shows("Esc: all"));
	key(K_ESC);
	assert_false(shows("WHERE"));
}

/* A filter of the table that the cursor has left is told and ended too. */
static void test_filter_of_the_other_table(void **state)
{
	(void)state;
	keys("fwalw");
	key(K_ENTER);
	v.focus = TABLE_LIVE_RESULTS;
	assert_true(shows("Esc: all"));
	key(K_ESC);
	assert_string_equal(v.tables[TABLE_COST].filter, "");
}

static void test_prompt_takes_unicode(void **state)
{
	(void)state;
	keys("f");
	key(0xe9);
	key(0x6f22);
	key(0x1f600);
	assert_string_equal(v.tables[TABLE_COST].filter, "é漢😀");
	key(K_BACKSPACE);
	key(K_BACKSPACE);
	assert_string_equal(v.tables[TABLE_COST].filter, "é");
	for (int i = 0; i < 200; i++)
		key('x');
	key(K_CTRL('U'));
	assert_string_equal(v.tables[TABLE_COST].filter, "");
}

static void test_kernel_says_why(void **state)
{
	(void)state;
	keys("K");
	assert_true(shows("together"));
	f->counters.user_only = true;
	keys("K");
	assert_true(shows("the kernel is not counted"));
	f->counters.instructions.available = false;
	snprintf(f->counters.instructions.reason, sizeof(f->counters.instructions.reason),
		 "no counters in this machine");
	keys("K");
	assert_true(shows("no counters in this machine"));
}

static void test_copy(void **state)
{
	struct table_state before = v.tables[TABLE_COST];
	struct strbuf sb;

	(void)state;
	keys("y");
	assert_true(v.want_copy);
	strbuf_init(&sb);
	view_copy(&v, &sb);
	assert_non_null(strstr(sb.buf, "\nTOTAL "));
	assert_non_null(strstr(sb.buf, "WRITE KB"));
	assert_null(strstr(sb.buf, "q Quit"));
	assert_int_equal(v.tables[TABLE_COST].top, before.top);
	strbuf_release(&sb);
}

static void test_failure_is_seen(void **state)
{
	(void)state;
	keys(" ");
	snprintf(f->model.failure, sizeof(f->model.failure), "the server ended; r starts again");
	now_ns += 60 * NS_PER_S;
	view_draw(&v, &c);
	assert_true(shows("the server ended; r starts again"));
	assert_true(shows("r Restart"));
	assert_true(shows("Space Go on"));
}

static void test_status_goes(void **state)
{
	(void)state;
	keys("J");
	assert_true(shows("saved"));
	assert_int_equal(view_period_ms(&v), 500);
	now_ns += 10 * NS_PER_S;
	view_draw(&v, &c);
	assert_false(shows("saved"));
	assert_int_equal(view_period_ms(&v), 0);
	f->model.phase = PHASE_FILLING;
	assert_int_equal(view_period_ms(&v), 100);
}

static void test_mouse(void **state)
{
	(void)state;
	view_click(&v, 3, 4);
	assert_true(v.tables[TABLE_COST].active);
	view_click(&v, 3, 4);
	assert_ptr_equal(v.overlay, &overlay_where);
	key(K_ESC);
	view_click(&v, 1, 23);
	asked("window;");
	view_wheel(&v, 1);
	view_wheel(&v, -1);
	view_click(&v, 0, 15);
	view_draw(&v, &c);
	assert_int_equal(v.focus, TABLE_LIVE_RESULTS);
	view_click(&v, 500, 500);
	view_click(&v, -1, -1);
}

/* Any keys in any order, in a terminal that changes its size: nothing falls over. */
static void test_many_keys(void **state)
{
	uint32_t seed = 4711;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const struct key_binding *b;

		seed = seed * 1664525 + 1013904223;
		b = keys_at((seed >> 8) % keys_count());
		if (i % 97 == 0)
			canvas_resize(&c, (int)((seed >> 16) % 130), (int)((seed >> 10) % 40));
		view_key(&v, b->keys[(seed >> 24) % KEYS_EACH]);
		if (i % 50 == 0)
			view_click(&v, (int)((seed >> 7) % 80), (int)((seed >> 12) % 30));
		view_draw(&v, &c);
		session.asked[0] = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_requests, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_rate_asks, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_quit, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_quit_from_a_prompt, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_screens, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_where, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_keys_in_one_go, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_colours_of_a_ratio, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_command_lines, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_freeze, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_delay, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_filter_and_search, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_filter_in_overlay, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_filter_of_the_other_table, view_setup,
						view_teardown),
		cmocka_unit_test_setup_teardown(test_prompt_takes_unicode, view_setup,
						view_teardown),
		cmocka_unit_test_setup_teardown(test_kernel_says_why, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_copy, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_failure_is_seen, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_status_goes, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_mouse, view_setup, view_teardown),
		cmocka_unit_test_setup_teardown(test_many_keys, view_setup, view_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
