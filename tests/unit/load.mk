# Variants, the scripts of the database client, and the parts of cputop-load that need no server.
unit_tests += tests/unit/test_alarm tests/unit/test_control tests/unit/test_list tests/unit/test_pacing \
	tests/unit/test_script tests/unit/test_fits tests/unit/test_variant
tests_unit_test_alarm_SOURCES = tests/unit/test_alarm.c workload/alarm.c
tests_unit_test_alarm_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -I$(top_srcdir)
tests_unit_test_alarm_LDADD = $(unit_ldadd)
tests_unit_test_control_SOURCES = tests/unit/test_control.c workload/control.c
tests_unit_test_control_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -I$(top_srcdir)
tests_unit_test_control_LDADD = $(unit_ldadd)
tests_unit_test_list_SOURCES = tests/unit/test_list.c workload/list.c
tests_unit_test_list_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -I$(top_srcdir)
tests_unit_test_list_LDADD = $(unit_ldadd)
tests_unit_test_pacing_SOURCES = tests/unit/test_pacing.c workload/pacing.c
tests_unit_test_pacing_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -I$(top_srcdir)
tests_unit_test_pacing_LDADD = $(unit_ldadd)
tests_unit_test_fits_SOURCES = tests/unit/test_fits.c
tests_unit_test_fits_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_fits_LDADD = $(unit_ldadd)
tests_unit_test_script_SOURCES = tests/unit/test_script.c
tests_unit_test_script_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_script_LDADD = $(unit_ldadd)
tests_unit_test_variant_SOURCES = tests/unit/test_variant.c
tests_unit_test_variant_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_variant_LDADD = $(unit_ldadd)
