# The database client, and cputop-load.
integration_programs += tests/integration/test_db tests/integration/test_load \
	tests/integration/test_load_wrong
tests_integration_test_db_SOURCES = \
	tests/integration/dbtest.c \
	tests/integration/dbtest.h \
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
# The same with MariaDB and MySQL: one source, a program for each of them.
integration_programs += tests/integration/test_load_mariadb tests/integration/test_load_mysql
test_load_my_sources = \
	tests/integration/loadproc.c \
	tests/integration/loadproc.h \
	tests/integration/myserver.c \
	tests/integration/myserver.h \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_load_my.c
tests_integration_test_load_mariadb_SOURCES = $(test_load_my_sources)
tests_integration_test_load_mariadb_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MARIADB
tests_integration_test_load_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_load_mysql_SOURCES = $(test_load_my_sources)
tests_integration_test_load_mysql_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MYSQL
tests_integration_test_load_mysql_LDADD = $(unit_ldadd)
# Every built-in variant: one source, a program for each database.
integration_programs += tests/integration/test_variants_postgres \
	tests/integration/test_variants_mariadb tests/integration/test_variants_mysql
test_variants_sources = \
	tests/integration/loadproc.c \
	tests/integration/loadproc.h \
	tests/integration/myserver.c \
	tests/integration/myserver.h \
	tests/integration/pgserver.c \
	tests/integration/pgserver.h \
	tests/integration/test_variants.c
test_variants_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_integration_test_variants_postgres_SOURCES = $(test_variants_sources)
tests_integration_test_variants_postgres_CPPFLAGS = $(test_variants_cppflags) -DTEST_DIALECT=DIALECT_POSTGRES
tests_integration_test_variants_postgres_LDADD = $(unit_ldadd)
tests_integration_test_variants_mariadb_SOURCES = $(test_variants_sources)
tests_integration_test_variants_mariadb_CPPFLAGS = $(test_variants_cppflags) -DTEST_DIALECT=DIALECT_MARIADB
tests_integration_test_variants_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_variants_mysql_SOURCES = $(test_variants_sources)
tests_integration_test_variants_mysql_CPPFLAGS = $(test_variants_cppflags) -DTEST_DIALECT=DIALECT_MYSQL
tests_integration_test_variants_mysql_LDADD = $(unit_ldadd)
