# In both lists: as an ordinary user the server runs as oneself, as root as another user.
server_bench = tests/integration/server_bench.c tests/integration/server_bench.h \
	tests/unit/proc_support.c tests/unit/proc_support.h
integration_programs += tests/integration/test_server tests/integration/test_server_private
root_programs += tests/integration/test_server tests/integration/test_server_private
tests_integration_test_server_SOURCES = tests/integration/test_server.c $(server_bench)
tests_integration_test_server_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_integration_test_server_LDADD = $(unit_ldadd)
tests_integration_test_server_private_SOURCES = tests/integration/test_server_private.c $(server_bench)
tests_integration_test_server_private_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_integration_test_server_private_LDADD = $(unit_ldadd)
