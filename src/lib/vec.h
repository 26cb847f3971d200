/*
 * A growing array of one type: struct vec_of(int) v = VEC_INIT; *vec_push(&v) = 3; v.items[i],
 * v.len; vec_release(&v). Items move when it grows: keep indexes, not pointers.
 */
#ifndef CPUTOP_VEC_H
#define CPUTOP_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/xalloc.h"

/* The fields of a vector: items is owned by the vector. */
#define vec_of(type)         \
	{                    \
		type *items; \
		size_t len;  \
		size_t cap;  \
	}
#define VEC_INIT           \
	{                  \
		NULL, 0, 0 \
	}

/* Makes room for one more and gives its address; the new item is zeroed. */
#define vec_push(v)                                                                        \
	((v)->len == (v)->cap                                                              \
		 ? ((v)->cap = (v)->cap ? (v)->cap * 2 : 8,                                \
		    (v)->items = xreallocarray((v)->items, (v)->cap, sizeof(*(v)->items)), \
		    (void)0)                                                               \
		 : (void)0,                                                                \
	 memset(&(v)->items[(v)->len], 0, sizeof(*(v)->items)), &(v)->items[(v)->len++])
#define vec_release(v) (free((v)->items), (v)->items = NULL, (v)->len = 0, (v)->cap = 0)

#endif
