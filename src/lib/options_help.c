/* --help: one entry an option, its text wrapped to 80 columns. */
#include "config.h"

#include <string.h>

#include "lib/options.h"
#include "lib/strbuf.h"

#define HELP_COLUMN 30
#define HELP_WIDTH  79

/* Appends words, indented to the column, starting where the line stands. */
static void wrap(struct strbuf *out, const char *words, size_t line_start)
{
	while (*words) {
		size_t len = strcspn(words, " ");
		size_t column = out->len - line_start;

		if (column > HELP_COLUMN && column + 1 + len > HELP_WIDTH) {
			strbuf_addch(out, '\n');
			line_start = out->len;
			column = 0;
		}
		if (column < HELP_COLUMN)
			strbuf_addf(out, "%*s", (int)(HELP_COLUMN - column), "");
		else if (column > HELP_COLUMN)
			strbuf_addch(out, ' ');
		strbuf_add(out, words, len);
		words += len + strspn(words + len, " ");
	}
	strbuf_addch(out, '\n');
}

static void entry(struct strbuf *out, const struct option_spec *spec)
{
	size_t line_start = out->len;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addstr(&text, spec->help);
	if (spec->defaults)
		strbuf_addf(&text, " (%s)", spec->defaults);
	if (spec->letter)
		strbuf_addf(out, "  -%c, --%s", spec->letter, spec->name);
	else
		strbuf_addf(out, "      --%s", spec->name);
	if (spec->arg)
		strbuf_addf(out, " %s", spec->arg);
	if (out->len - line_start + 2 > HELP_COLUMN) {
		strbuf_addch(out, '\n');
		line_start = out->len;
	}
	wrap(out, text.buf, line_start);
	strbuf_release(&text);
}

void options_help(const struct option_table *t, FILE *out)
{
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "Usage: %s\n\nOptions (default):\n", t->usage);
	for (size_t i = 0; i < t->n; i++)
		entry(&text, &t->specs[i]);
	fwrite(text.buf, 1, text.len, out);
	strbuf_release(&text);
}
