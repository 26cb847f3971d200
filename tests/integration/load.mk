# The database client, and cputop-load.
integration_programs += tests/integration/test_db tests/integration/test_load \
	tests/integration/test_load_wrong
tests_integration_test_db_SOURCES = \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_db.c
tests_integration_test_db_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_integration_test_db_LDADD = $(unit_ldadd)
tests_integration_test_load_SOURCES = \
	tests/integration/loadproc.c \
	tests/integration/loadproc.h \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_load.c
tests_integration_test_load_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_integration_test_load_LDADD = $(unit_ldadd)
tests_integration_test_load_wrong_SOURCES = \
	tests/integration/loadproc.c \
	tests/integration/loadproc.h \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_load_wrong.c
tests_integration_test_load_wrong_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_integration_test_load_wrong_LDADD = $(unit_ldadd)
