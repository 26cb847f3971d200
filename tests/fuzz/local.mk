# Fuzz targets. make check replays their corpus with any compiler; --enable-fuzzing (clang) builds
# them as libFuzzer programs as well:
#   tests/fuzz/rc_fuzzer -dict=tests/fuzz/rc.dict NEW-FOLDER tests/fuzz/corpus/rc
fuzz_replays = \
	tests/fuzz/fuzz_procfs \
	tests/fuzz/fuzz_rc \
	tests/fuzz/fuzz_sql \
	tests/fuzz/fuzz_text
check_PROGRAMS += $(fuzz_replays)
TESTS += $(fuzz_replays)
EXTRA_DIST += \
	tests/fuzz/corpus \
	tests/fuzz/procfs.dict \
	tests/fuzz/rc.dict \
	tests/fuzz/sql.dict \
	tests/fuzz/text.dict

fuzz_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
fuzz_replay = tests/fuzz/fuzz.h tests/fuzz/replay.c
fuzz_ldadd = libcputop.a -lm

tests_fuzz_fuzz_procfs_SOURCES = tests/fuzz/fuzz_procfs.c $(fuzz_replay)
tests_fuzz_fuzz_procfs_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_procfs_LDADD = $(fuzz_ldadd)

tests_fuzz_fuzz_rc_SOURCES = tests/fuzz/fuzz_rc.c $(fuzz_replay)
tests_fuzz_fuzz_rc_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_rc_LDADD = $(fuzz_ldadd)

tests_fuzz_fuzz_sql_SOURCES = tests/fuzz/fuzz_sql.c $(fuzz_replay)
tests_fuzz_fuzz_sql_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_sql_LDADD = $(fuzz_ldadd)

tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(fuzz_replay)
tests_fuzz_fuzz_text_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_text_LDADD = $(fuzz_ldadd)

# What is fuzzed is built once more, so that libFuzzer sees which way it goes.
if FUZZING
check_LIBRARIES += libcputopfuzz.a
check_PROGRAMS += \
	tests/fuzz/procfs_fuzzer \
	tests/fuzz/rc_fuzzer \
	tests/fuzz/sql_fuzzer \
	tests/fuzz/text_fuzzer
endif
libcputopfuzz_a_SOURCES = $(lib_sources) $(model_sources) $(variant_sources) \
	src/measure/procfs.c src/measure/procfs.h
libcputopfuzz_a_CFLAGS = $(AM_CFLAGS) -fsanitize=fuzzer-no-link
fuzzer_cflags = $(AM_CFLAGS) -fsanitize=fuzzer
fuzzer_ldadd = libcputopfuzz.a -lm

tests_fuzz_procfs_fuzzer_SOURCES = tests/fuzz/fuzz_procfs.c tests/fuzz/fuzz.h
tests_fuzz_procfs_fuzzer_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_procfs_fuzzer_CFLAGS = $(fuzzer_cflags)
tests_fuzz_procfs_fuzzer_LDADD = $(fuzzer_ldadd)

tests_fuzz_rc_fuzzer_SOURCES = tests/fuzz/fuzz_rc.c tests/fuzz/fuzz.h
tests_fuzz_rc_fuzzer_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_rc_fuzzer_CFLAGS = $(fuzzer_cflags)
tests_fuzz_rc_fuzzer_LDADD = $(fuzzer_ldadd)

tests_fuzz_sql_fuzzer_SOURCES = tests/fuzz/fuzz_sql.c tests/fuzz/fuzz.h
tests_fuzz_sql_fuzzer_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_sql_fuzzer_CFLAGS = $(fuzzer_cflags)
tests_fuzz_sql_fuzzer_LDADD = $(fuzzer_ldadd)

tests_fuzz_text_fuzzer_SOURCES = tests/fuzz/fuzz_text.c tests/fuzz/fuzz.h
tests_fuzz_text_fuzzer_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_text_fuzzer_CFLAGS = $(fuzzer_cflags)
tests_fuzz_text_fuzzer_LDADD = $(fuzzer_ldadd)
