#include "config.h"

#include "lib/cformat.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* NULL when the system has no C locale to give, which leaves the program's own in force. Never
 * freed: it lives as long as the program. */
static locale_t c_locale(void)
{
	static locale_t loc;

	if (!loc)
		loc = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return loc;
}

int c_vsnprintf(char *out, size_t size, const char *fmt, va_list ap)
{
	locale_t loc = c_locale();
	locale_t old = loc ? uselocale(loc) : (locale_t)0;
	int n = vsnprintf(out, size, fmt, ap);

	if (old)
		uselocale(old);
	return n;
}

int c_snprintf(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = c_vsnprintf(out, size, fmt, ap);
	va_end(ap);
	return n;
}

double c_strtod(const char *s, char **end)
{
	locale_t loc = c_locale();

	return loc ? strtod_l(s, end, loc) : strtod(s, end);
}
