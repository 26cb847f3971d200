/*
 * How cputop writes numbers and foreign text. One rule for every screen and table: a cell has a
 * fixed unit (named in its column title) and a fixed number of decimals, so that columns align and
 * are read at a glance; a value that does not apply is "-", one that could not be read "?". Nothing
 * here depends on the locale's number format.
 */
#ifndef CPUTOP_FORMAT_H
#define CPUTOP_FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

#define FORMAT_CELL_MAX 32

/* value with decimals digits ("156.06"); values of 1e9 and above get an exponent ("1.2e9"), so a
 * cell stays short. Rounds half away from zero; never writes "-0.00". */
void format_fixed(char out[FORMAT_CELL_MAX], double value, int decimals);
/* A ratio against a base: "0.05x", "12.3x", "130x". */
void format_ratio(char out[FORMAT_CELL_MAX], double ratio);
/* A change against a base in per cent: "-97%", "+5%", "+0%", "+1250%". */
void format_change(char out[FORMAT_CELL_MAX], double ratio);
/* A length of time for reading: "0.4 ms", "1.2 s", "3m12s". */
void format_duration(char out[FORMAT_CELL_MAX], uint64_t ns);
/* Bytes for reading: "512 B", "1.3 KB", "45 MB" (powers of 1024). */
void format_bytes(char out[FORMAT_CELL_MAX], uint64_t bytes);

/* A whole number in decimal, for where printf's time matters. Returns its length. */
#define FORMAT_U64_MAX 21
size_t format_u64(char out[FORMAT_U64_MAX], uint64_t value);

/* Parses a number without regard to the locale; the whole string must be one. Returns false
 * otherwise, for overflow, nan and inf. */
bool parse_double(const char *s, double *out);
bool parse_u64(const char *s, uint64_t *out); /* decimal digits only */

/* Appends text from outside so that it is safe to print: control bytes, DEL, C1 controls, bidi and
 * zero-width controls and bytes that are not UTF-8 become \xNN (of each byte); a backslash stays.
 * If utf8 is false everything above 0x7e is written that way. */
void escape_text(struct strbuf *sb, const char *s, size_t len, bool utf8);
/* Copies as much of s as fits into size bytes (at least 1), never half a UTF-8 character. Returns
 * false when something was cut off. */
bool text_copy(char *out, size_t size, const char *s);
/* The same for a text that is put together. */
bool text_vformat(char *out, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
/* How many columns the UTF-8 text takes; bytes that are not UTF-8 count 4 (as escape_text writes
 * them). Combining characters are 0 wide, East Asian wide ones 2 (wcwidth(3), in a UTF-8 locale).
 */
int text_width(const char *s);
/* Next code point of UTF-8 text: its length in bytes (1 for an invalid byte, *cp then is -1), 0 at
 * the end. */
int utf8_next(const char *s, int32_t *cp);

#endif
