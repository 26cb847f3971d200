#include "config.h"

#include "workload/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/db.h"
#include "lib/err.h"

struct fixture {
	uv_loop_t loop;
	struct control control;
	int pair[2];
	char seen[2048]; /* the lines, joined by "|"; "EOF" at the end */
};

static void line_cb(void *arg, char *line)
{
	struct fixture *f = arg;

	size_t len = strlen(f->seen);

	snprintf(f->seen + len, sizeof(f->seen) - len, "%s|", line ? line : "EOF");
	if (!line || strcmp(line, "quit") == 0)
		control_close(&f->control);
}

static void begin(struct fixture *f)
{
	struct err err = {0, ""};

	memset(f, 0, sizeof(*f));
	uv_loop_init(&f->loop);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, f->pair), 0);
	assert_int_equal(control_init(&f->control, &f->loop, f->pair[0], line_cb, f, &err), 0);
}

static void end(struct fixture *f)
{
	control_close(&f->control);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	close(f->pair[0]);
	close(f->pair[1]);
}

static void put(struct fixture *f, const char *text)
{
	assert_int_equal(write(f->pair[1], text, strlen(text)), strlen(text));
	uv_run(&f->loop, UV_RUN_NOWAIT);
}

static void test_lines(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put(&f, "sta");
	assert_string_equal(f.seen, "");
	put(&f, "rt\nra");
	assert_string_equal(f.seen, "start|");
	put(&f, "te\nstop\n\n");
	assert_string_equal(f.seen, "start|rate|stop||");
	/* nothing of them is kept */
	for (size_t i = 0; i < sizeof(f.control.buf); i++)
		assert_int_equal(f.control.buf[i], 0);
	/* what comes after the line that closes is not heard */
	put(&f, "quit\nstart\n");
	assert_string_equal(f.seen, "start|rate|stop||quit|");
	end(&f);
}

static void test_end(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put(&f, "half a li");
	shutdown(f.pair[1], SHUT_WR);
	uv_run(&f.loop, UV_RUN_DEFAULT);
	assert_string_equal(f.seen, "EOF|");
	end(&f);
}

static void test_too_long(void **state)
{
	struct fixture f;
	char text[CONTROL_LINE_MAX + 1];

	(void)state;
	begin(&f);
	memset(text, 'x', CONTROL_LINE_MAX);
	text[CONTROL_LINE_MAX] = '\0';
	put(&f, text);
	assert_string_equal(f.seen, "EOF|");
	end(&f);
}

static void test_send(void **state)
{
	struct fixture f;
	char got[64] = "";

	(void)state;
	begin(&f);
	control_send(&f.control, "ready", NULL);
	control_send(&f.control, "note", "two words");
	assert_true(read(f.pair[1], got, sizeof(got) - 1) > 0);
	assert_string_equal(got, "ready\nnote two words\n");
	/* nobody reads any more: no signal, no waiting */
	shutdown(f.pair[1], SHUT_RD);
	for (int i = 0; i < 10000; i++)
		control_send(&f.control, "note", "x");
	end(&f);
}

static bool parse(const char *text, struct db_dsn *dsn)
{
	char copy[512];

	memset(dsn, 0, sizeof(*dsn));
	snprintf(copy, sizeof(copy), "%s", text);
	return control_parse_dsn(copy, dsn);
}

static void test_dsn(void **state)
{
	struct db_dsn d;
	char text[400];

	(void)state;
	assert_true(parse("127.0.0.1 5433 me secret base sch", &d));
	assert_string_equal(d.host, "127.0.0.1");
	assert_int_equal(d.port, 5433);
	assert_string_equal(d.user, "me");
	assert_string_equal(d.password, "secret");
	assert_string_equal(d.database, "base");
	assert_string_equal(d.schema, "sch");
	/* an empty password, no schema */
	assert_true(parse("h 1 me  base ", &d));
	assert_string_equal(d.password, "");
	assert_string_equal(d.schema, "");
	assert_true(parse("h 65535 me p base", &d));
	db_dsn_release(&d);
	assert_string_equal(d.password, "");
	assert_false(parse("", &d));
	assert_false(parse("h", &d));
	assert_false(parse("h 0 me p base", &d));
	assert_false(parse("h 65536 me p base", &d));
	assert_false(parse("h x me p base", &d));
	assert_false(parse("h 1 me p ", &d));
	assert_false(parse("h 1 me p base sch more", &d));
	snprintf(text, sizeof(text), "h 1 me %0200d base", 7);
	assert_false(parse(text, &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),    cmocka_unit_test(test_end),
		cmocka_unit_test(test_too_long), cmocka_unit_test(test_send),
		cmocka_unit_test(test_dsn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
