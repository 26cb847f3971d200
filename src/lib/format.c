/* Numbers for cells. They are rounded as integers first, so that what is decided by size (the unit,
 * the number of decimals) is decided on the value that will be seen. */
#include "config.h"

#include "lib/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/cformat.h"
#include "lib/clock.h"

#define DECIMALS_MAX 6

/* "1.2e9" */
static void format_exponent(char out[FORMAT_CELL_MAX], double value)
{
	const char *sign = value < 0 ? "-" : "";
	int exponent;
	long tenths;

	value = fabs(value);
	exponent = (int)floor(log10(value));
	tenths = lround(value / pow(10, exponent - 1));
	if (tenths >= 100) {
		exponent++;
		tenths = 10;
	}
	c_snprintf(out, FORMAT_CELL_MAX, "%s%ld.%lde%d", sign, tenths / 10, tenths % 10, exponent);
}

void format_fixed(char out[FORMAT_CELL_MAX], double value, int decimals)
{
	long long scale = 1, scaled;
	const char *sign;

	if (!isfinite(value)) {
		c_snprintf(out, FORMAT_CELL_MAX, "?");
		return;
	}
	if (decimals < 0)
		decimals = 0;
	if (decimals > DECIMALS_MAX)
		decimals = DECIMALS_MAX;
	for (int i = 0; i < decimals; i++)
		scale *= 10;
	if (fabs(value) >= 1e9 || llround(fabs(value) * (double)scale) >= 1000000000LL * scale) {
		format_exponent(out, value);
		return;
	}
	scaled = llround(fabs(value) * (double)scale);
	sign = value < 0 && scaled ? "-" : "";
	if (decimals)
		c_snprintf(out, FORMAT_CELL_MAX, "%s%lld.%0*lld", sign, scaled / scale, decimals,
			   scaled % scale);
	else
		c_snprintf(out, FORMAT_CELL_MAX, "%s%lld", sign, scaled);
}

void format_ratio(char out[FORMAT_CELL_MAX], double ratio)
{
	char number[FORMAT_CELL_MAX];

	format_fixed(number, ratio, ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0);
	c_snprintf(out, FORMAT_CELL_MAX, isfinite(ratio) ? "%.30sx" : "%.30s", number);
}

void format_change(char out[FORMAT_CELL_MAX], double ratio)
{
	char number[FORMAT_CELL_MAX];

	format_fixed(number, (ratio - 1) * 100, 0);
	if (isfinite(ratio))
		c_snprintf(out, FORMAT_CELL_MAX, "%s%.29s%%", number[0] == '-' ? "" : "+", number);
	else
		c_snprintf(out, FORMAT_CELL_MAX, "%s", number);
}

void format_duration(char out[FORMAT_CELL_MAX], uint64_t ns)
{
	uint64_t tenths_ms, tenths_s, s;

	if (ns > UINT64_MAX - NS_PER_S)
		ns = UINT64_MAX - NS_PER_S; /* so that rounding does not overflow */
	tenths_ms = (ns + 50 * NS_PER_US) / (100 * NS_PER_US);
	tenths_s = (ns + 50 * NS_PER_MS) / (100 * NS_PER_MS);
	s = (ns + NS_PER_S / 2) / NS_PER_S;
	if (tenths_ms < 10000)
		c_snprintf(out, FORMAT_CELL_MAX, "%" PRIu64 ".%" PRIu64 " ms", tenths_ms / 10,
			   tenths_ms % 10);
	else if (tenths_s < 600)
		c_snprintf(out, FORMAT_CELL_MAX, "%" PRIu64 ".%" PRIu64 " s", tenths_s / 10,
			   tenths_s % 10);
	else if (s < 3600)
		c_snprintf(out, FORMAT_CELL_MAX, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
	else
		c_snprintf(out, FORMAT_CELL_MAX, "%" PRIu64 "h%02" PRIu64 "m", s / 3600,
			   s / 60 % 60);
}

void format_bytes(char out[FORMAT_CELL_MAX], uint64_t bytes)
{
	static const char *const units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes / 1024;
	size_t unit = 0;
	char number[FORMAT_CELL_MAX];

	if (bytes < 1024) {
		c_snprintf(out, FORMAT_CELL_MAX, "%" PRIu64 " B", bytes);
		return;
	}
	while (value >= 1023.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1024;
		unit++;
	}
	format_fixed(number, value, value < 9.95 ? 1 : 0);
	c_snprintf(out, FORMAT_CELL_MAX, "%.24s %s", number, units[unit]);
}

/* Sign, digits with at most one point, exponent: strtod alone takes blanks, hex, nan and inf. */
static bool looks_like_number(const char *s)
{
	size_t digits = 0;

	if (*s == '-' || *s == '+')
		s++;
	for (; isdigit((unsigned char)*s); s++)
		digits++;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++)
			digits++;
	if (!digits)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		if (*s == '-' || *s == '+')
			s++;
		if (!isdigit((unsigned char)*s))
			return false;
		while (isdigit((unsigned char)*s))
			s++;
	}
	return *s == '\0';
}

bool parse_double(const char *s, double *out)
{
	double value;

	if (!looks_like_number(s))
		return false;
	value = c_strtod(s, NULL);
	if (!isfinite(value))
		return false;
	*out = value;
	return true;
}

bool parse_u64(const char *s, uint64_t *out)
{
	uint64_t value = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned digit = (unsigned)(unsigned char)*s - '0';

		if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return false;
	}
	*out = value;
	return true;
}

size_t format_u64(char out[FORMAT_U64_MAX], uint64_t value)
{
	char digits[FORMAT_U64_MAX];
	char *end = digits + sizeof(digits), *at = end;
	size_t n;

	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	n = (size_t)(end - at);
	memcpy(out, at, n);
	out[n] = '\0';
	return n;
}
