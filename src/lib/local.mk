lib_sources = \
	src/lib/asan.h \
	src/lib/cformat.c \
	src/lib/cformat.h \
	src/lib/clock.c \
	src/lib/clock.h \
	src/lib/err.c \
	src/lib/err.h \
	src/lib/fdio.c \
	src/lib/fdio.h \
	src/lib/format.c \
	src/lib/format.h \
	src/lib/histogram.c \
	src/lib/histogram.h \
	src/lib/options.c \
	src/lib/options.h \
	src/lib/options_help.c \
	src/lib/options_rc.c \
	src/lib/options_internal.h \
	src/lib/rng.c \
	src/lib/rng.h \
	src/lib/strbuf.c \
	src/lib/strbuf.h \
	src/lib/utf8.c \
	src/lib/vec.h \
	src/lib/xalloc.c \
	src/lib/xalloc.h
