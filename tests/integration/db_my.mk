# The client of MariaDB and MySQL: one source, a program for each of them.
integration_programs += tests/integration/test_db_mariadb tests/integration/test_db_mysql
test_db_my_sources = \
	tests/integration/dbtest.c \
	tests/integration/dbtest.h \
	tests/integration/myserver.c \
	tests/integration/myserver.h \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_db_my.c
tests_integration_test_db_mariadb_SOURCES = $(test_db_my_sources)
tests_integration_test_db_mariadb_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MARIADB
tests_integration_test_db_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_db_mysql_SOURCES = $(test_db_my_sources)
tests_integration_test_db_mysql_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MYSQL
tests_integration_test_db_mysql_LDADD = $(unit_ldadd)
# Where the server keeps the client waiting.
integration_programs += tests/integration/test_db_waits_mariadb tests/integration/test_db_waits_mysql
test_db_waits_sources = \
	tests/integration/myserver.c \
	tests/integration/myserver.h \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_db_waits.c
tests_integration_test_db_waits_mariadb_SOURCES = $(test_db_waits_sources)
tests_integration_test_db_waits_mariadb_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MARIADB
tests_integration_test_db_waits_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_db_waits_mysql_SOURCES = $(test_db_waits_sources)
tests_integration_test_db_waits_mysql_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MYSQL
tests_integration_test_db_waits_mysql_LDADD = $(unit_ldadd)
# Their threads as parts of the database.
integration_programs += tests/integration/test_threads_mariadb tests/integration/test_threads_mysql
test_threads_my_sources = \
	tests/integration/myserver.c \
	tests/integration/myserver.h \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_threads_my.c \
	tests/unit/measure_help.c \
	tests/unit/measure_help.h \
	tests/unit/sample_help.c \
	tests/unit/sample_help.h
tests_integration_test_threads_mariadb_SOURCES = $(test_threads_my_sources)
tests_integration_test_threads_mariadb_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MARIADB
tests_integration_test_threads_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_threads_mysql_SOURCES = $(test_threads_my_sources)
tests_integration_test_threads_mysql_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MYSQL
tests_integration_test_threads_mysql_LDADD = $(unit_ldadd)
