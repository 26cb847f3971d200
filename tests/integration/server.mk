# In both lists: as an ordinary user the server runs as oneself, as root as another user. One source,
# a program for each engine.
server_bench = tests/integration/server_bench.c tests/integration/server_bench.h \
	tests/unit/proc_support.c tests/unit/proc_support.h
server_programs = tests/integration/test_server tests/integration/test_server_private
if MYSQL
server_programs += \
	tests/integration/test_server_mariadb tests/integration/test_server_private_mariadb \
	tests/integration/test_server_my_mariadb \
	tests/integration/test_server_mysql tests/integration/test_server_private_mysql \
	tests/integration/test_server_my_mysql
endif
integration_programs += $(server_programs)
root_programs += $(server_programs)
tests_integration_test_server_SOURCES = tests/integration/test_server.c $(server_bench)
tests_integration_test_server_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_POSTGRES -DTEST_NAME='"server"'
tests_integration_test_server_LDADD = $(unit_ldadd)
tests_integration_test_server_private_SOURCES = tests/integration/test_server_private.c $(server_bench)
tests_integration_test_server_private_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_POSTGRES -DTEST_NAME='"server_private"'
tests_integration_test_server_private_LDADD = $(unit_ldadd)
tests_integration_test_server_mariadb_SOURCES = tests/integration/test_server.c $(server_bench)
tests_integration_test_server_mariadb_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MARIADB -DTEST_NAME='"server_mariadb"'
tests_integration_test_server_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_server_private_mariadb_SOURCES = tests/integration/test_server_private.c $(server_bench)
tests_integration_test_server_private_mariadb_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MARIADB -DTEST_NAME='"server_private_mariadb"'
tests_integration_test_server_private_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_server_my_mariadb_SOURCES = tests/integration/test_server_my.c $(server_bench)
tests_integration_test_server_my_mariadb_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MARIADB -DTEST_NAME='"server_my_mariadb"'
tests_integration_test_server_my_mariadb_LDADD = $(unit_ldadd)
tests_integration_test_server_mysql_SOURCES = tests/integration/test_server.c $(server_bench)
tests_integration_test_server_mysql_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MYSQL -DTEST_NAME='"server_mysql"'
tests_integration_test_server_mysql_LDADD = $(unit_ldadd)
tests_integration_test_server_private_mysql_SOURCES = tests/integration/test_server_private.c $(server_bench)
tests_integration_test_server_private_mysql_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MYSQL -DTEST_NAME='"server_private_mysql"'
tests_integration_test_server_private_mysql_LDADD = $(unit_ldadd)
tests_integration_test_server_my_mysql_SOURCES = tests/integration/test_server_my.c $(server_bench)
tests_integration_test_server_my_mysql_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -DTEST_DIALECT=DIALECT_MYSQL -DTEST_NAME='"server_my_mysql"'
tests_integration_test_server_my_mysql_LDADD = $(unit_ldadd)
