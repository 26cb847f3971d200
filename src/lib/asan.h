/*
 * For the main file of each program, and only there: no leak check at exit under the address
 * sanitizer. It stops the program's threads by a helper that hangs where the program is a
 * subreaper or its terminal is gone; leaks are Valgrind's.
 * Source: sanitizer/asan_interface.h, __asan_default_options.
 */
#ifndef CPUTOP_LIB_ASAN_H
#define CPUTOP_LIB_ASAN_H

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

#endif
