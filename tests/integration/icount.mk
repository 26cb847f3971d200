# Instructions without a PMU. Needs Valgrind, else it skips.
integration_scripts += tests/integration/icount.sh tests/integration/icount_my.sh tests/integration/icount_runs.sh
check_PROGRAMS += tests/integration/icount_prog
tests_integration_icount_prog_SOURCES = tests/integration/icount_prog.c
tests_integration_icount_prog_LDADD = -lpthread
