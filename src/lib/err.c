#include "config.h"

#include "lib/err.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "lib/format.h"
#include "lib/strbuf.h"

/* Escapes the text and keeps what fits. */
static void store(struct err *err, const struct strbuf *text)
{
	struct strbuf safe;

	strbuf_init(&safe);
	escape_text(&safe, text->buf, text->len, true);
	text_copy(err->text, sizeof(err->text), safe.buf);
	strbuf_release(&safe);
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	assert(code < 0);
	if (!err)
		return code;
	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	err->code = code;
	store(err, &text);
	strbuf_release(&text);
	return code;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	struct strbuf text;
	va_list ap;

	if (!err)
		return;
	strbuf_init(&text);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	strbuf_addstr(&text, ": ");
	strbuf_addstr(&text, err->text);
	store(err, &text);
	strbuf_release(&text);
}

void err_clear(struct err *err)
{
	if (!err)
		return;
	err->code = 0;
	err->text[0] = '\0';
}
