#include "config.h"

#include "workload/list.h"

#include <stdbool.h>
#include <string.h>

#include "lib/strbuf.h"

static bool is_number(const char *s)
{
	/* JSON has no numbers with leading zeros */
	return s[0] && strspn(s, "0123456789") == strlen(s) && (s[0] != '0' || !s[1]);
}

void list_begin(struct strbuf *out, enum dialect d)
{
	strbuf_reset(out);
	strbuf_addch(out, d == DIALECT_POSTGRES ? '{' : '[');
}

void list_add(struct strbuf *out, const char *item)
{
	if (out->len > 1)
		strbuf_addch(out, ',');
	if (is_number(item)) {
		strbuf_addstr(out, item);
		return;
	}
	strbuf_addch(out, '"');
	for (; *item; item++) {
		if (*item == '"' || *item == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *item);
	}
	strbuf_addch(out, '"');
}

void list_end(struct strbuf *out, enum dialect d)
{
	strbuf_addch(out, d == DIALECT_POSTGRES ? '}' : ']');
}
