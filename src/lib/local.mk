lib_sources = \
	src/lib/clock.h \
	src/lib/err.h \
	src/lib/format.h \
	src/lib/histogram.h \
	src/lib/options.h \
	src/lib/rng.h \
	src/lib/strbuf.h \
	src/lib/vec.h \
	src/lib/xalloc.h
