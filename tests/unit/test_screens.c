/*
 * The screens as text: compared with tests/term/golden (GENERATE=1 rewrites them), drawn in every
 * size, and searched for what must never reach a terminal.
 */
#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "fixture.h"
#include "lib/clock.h"
#include "lib/strbuf.h"
#include "ui/view.h"

#define NOW_NS (2400 * NS_PER_MS)

static const struct session_ops no_ops;

static uint64_t fixed_clock(void *arg)
{
	(void)arg;
	return NOW_NS;
}

enum { SHOW_HELP = SCREEN_COUNT, SHOW_WHERE, SHOW_TEXT, SHOW_COUNT };

static const char *const show_names[SHOW_COUNT] = {
	[SCREEN_LIVE] = "live",
	[SCREEN_RESULTS] = "results",
	[SCREEN_LATENCY] = "latency",
	[SCREEN_MESSAGES] = "messages",
	[SCREEN_ENVIRONMENT] = "environment",
	[SHOW_HELP] = "help",
	[SHOW_WHERE] = "where",
	[SHOW_TEXT] = "message",
};

static void show(struct view *v, int what)
{
	if (what < SCREEN_COUNT) {
		view_show(v, (enum screen_id)what);
	} else if (what == SHOW_HELP) {
		view_open(v, &overlay_help);
	} else if (what == SHOW_WHERE) {
		view_action(v, ACTION_ENTER);
	} else {
		view_show(v, SCREEN_MESSAGES);
		view_action(v, ACTION_ENTER);
	}
}

struct frame {
	int width, height;
	bool utf8;
};

static void dump_model(struct strbuf *out, struct fixture *f, const char *name, int what,
		       struct frame at)
{
	struct canvas c;
	struct view v;

	canvas_init(&c, at.width, at.height, at.utf8);
	view_init(&v, &f->model, &no_ops, NULL, at.utf8);
	show(&v, what);
	view_draw(&v, &c);
	strbuf_addf(out, "== %s %dx%d %s\n", name, at.width, at.height,
		    at.utf8 ? "UTF-8" : "ASCII");
	canvas_dump(&c, out);
	view_release(&v);
	canvas_release(&c);
}

static void dump(struct strbuf *out, enum fixture_kind kind, int what, int width, int height,
		 bool utf8)
{
	struct fixture *f = fixture_new(kind);

	dump_model(out, f, fixture_name(kind), what, (struct frame){width, height, utf8});
	free(f);
}

static void compare(const char *name, const struct strbuf *got)
{
	const char *top = getenv("top_srcdir"), *generate = getenv("GENERATE");
	struct strbuf path, wanted;

	strbuf_init(&path);
	strbuf_init(&wanted);
	strbuf_addf(&path, "%s/tests/term/golden/%s.txt", top ? top : ".", name);
	if (generate && *generate) {
		FILE *f = fopen(path.buf, "w");

		assert_non_null(f);
		assert_int_equal(fwrite(got->buf, 1, got->len, f), got->len);
		assert_int_equal(fclose(f), 0);
	}
	assert_int_equal(strbuf_read_file(&wanted, path.buf, 1 << 20), 0);
	if (strcmp(wanted.buf, got->buf) != 0)
		fail_msg("%s differs; GENERATE=1 writes what is drawn now:\n%s", path.buf,
			 got->buf);
	strbuf_release(&path);
	strbuf_release(&wanted);
}

static void test_goldens(void **state)
{
	static const struct {
		int width, height;
	} sizes[] = {{80, 24}, {50, 12}, {200, 50}};

	(void)state;
	for (int what = 0; what < SHOW_COUNT; what++) {
		struct strbuf sb;

		strbuf_init(&sb);
		for (size_t i = 0; i < 3; i++) {
			dump(&sb, FIXTURE_WINDOW, what, sizes[i].width, sizes[i].height, true);
			dump(&sb, FIXTURE_WINDOW, what, sizes[i].width, sizes[i].height, false);
		}
		compare(show_names[what], &sb);
		strbuf_release(&sb);
	}
}

static void test_kinds(void **state)
{
	(void)state;
	for (int kind = FIXTURE_WINDOW + 1; kind < FIXTURE_COUNT; kind++) {
		struct strbuf sb;

		strbuf_init(&sb);
		dump(&sb, (enum fixture_kind)kind, SCREEN_LIVE, 80, 24, true);
		dump(&sb, (enum fixture_kind)kind, SCREEN_RESULTS, 80, 24, true);
		dump(&sb, (enum fixture_kind)kind, SCREEN_LIVE, 50, 12, false);
		compare(fixture_name((enum fixture_kind)kind), &sb);
		strbuf_release(&sb);
	}
}

