/* Foreign text: escaping, width, decoding, cutting, and numbers in it. */
#include "config.h"

#include <locale.h>
#include <stdbool.h>

#include "fuzz/fuzz.h"
#include "lib/format.h"
#include "lib/strbuf.h"

static void check_printable(const struct strbuf *out, bool utf8)
{
	FUZZ_CHECK(strlen(out->buf) == out->len);
	for (size_t i = 0; i < out->len; i++) {
		unsigned char c = (unsigned char)out->buf[i];

		FUZZ_CHECK(c >= ' ' && c != 0x7f && (utf8 || c < 0x7f));
	}
}

/* Escaping twice changes nothing more, and the width is that of the escaped text. */
static void check_escape(const char *text, size_t size, bool utf8)
{
	struct strbuf once, twice;

	strbuf_init(&once);
	strbuf_init(&twice);
	escape_text(&once, text, size, utf8);
	check_printable(&once, utf8);
	FUZZ_CHECK(once.len >= size && once.len <= 4 * size);
	escape_text(&twice, once.buf, once.len, utf8);
	FUZZ_CHECK(strcmp(once.buf, twice.buf) == 0);
	if (!utf8) {
		FUZZ_CHECK(text_width(once.buf) == (int)once.len);
	} else if (!memchr(text, '\0', size)) {
		char *whole = xstrndup(text, size);

		FUZZ_CHECK(text_width(whole) == text_width(once.buf));
		free(whole);
	}
	strbuf_release(&twice);
	strbuf_release(&once);
}

static void check_steps(const char *text)
{
	size_t at = 0, len = strlen(text);
	int32_t cp;
	int n;

	while ((n = utf8_next(text + at, &cp)) > 0) {
		FUZZ_CHECK(n <= 4);
		FUZZ_CHECK(cp >= -1 && cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff));
		FUZZ_CHECK(cp != -1 || n == 1);
		at += (size_t)n;
		FUZZ_CHECK(at <= len);
	}
	FUZZ_CHECK(at == len);
}

static void check_copy(const char *text)
{
	char out[16];
	size_t len = strlen(text), kept;

	for (size_t size = 1; size <= sizeof(out); size++) {
		bool whole = text_copy(out, size, text);

		kept = strlen(out);
		FUZZ_CHECK(kept < size);
		FUZZ_CHECK(whole == (kept == len));
		FUZZ_CHECK(memcmp(out, text, kept) == 0);
		/* as much as fits: at most one character is missing */
		FUZZ_CHECK(whole || kept + 4 >= size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool prepared;
	uint64_t u64;
	double number;
	char *text, *whole;

	if (!prepared) {
		setlocale(LC_CTYPE, "C.UTF-8");
		prepared = true;
	}
	if (size > FUZZ_MAX)
		return 0;
	text = fuzz_copy(data, size);
	check_escape(text, size, true);
	check_escape(text, size, false);
	whole = xstrndup(text, size);
	check_steps(whole);
	check_copy(whole);
	/* digits alone are both, and what is not a number is neither */
	if (parse_u64(whole, &u64))
		FUZZ_CHECK(strspn(whole, "0123456789") == strlen(whole) &&
			   parse_double(whole, &number));
	if (parse_double(whole, &number))
		FUZZ_CHECK(strspn(whole, "0123456789.eE+-") == strlen(whole));
	free(whole);
	free(text);
	return 0;
}
