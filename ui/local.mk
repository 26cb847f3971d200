# The live screen. Only term.c and render.c see curses.
noinst_LIBRARIES += libcputopui.a
libcputopui_a_SOURCES = \
	ui/canvas.c \
	ui/canvas.h \
	ui/clipboard.c \
	ui/clipboard.h \
	ui/cost.c \
	ui/footer.c \
	ui/freeze.c \
	ui/freeze.h \
	ui/frontend.c \
	ui/header.c \
	ui/help.c \
	ui/keys.c \
	ui/keys.h \
	ui/notes.c \
	ui/progress.c \
	ui/prompt.c \
	ui/render.c \
	ui/render.h \
	ui/restore.c \
	ui/restore.h \
	ui/results.c \
	ui/results.h \
	ui/screen_environment.c \
	ui/screen_latency.c \
	ui/screen_live.c \
	ui/screen_messages.c \
	ui/screen_results.c \
	ui/table.c \
	ui/table.h \
	ui/table_draw.c \
	ui/term.c \
	ui/term.h \
	ui/theme.c \
	ui/theme.h \
	ui/ui.h \
	ui/view.c \
	ui/view.h \
	ui/view_keys.c \
	ui/where.c
libcputopui_a_CPPFLAGS = $(AM_CPPFLAGS) $(CURSES_CFLAGS) -I$(top_srcdir)
