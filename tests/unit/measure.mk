# measure: the reading of the machine
unit_tests += tests/unit/test_procfs
tests_unit_test_procfs_SOURCES = tests/unit/test_procfs.c
tests_unit_test_procfs_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_procfs_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_proctree
tests_unit_test_proctree_SOURCES = tests/unit/test_proctree.c tests/unit/measure_help.c tests/unit/measure_help.h
tests_unit_test_proctree_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_proctree_LDADD = $(unit_ldadd) -lpthread
unit_tests += tests/unit/test_cputime
tests_unit_test_cputime_SOURCES = tests/unit/test_cputime.c tests/unit/measure_help.c tests/unit/measure_help.h
tests_unit_test_cputime_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_cputime_LDADD = $(unit_ldadd) -lpthread
unit_tests += tests/unit/test_cgroup
tests_unit_test_cgroup_SOURCES = tests/unit/test_cgroup.c tests/unit/measure_help.c tests/unit/measure_help.h
tests_unit_test_cgroup_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_cgroup_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_perf
tests_unit_test_perf_SOURCES = tests/unit/test_perf.c tests/unit/measure_help.c tests/unit/measure_help.h
tests_unit_test_perf_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_perf_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_parts
tests_unit_test_parts_SOURCES = tests/unit/test_parts.c
tests_unit_test_parts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_parts_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_host
tests_unit_test_host_SOURCES = tests/unit/test_host.c tests/unit/measure_help.c tests/unit/measure_help.h
tests_unit_test_host_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_host_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_measure
tests_unit_test_measure_SOURCES = tests/unit/test_measure.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_measure_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_measure_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_measure_parts
tests_unit_test_measure_parts_SOURCES = tests/unit/test_measure_parts.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_measure_parts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_measure_parts_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_perf_pmu
tests_unit_test_perf_pmu_SOURCES = tests/unit/test_perf_pmu.c tests/unit/measure_help.c tests/unit/measure_help.h
tests_unit_test_perf_pmu_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_perf_pmu_LDADD = $(unit_ldadd)
EXTRA_DIST += tests/unit/fixtures/proc tests/unit/fixtures/proc-scan
unit_tests += tests/unit/test_icount
tests_unit_test_icount_SOURCES = tests/unit/test_icount.c tests/unit/measure_help.c tests/unit/measure_help.h
tests_unit_test_icount_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_icount_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_perf_fake
tests_unit_test_perf_fake_SOURCES = tests/unit/test_perf_fake.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_perf_fake_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_perf_fake_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=perf_pair_open,--wrap=perf_pair_read,--wrap=perf_pair_close
tests_unit_test_perf_fake_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_faults_measure
tests_unit_test_faults_measure_SOURCES = tests/unit/test_faults_measure.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_faults_measure_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_faults_measure_LDADD = $(unit_ldadd) -lpthread
unit_tests += tests/unit/test_faults_threads
tests_unit_test_faults_threads_SOURCES = tests/unit/test_faults_threads.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_faults_threads_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_faults_threads_LDADD = $(unit_ldadd) -lpthread
unit_tests += tests/unit/test_databases
tests_unit_test_databases_SOURCES = tests/unit/test_databases.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_databases_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_databases_LDADD = $(unit_ldadd)
unit_tests += tests/unit/test_threads
tests_unit_test_threads_SOURCES = tests/unit/test_threads.c \
	tests/unit/measure_help.c tests/unit/measure_help.h \
	tests/unit/sample_help.c tests/unit/sample_help.h
tests_unit_test_threads_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_threads_LDADD = $(unit_ldadd)
