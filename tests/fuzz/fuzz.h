/*
 * What the fuzz targets share. A target gets any bytes and checks, beside what the sanitizers see,
 * that what the header promises holds. It is linked with libFuzzer (configure --enable-fuzzing,
 * with clang) or with replay.c, which gives it the files of its corpus.
 */
#ifndef CPUTOP_FUZZ_H
#define CPUTOP_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/xalloc.h"

/* Longer input shows nothing new and only slows down. */
#define FUZZ_MAX 8192

/* An assert that a release keeps. */
#define FUZZ_CHECK(condition)                                                                   \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly size bytes, so that reading beyond its end is seen. The caller frees it. */
static inline char *fuzz_copy(const uint8_t *data, size_t size)
{
	char *copy = xmalloc(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

/* Whoever fails says why: one printable line; whoever does not says nothing. */
static inline void fuzz_check_err(int rc, const struct err *err)
{
	size_t len = strnlen(err->text, sizeof(err->text));

	FUZZ_CHECK(rc <= 0);
	FUZZ_CHECK(err->code == rc);
	FUZZ_CHECK((rc < 0) == (len > 0));
	FUZZ_CHECK(len < sizeof(err->text));
	for (size_t i = 0; i < len; i++)
		FUZZ_CHECK((unsigned char)err->text[i] >= ' ' && err->text[i] != 0x7f);
}

#endif
