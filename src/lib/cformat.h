/* Formatting and parsing of numbers as in the C locale, whatever the program's locale is. */
#ifndef CPUTOP_CFORMAT_H
#define CPUTOP_CFORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf and snprintf: the length that the whole text has. */
int c_vsnprintf(char *out, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
int c_snprintf(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
double c_strtod(const char *s, char **end);

#endif