/* The latency screen of a session without jobs, with few, with many bins, and at the rate max. */
static void test_latency(void **state)
{
	static const enum fixture_kind kinds[] = {FIXTURE_EMPTY, FIXTURE_STARTING, FIXTURE_FEW,
						  FIXTURE_IDLE};
	struct fixture *f = fixture_new(FIXTURE_WINDOW);
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		dump(&sb, kinds[i], SCREEN_LATENCY, 80, 24, true);
	f->model.rate = -1;
	histogram_clear(&f->model.lateness);
	f->model.late_jobs = 0;
	for (uint64_t ns = 20000; ns < 200 * NS_PER_S; ns *= 2)
		histogram_add(&f->model.latency, ns);
	dump_model(&sb, f, "wide range", SCREEN_LATENCY, (struct frame){80, 24, true});
	dump_model(&sb, f, "wide range", SCREEN_LATENCY, (struct frame){120, 60, true});
	dump_model(&sb, f, "wide range", SCREEN_LATENCY, (struct frame){60, 20, false});
	compare("latency-kinds", &sb);
	strbuf_release(&sb);
	free(f);
}

/* Below the results: what could not be counted, and what was planned anew. */
static void test_work_notes(void **state)
{
	struct fixture *f = fixture_new(FIXTURE_WINDOW);
	struct strbuf sb;

	(void)state;
	f->results[0].result.work_why[WORK_LOG_BYTES] = "the log is off";
	f->results[1].result.work_why[WORK_LOG_BYTES] = "the log is off";
	f->results[1].result.anew = (struct plan_count){"claim_8", 0, 390};
	strbuf_init(&sb);
	dump_model(&sb, f, "", SCREEN_RESULTS, (struct frame){80, 30, true});
	assert_non_null(strstr(sb.buf, "\ni  no log bytes of postgres: the log is off\n"
				       "i  skiplocked: claim_8 was planned anew 390 times in a "
				       "window\n"));
	strbuf_release(&sb);
	free(f);
}

/* What the user must see at 80x24 without scrolling. */
static void test_essentials(void **state)
{
	static const char *const wanted[] = {
		"\nworker  ",  "\nproducer  ",   "\ndatabase  ",      "\nTOTAL  ",
		"\nRESULTS  ", "window 14/20 s", " postgres pername", ">postgres skiplocked",
		"-63%",        "p50 ",           "280 done",          "perf, user+kernel",
		"q Quit",
	};
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	dump(&sb, FIXTURE_WINDOW, SCREEN_LIVE, 80, 24, true);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_non_null(strstr(sb.buf, wanted[i]));
	strbuf_reset(&sb);
	dump(&sb, FIXTURE_NO_COUNTERS, SCREEN_LIVE, 80, 24, true);
	assert_null(strstr(sb.buf, "INSTR"));
	assert_null(strstr(sb.buf, "IPC"));
	assert_non_null(strstr(sb.buf, "no instructions: this user"));
	assert_non_null(strstr(sb.buf, "perf_event_paranoid=1"));
	/* When it gets low, what is least missed goes first. */
	strbuf_reset(&sb);
	dump(&sb, FIXTURE_NO_COUNTERS, SCREEN_LIVE, 80, 14, true);
	assert_non_null(strstr(sb.buf, "no instructions: this user"));
	assert_null(strstr(sb.buf, "not charged"));
	strbuf_release(&sb);
}

/* No control, no half of a wide character, nothing beyond ASCII where that is all there is. */
static void check_cells(const struct canvas *c)
{
	for (int y = 0; y < c->height; y++) {
		const struct cell *row = &c->cells[(size_t)y * (size_t)c->width];

		for (int x = 0; x < c->width; x++) {
			int32_t cp = row[x].cp[0];

			assert_true(row[x].style < STYLE_COUNT);
			if (cp == 0) {
				assert_true(x > 0 && row[x - 1].cp[0] > 0x7f);
				continue;
			}
			assert_true(cp >= 0x20 && !(cp >= 0x7f && cp < 0xa0));
			assert_false(cp >= 0x200b && cp <= 0x200f);
			assert_false(cp >= 0x202a && cp <= 0x202e);
			assert_true(c->utf8 || (cp < 0x7f && !row[x].cp[1]));
		}
	}
}

static void draw_sizes(struct view *v, struct canvas *c, int step)
{
	for (int height = 0; height <= 40; height += step) {
		for (int width = 0; width <= 120; width += step) {
			canvas_resize(c, width, height);
			view_draw(v, c);
			check_cells(c);
		}
	}
}

static void all_sizes(enum fixture_kind kind, bool utf8, bool cursor, int step)
{
	struct fixture *f = fixture_new(kind);
	struct canvas c;
	struct view v;

	canvas_init(&c, 0, 0, utf8);
	view_init(&v, &f->model, &no_ops, NULL, utf8);
	for (int what = 0; what < SHOW_COUNT; what++) {
		show(&v, what);
		if (cursor)
			view_action(&v, ACTION_END);
		draw_sizes(&v, &c, step);
	}
	view_release(&v);
	canvas_release(&c);
	free(f);
}

static void test_sizes(void **state)
{
	(void)state;
	for (int kind = 0; kind < FIXTURE_COUNT; kind++) {
		all_sizes((enum fixture_kind)kind, true, false, 7);
		all_sizes((enum fixture_kind)kind, false, true, 11);
	}
}

static void test_every_size(void **state)
{
	(void)state;
	all_sizes(FIXTURE_HOSTILE, true, true, 1);
}

static int setup(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TZ", "UTC", 1);
	tzset();
	clock_set_source(fixed_clock, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goldens),    cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_latency),    cmocka_unit_test(test_work_notes),
		cmocka_unit_test(test_essentials), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_every_size),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
