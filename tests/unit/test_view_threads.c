/* The rows of a server of threads, on the screen. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fixture.h"
#include "view_help.h"

/* A server of threads: H shows them, or the process in their place. */
static void test_threads(void **state)
{
	struct process_line *p = f->processes;

	(void)state;
	key(K_ENTER);
	key('H');
	assert_true(shows("runs processes, not threads"));
	key(K_ESC);
	p[2].tid = 0;
	p[2].part = PART_NONE;
	snprintf(p[2].title, sizeof(p[2].title), "/usr/sbin/mysqld --port=1");
	for (int i = 3; i < 6; i++) {
		p[i].pid = p[2].pid;
		p[i].tid = p[2].pid + i - 3;
		p[i].thread = true;
		p[i].part = PART_LOG_WRITER;
		p[i].cpu_ns_s = (struct figure){0, VALUE_NONE};
		snprintf(p[i].title, sizeof(p[i].title), "ib_log_writer");
	}
	key(K_DOWN);
	key(K_DOWN);
	key(K_DOWN);
	key(K_ENTER);
	assert_true(shows("WHERE  database"));
	assert_true(shows("log writer"));
	assert_true(shows("ib_log_writer"));
	/* What is not known yet is not 0. */
	assert_true(shows("4004  log writer              -"));
	assert_false(shows("mysqld"));
	key('H');
	assert_true(shows("threads are not shown"));
	assert_false(shows("log writer"));
	assert_true(shows("mysqld"));
	key('H');
	assert_true(shows("threads are shown"));
	assert_true(shows("log writer"));
	assert_false(shows("mysqld"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_threads, view_setup, view_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
