unit_tests += tests/unit/test_child
tests_unit_test_child_SOURCES = tests/unit/test_child.c tests/unit/proc_support.c tests/unit/proc_support.h
tests_unit_test_child_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_child_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_tmpdir
tests_unit_test_tmpdir_SOURCES = tests/unit/test_tmpdir.c tests/unit/proc_support.c tests/unit/proc_support.h
tests_unit_test_tmpdir_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tmpdir_LDADD = $(unit_ldadd)
