unit_tests += \
	tests/unit/test_compare \
	tests/unit/test_figures \
	tests/unit/test_snapshot \
	tests/unit/test_snapshot_window \
	tests/unit/test_table
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c tests/unit/result_fixture.h
tests_unit_test_compare_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_compare_LDADD = $(unit_ldadd)
tests_unit_test_figures_SOURCES = tests/unit/test_figures.c tests/unit/result_fixture.h
tests_unit_test_figures_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_figures_LDADD = $(unit_ldadd)
tests_unit_test_snapshot_SOURCES = tests/unit/test_snapshot.c tests/unit/result_fixture.h \
	tests/unit/snapshot_fixture.h tests/unit/snapshot_read.h
tests_unit_test_snapshot_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_snapshot_LDADD = $(unit_ldadd)
tests_unit_test_snapshot_window_SOURCES = tests/unit/test_snapshot_window.c \
	tests/unit/result_fixture.h tests/unit/snapshot_fixture.h tests/unit/snapshot_read.h
tests_unit_test_snapshot_window_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_snapshot_window_LDADD = $(unit_ldadd)
tests_unit_test_table_SOURCES = tests/unit/test_table.c tests/unit/result_fixture.h
tests_unit_test_table_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_table_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_processes
tests_unit_test_processes_SOURCES = tests/unit/test_processes.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_processes_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_processes_LDADD = $(unit_ldadd) -lpthread
