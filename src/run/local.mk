run_sources = \
	src/run/admin.h \
	src/run/admin_my.c \
	src/run/admin_pg.c \
	src/run/load.c \
	src/run/load.h \
	src/run/plan.c \
	src/run/plan.h \
	src/run/run.c \
	src/run/run.h \
	src/run/run_internal.h \
	src/run/run_counts.c \
	src/run/run_end.c \
	src/run/run_fill.c \
	src/run/run_setup.c \
	src/run/run_sizes.c \
	src/run/run_window.c
