app_sources = \
	src/app/app.c \
	src/app/app.h \
	src/app/batch.c \
	src/app/check.c \
	src/app/check.h \
	src/app/check_clock.c \
	src/app/check_needs.c \
	src/app/check_notes.c \
	src/app/check_print.c \
	src/app/check_probe.c \
	src/app/check_reading.c \
	src/app/check_servers.c \
	src/app/facts.c \
	src/app/live.c \
	src/app/live_figures.c \
	src/app/options.c \
	src/app/options.h \
	src/app/option_values.c \
	src/app/option_values.h \
	src/app/output.c \
	src/app/session.c \
	src/app/session.h \
	src/app/session_internal.h \
	src/app/session_run.c
