/* Foreign text: UTF-8, what may be printed of it, and how wide that is. */
#include "config.h"

#include "lib/format.h"

#include <string.h>
#include <wchar.h>

#include "lib/strbuf.h"

/* Decodes one code point of at most len bytes: its length, *cp -1 and 1 for an invalid byte (also
 * for overlong forms and surrogates). len > 0. */
static int decode(const char *s, size_t len, int32_t *cp)
{
	static const int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)s;
	int32_t value;
	int n;

	*cp = u[0];
	if (u[0] < 0x80)
		return 1;
	*cp = -1;
	if (u[0] >= 0xf0 && u[0] < 0xf8)
		n = 4;
	else if (u[0] >= 0xe0 && u[0] < 0xf0)
		n = 3;
	else if (u[0] >= 0xc0 && u[0] < 0xe0)
		n = 2;
	else
		return 1;
	if ((size_t)n > len)
		return 1;
	value = u[0] & (0xff >> (n + 1));
	for (int i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (u[i] & 0x3f);
	}
	if (value < smallest[n] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 1;
	*cp = value;
	return n;
}

int utf8_next(const char *s, int32_t *cp)
{
	size_t len = strnlen(s, 4);

	*cp = -1;
	return len ? decode(s, len, cp) : 0;
}

/* Control, bidi and zero-width characters: they would move the cursor or hide or turn text. */
static bool is_hidden(int32_t cp)
{
	static const struct {
		int32_t first, last;
	} hidden[] = {
		{0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad},   {0x061c, 0x061c},
		{0x115f, 0x1160}, {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
		{0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
		{0xffa0, 0xffa0}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
	};

	if (cp >= ' ' && cp <= '~')
		return false;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (cp >= hidden[i].first && cp <= hidden[i].last)
			return true;
	return false;
}

/* How many bytes from s on are ASCII that needs no escape: most texts are nothing else. */
static size_t plain_span(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= ' ' && s[n] <= '~')
		n++;
	return n;
}

void escape_text(struct strbuf *sb, const char *s, size_t len, bool utf8)
{
	size_t plain;
	int32_t cp;
	int n;

	for (size_t i = 0; i < len; i += (size_t)n) {
		plain = plain_span(s + i, len - i);
		strbuf_add(sb, s + i, plain);
		i += plain;
		if (i == len)
			break;
		n = decode(s + i, len - i, &cp);
		if (cp >= 0 && !is_hidden(cp) && (utf8 || cp <= 0x7e)) {
			strbuf_add(sb, s + i, (size_t)n);
			continue;
		}
		for (int j = 0; j < n; j++)
			strbuf_addf(sb, "\\x%02x", (unsigned char)s[i + (size_t)j]);
	}
}

bool text_copy(char *out, size_t size, const char *s)
{
	size_t len = strlen(s), used = 0;
	int32_t cp;

	while (used < len) {
		size_t n = (size_t)utf8_next(s + used, &cp);

		if (used + n >= size)
			break;
		used += n;
	}
	memcpy(out, s, used);
	out[used] = '\0';
	return used == len;
}

bool text_vformat(char *out, size_t size, const char *fmt, va_list ap)
{
	struct strbuf sb;
	bool whole;

	strbuf_init(&sb);
	strbuf_vaddf(&sb, fmt, ap);
	whole = text_copy(out, size, sb.buf);
	strbuf_release(&sb);
	return whole;
}

int text_width(const char *s)
{
	int width = 0, n, w;
	int32_t cp;

	for (; (n = utf8_next(s, &cp)) > 0; s += n) {
		if (cp < 0 || is_hidden(cp)) {
			width += 4 * n;
			continue;
		}
		/* -1: not known to this locale, but the terminal will show something */
		w = wcwidth((wchar_t)cp);
		width += w < 0 ? 1 : w;
	}
	return width;
}
