child_bench = tests/unit/child_bench.c tests/unit/child_bench.h
proc_support = tests/unit/proc_support.c tests/unit/proc_support.h

unit_tests += tests/unit/test_child
tests_unit_test_child_SOURCES = tests/unit/test_child.c $(child_bench) $(proc_support)
tests_unit_test_child_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_child_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_child_end
tests_unit_test_child_end_SOURCES = tests/unit/test_child_end.c $(child_bench) $(proc_support)
tests_unit_test_child_end_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_child_end_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_keeper
tests_unit_test_keeper_SOURCES = tests/unit/test_keeper.c $(proc_support)
tests_unit_test_keeper_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_keeper_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_tmpdir
tests_unit_test_tmpdir_SOURCES = tests/unit/test_tmpdir.c $(proc_support)
tests_unit_test_tmpdir_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_tmpdir_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_server
tests_unit_test_server_SOURCES = tests/unit/test_server.c $(proc_support)
tests_unit_test_server_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_server_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_server_find
tests_unit_test_server_find_SOURCES = tests/unit/test_server_find.c $(proc_support)
tests_unit_test_server_find_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_server_find_LDADD = $(unit_ldadd)
