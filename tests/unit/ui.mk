# Of the screen all but the terminal itself is tested here, on a canvas and on made-up models. The
# uidemo shows the same models in a real terminal.
ui_cppflags = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tests/unit \
	-I$(top_srcdir)/tests/unit
ui_ldadd = libcputopui.a $(unit_ldadd) $(CURSES_LIBS)
ui_view = tests/unit/view_help.c tests/unit/view_help.h tests/unit/ui_session.c \
	tests/unit/ui_session.h
ui_fixture = tests/unit/fixture.c tests/unit/fixture_results.c tests/unit/fixture.h

unit_tests += tests/unit/test_canvas
tests_unit_test_canvas_SOURCES = tests/unit/test_canvas.c
tests_unit_test_canvas_CPPFLAGS = $(ui_cppflags)
tests_unit_test_canvas_LDADD = $(ui_ldadd)

unit_tests += tests/unit/test_keys
tests_unit_test_keys_SOURCES = tests/unit/test_keys.c
tests_unit_test_keys_CPPFLAGS = $(ui_cppflags)
tests_unit_test_keys_LDADD = $(ui_ldadd)

unit_tests += tests/unit/test_ui_table
tests_unit_test_ui_table_SOURCES = tests/unit/test_ui_table.c
tests_unit_test_ui_table_CPPFLAGS = $(ui_cppflags)
tests_unit_test_ui_table_LDADD = $(ui_ldadd)

unit_tests += tests/unit/test_screens
tests_unit_test_screens_SOURCES = tests/unit/test_screens.c $(ui_fixture)
tests_unit_test_screens_CPPFLAGS = $(ui_cppflags)
tests_unit_test_screens_LDADD = $(ui_ldadd)

unit_tests += tests/unit/test_view
tests_unit_test_view_SOURCES = tests/unit/test_view.c $(ui_view) $(ui_fixture)
tests_unit_test_view_CPPFLAGS = $(ui_cppflags)
tests_unit_test_view_LDADD = $(ui_ldadd)

unit_tests += tests/unit/test_view_threads
tests_unit_test_view_threads_SOURCES = tests/unit/test_view_threads.c $(ui_view) $(ui_fixture)
tests_unit_test_view_threads_CPPFLAGS = $(ui_cppflags)
tests_unit_test_view_threads_LDADD = $(ui_ldadd)

check_PROGRAMS += tests/unit/uidemo
tests_unit_uidemo_SOURCES = tests/unit/uidemo.c $(ui_fixture)
tests_unit_uidemo_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tests/unit
tests_unit_uidemo_LDADD = libcputopui.a libcputop.a $(UV_LIBS) $(PQ_LIBS) $(MARIADB_LIBS) $(JANSSON_LIBS) \
	$(CURSES_LIBS) -lm

TESTS += tests/term/screens.sh
EXTRA_DIST += \
	tests/term/screens.sh \
	tests/term/golden/empty.txt \
	tests/term/golden/environment.txt \
	tests/term/golden/failed.txt \
	tests/term/golden/few.txt \
	tests/term/golden/help.txt \
	tests/term/golden/hostile.txt \
	tests/term/golden/idle.txt \
	tests/term/golden/latency-kinds.txt \
	tests/term/golden/latency.txt \
	tests/term/golden/live.txt \
	tests/term/golden/message.txt \
	tests/term/golden/messages.txt \
	tests/term/golden/no-counters.txt \
	tests/term/golden/results.txt \
	tests/term/golden/starting.txt \
	tests/term/golden/where.txt
