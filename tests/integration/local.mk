# Tests with a real PostgreSQL. Not part of "make check":
#   make check-integration   as an ordinary user
#   make check-root          as root (dropped privileges, tmpfs, cgroups, other users); without root they skip
# A C test is a program (tests/integration/test_x) in integration_programs or root_programs, a
# script (tests/integration/x.sh) is in integration_scripts or root_scripts:
#   integration_programs += tests/integration/test_x
#   tests_integration_test_x_SOURCES = tests/integration/test_x.c
#   tests_integration_test_x_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
#   tests_integration_test_x_LDADD = $(unit_ldadd)
# All of them write TAP. Where PostgreSQL is missing they say "1..0 # SKIP PostgreSQL ...".
integration_programs =
integration_scripts =
root_programs =
root_scripts =
include tests/integration/server.mk
include tests/integration/load.mk
include tests/integration/db_my.mk
include tests/integration/cputop.mk
include tests/integration/icount.mk

EXTRA_DIST += $(integration_scripts) $(root_scripts)
if HAVE_CMOCKA
check_PROGRAMS += $(integration_programs) $(root_programs)
integration_tests = $(integration_programs) $(integration_scripts)
root_tests = $(root_programs) $(root_scripts)
else
integration_tests = $(integration_scripts)
root_tests = $(root_scripts)
endif

# automake writes the rule that runs a program as a test only for what is in TESTS.
tests/integration/%.log: tests/integration/%
	@p='$<'; b='tests/integration/$*'; \
	$(am__check_pre) $(LOG_DRIVER) --test-name "$$f" \
	--log-file $$b.log --trs-file $$b.trs \
	$(am__common_driver_flags) $(AM_LOG_DRIVER_FLAGS) $(LOG_DRIVER_FLAGS) -- \
	$(LOG_COMPILE) "$$tst" $(AM_TESTS_FD_REDIRECT)

# One after the other: they measure, and each starts servers of its own.
check-integration:
	$(MAKE) $(AM_MAKEFLAGS) -j1 check TESTS="$(integration_tests)" TEST_SUITE_LOG=check-integration.log
check-root:
	$(MAKE) $(AM_MAKEFLAGS) -j1 check TESTS="$(root_tests)" TEST_SUITE_LOG=check-root.log
CLEANFILES += check-integration.log check-root.log tests/integration/*.log tests/integration/*.trs
.PHONY: check-integration check-root
