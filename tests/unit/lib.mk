unit_tests += tests/unit/test_strbuf
tests_unit_test_strbuf_SOURCES = tests/unit/test_strbuf.c
tests_unit_test_strbuf_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_strbuf_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_format
tests_unit_test_format_SOURCES = tests/unit/test_format.c
tests_unit_test_format_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_format_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_err
tests_unit_test_err_SOURCES = tests/unit/test_err.c
tests_unit_test_err_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_err_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_vec
tests_unit_test_vec_SOURCES = tests/unit/test_vec.c
tests_unit_test_vec_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_vec_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_clock
tests_unit_test_clock_SOURCES = tests/unit/test_clock.c
tests_unit_test_clock_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_clock_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_rng
tests_unit_test_rng_SOURCES = tests/unit/test_rng.c
tests_unit_test_rng_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_rng_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_histogram
tests_unit_test_histogram_SOURCES = tests/unit/test_histogram.c
tests_unit_test_histogram_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_histogram_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_options
tests_unit_test_options_SOURCES = tests/unit/test_options.c
tests_unit_test_options_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_options_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_plans
tests_unit_test_plans_SOURCES = tests/unit/test_plans.c
tests_unit_test_plans_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_plans_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_value
tests_unit_test_value_SOURCES = tests/unit/test_value.c
tests_unit_test_value_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_value_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_sample
tests_unit_test_sample_SOURCES = tests/unit/test_sample.c
tests_unit_test_sample_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_sample_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_workload
tests_unit_test_workload_SOURCES = tests/unit/test_workload.c
tests_unit_test_workload_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_workload_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_jobs_page
tests_unit_test_jobs_page_SOURCES = tests/unit/test_jobs_page.c
tests_unit_test_jobs_page_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_jobs_page_LDADD = $(unit_ldadd)
