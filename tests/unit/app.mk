unit_tests += tests/unit/test_plan
tests_unit_test_plan_SOURCES = tests/unit/test_plan.c
tests_unit_test_plan_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_plan_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_app_options
tests_unit_test_app_options_SOURCES = tests/unit/test_app_options.c
tests_unit_test_app_options_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_options_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_check
tests_unit_test_check_SOURCES = tests/unit/test_check.c
tests_unit_test_check_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_check_LDADD = $(unit_ldadd)
