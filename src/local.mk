# libcputop.a is all of src but main.c: unit tests and fuzzers link the same objects.
noinst_LIBRARIES += libcputop.a
libcputop_a_SOURCES = $(lib_sources) $(model_sources) $(proc_sources) $(measure_sources) $(db_sources) \
	$(variant_sources) $(server_sources) $(run_sources) $(result_sources) $(app_sources)

bin_PROGRAMS += cputop
cputop_SOURCES = src/main.c
cputop_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
cputop_LDADD = libcputopui.a libcputop.a $(UV_LIBS) $(PQ_LIBS) $(MARIADB_LIBS) $(JANSSON_LIBS) $(CURSES_LIBS) -lm
