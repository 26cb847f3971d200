# Unit tests: one test_MODULE.c per module, cmocka, TAP. Each helper list adds a program with three lines:
#   unit_tests += tests/unit/test_x
#   tests_unit_test_x_SOURCES = tests/unit/test_x.c
#   (flags and libraries: AM_ defaults below)
unit_tests =
include tests/unit/lib.mk
include tests/unit/proc.mk
include tests/unit/measure.mk
include tests/unit/load.mk
include tests/unit/result.mk
include tests/unit/ui.mk
include tests/unit/app.mk
if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
unit_ldadd = libcputop.a $(CMOCKA_LIBS) $(UV_LIBS) $(PQ_LIBS) $(MARIADB_LIBS) $(JANSSON_LIBS) -lm
