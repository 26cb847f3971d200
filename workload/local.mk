# cputop-load, and the built-in variants.
pkglibexec_PROGRAMS += cputop-load
cputop_load_SOURCES = \
	workload/alarm.c \
	workload/alarm.h \
	workload/ask.c \
	workload/ask.h \
	workload/control.c \
	workload/control.h \
	workload/crew.c \
	workload/crew.h \
	workload/enqueue.c \
	workload/enqueue.h \
	workload/hint.c \
	workload/hint.h \
	workload/list.c \
	workload/list.h \
	workload/main.c \
	workload/pacing.c \
	workload/pacing.h \
	workload/pool.c \
	workload/pool.h \
	workload/producer.c \
	workload/program.c \
	workload/program.h \
	workload/worker.c \
	workload/worker.h \
	workload/worker_complete.c \
	workload/worker_keys.c \
	workload/worker_open.c \
	workload/worker_tasks.c
cputop_load_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
cputop_load_LDADD = libcputop.a $(UV_LIBS) $(PQ_LIBS) $(MARIADB_LIBS) -lm

# A folder a variant.
skiplockeddir = $(pkgdatadir)/variants/skiplocked
dist_skiplocked_DATA = \
	workload/variants/skiplocked/mariadb.sql \
	workload/variants/skiplocked/mysql.sql \
	workload/variants/skiplocked/postgres.sql \
	workload/variants/skiplocked/variant.ini
pernamedir = $(pkgdatadir)/variants/pername
dist_pername_DATA = \
	workload/variants/pername/mariadb.sql \
	workload/variants/pername/mysql.sql \
	workload/variants/pername/postgres.sql \
	workload/variants/pername/variant.ini

# These take their other statements from skiplocked.
unprepareddir = $(pkgdatadir)/variants/unprepared
dist_unprepared_DATA = workload/variants/unprepared/variant.ini
noindexdir = $(pkgdatadir)/variants/noindex
dist_noindex_DATA = \
	workload/variants/noindex/mariadb.sql \
	workload/variants/noindex/mysql.sql \
	workload/variants/noindex/postgres.sql \
	workload/variants/noindex/variant.ini
batchdir = $(pkgdatadir)/variants/batch
dist_batch_DATA = \
	workload/variants/batch/mariadb.sql \
	workload/variants/batch/mysql.sql \
	workload/variants/batch/postgres.sql \
	workload/variants/batch/variant.ini
parkdir = $(pkgdatadir)/variants/park
dist_park_DATA = \
	workload/variants/park/mariadb.sql \
	workload/variants/park/mysql.sql \
	workload/variants/park/postgres.sql \
	workload/variants/park/variant.ini
deletedir = $(pkgdatadir)/variants/delete
dist_delete_DATA = \
	workload/variants/delete/mariadb.sql \
	workload/variants/delete/mysql.sql \
	workload/variants/delete/postgres.sql \
	workload/variants/delete/variant.ini

# Programs that run from the build tree find the variants by this link.
EXTRA_cputop_load_DEPENDENCIES = variants
variants:
	$(AM_V_GEN)ln -s $(abs_top_srcdir)/workload/variants variants
CLEANFILES += variants
