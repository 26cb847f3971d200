/* OSC 52 with base64 (RFC 4648). */
#include "config.h"

#include "ui/clipboard.h"

#include <stdint.h>

#include "lib/strbuf.h"

static void add_base64(struct strbuf *out, const unsigned char *s, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t bits = (uint32_t)s[i] << 16;

		if (n > 1)
			bits |= (uint32_t)s[i + 1] << 8;
		if (n > 2)
			bits |= s[i + 2];
		strbuf_addch(out, digits[bits >> 18]);
		strbuf_addch(out, digits[(bits >> 12) & 63]);
		strbuf_addch(out, n > 1 ? digits[(bits >> 6) & 63] : '=');
		strbuf_addch(out, n > 2 ? digits[bits & 63] : '=');
	}
}

void clipboard_sequence(struct strbuf *out, const char *text, size_t len)
{
	strbuf_addstr(out, "\033]52;c;");
	add_base64(out, (const unsigned char *)text, len < CLIPBOARD_MAX ? len : CLIPBOARD_MAX);
	strbuf_addch(out, '\a');
}
