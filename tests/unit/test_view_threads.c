/* The rows of a server of threads, on the screen. */
#include "config.h"

#include <locale.h>
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
#include "ui/view.h"
#include "ui_session.h"

static struct session session;
static struct fixture *f;
static struct view v;
static struct canvas c;
static uint64_t now_ns;

static uint64_t fake_clock(void *arg)
{
	(void)arg;
	return now_ns;
}

static int setup(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	now_ns = 100 * NS_PER_S;
	clock_set_source(fake_clock, NULL);
	memset(&session, 0, sizeof(session));
	f = fixture_new(FIXTURE_WINDOW);
	canvas_init(&c, 80, 24, true);
	view_init(&v, &f->model, &ui_session_ops, &session, true);
	view_draw(&v, &c);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	view_release(&v);
	canvas_release(&c);
	free(f);
	return 0;
}

static void key(int k)
{
	view_key(&v, k);
	view_draw(&v, &c);
}

static bool shows(const char *text)
{
	struct strbuf sb;
	bool found;

	strbuf_init(&sb);
	canvas_dump(&c, &sb);
	found = strstr(sb.buf, text) != NULL;
	strbuf_release(&sb);
	return found;
}

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
		cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
