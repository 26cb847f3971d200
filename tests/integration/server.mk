# Also in root_programs: as root it has four cases more.
integration_programs += tests/integration/test_server
root_programs += tests/integration/test_server
tests_integration_test_server_SOURCES = tests/integration/test_server.c \
	tests/unit/proc_support.c tests/unit/proc_support.h
tests_integration_test_server_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_integration_test_server_LDADD = $(unit_ldadd)
