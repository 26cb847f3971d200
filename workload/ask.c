#include "config.h"

#include "workload/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "workload/control.h"
#include "workload/pool.h"

void ask_release(struct ask *a)
{
	for (size_t i = 0; i < a->nrows; i++)
		free(a->rows[i].name);
	free(a->rows);
	a->rows = NULL;
	a->nrows = 0;
}

static struct ask_row *find_row(struct ask *a, const char *name)
{
	for (size_t i = 0; i < a->nrows; i++) {
		if (strcmp(a->rows[i].name, name) == 0)
			return &a->rows[i];
	}
	a->rows = xreallocarray(a->rows, a->nrows + 1, sizeof(*a->rows));
	a->rows[a->nrows] = (struct ask_row){.name = xstrdup(name)};
	return &a->rows[a->nrows++];
}

static void add_row(struct ask *a, const char *name, uint64_t first, uint64_t second)
{
	struct ask_row *row = find_row(a, name);

	row->a += first;
	row->b += second;
}

/* A connection that could not answer has no rows: cputop sees that there are none. */
static void answer_cb(void *arg, const struct db_result *r)
{
	struct ask *a = arg;

	for (unsigned i = 0; r->status == DB_OK && r->cols >= 3 && i < r->rows; i++) {
		const char *name = r->field(r, i, 0), *x = r->field(r, i, 1),
			   *y = r->field(r, i, 2);
		uint64_t first, second;

		if (name && x && y && parse_u64(x, &first) && parse_u64(y, &second))
			add_row(a, name, first, second);
	}
}

static void done_cb(void *arg)
{
	struct ask *a = arg;
	struct strbuf text;

	if (--a->pending)
		return;
	strbuf_init(&text);
	for (size_t i = 0; i < a->nrows; i++) {
		const struct ask_row *row = &a->rows[i];

		strbuf_addf(&text, "answer %s %s %llu %llu\n", a->number, row->name,
			    (unsigned long long)row->a, (unsigned long long)row->b);
	}
	strbuf_addf(&text, "answered %s\n", a->number);
	control_write(a->control, &text);
	strbuf_release(&text);
}

void ask_begin(struct ask *a, struct pool *pool, struct control *control, unsigned others,
	       char *text)
{
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n >= sizeof(a->number) || text[n] != ' ')
		return;
	ask_release(a);
	memcpy(a->number, text, n);
	a->number[n] = '\0';
	a->pending = 1 + others;
	a->control = control;
	pool_ask(pool, text + n + 1, answer_cb, done_cb, a);
}

bool ask_other(struct ask *a, const char *line)
{
	char number[sizeof(a->number)], name[64];
	unsigned long long first, second;

	if (sscanf(line, "answer %23s %63s %llu %llu", number, name, &first, &second) == 4) {
		if (strcmp(number, a->number) == 0)
			add_row(a, name, first, second);
	} else if (sscanf(line, "answered %23s", number) == 1) {
		if (a->pending && strcmp(number, a->number) == 0)
			done_cb(a);
	} else {
		return false;
	}
	return true;
}
