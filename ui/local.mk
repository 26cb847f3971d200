# The live screen. Only term.c and render.c see curses.
noinst_LIBRARIES += libcputopui.a
libcputopui_a_SOURCES = \
	ui/canvas.h \
	ui/ui.h
libcputopui_a_CPPFLAGS = $(AM_CPPFLAGS) $(CURSES_CFLAGS) -I$(top_srcdir)
