#include "config.h"

#include "view_help.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "lib/clock.h"
#include "lib/strbuf.h"

struct session session;
struct fixture *f;
struct view v;
struct canvas c;
uint64_t now_ns;

static uint64_t fake_clock(void *arg)
{
	(void)arg;
	return now_ns;
}

int view_setup(void **state)
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

int view_teardown(void **state)
{
	(void)state;
	view_release(&v);
	canvas_release(&c);
	free(f);
	return 0;
}

void keys(const char *s)
{
	for (; *s; s++) {
		view_key(&v, *s);
		view_draw(&v, &c);
	}
}

void key(int k)
{
	view_key(&v, k);
	view_draw(&v, &c);
}

bool shows(const char *text)
{
	struct strbuf sb;
	bool found;

	strbuf_init(&sb);
	canvas_dump(&c, &sb);
	found = strstr(sb.buf, text) != NULL;
	strbuf_release(&sb);
	return found;
}
