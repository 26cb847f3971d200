# Figures, comparison, table and snapshot. Only this folder uses jansson.
result_sources = \
	src/result/check_json.c \
	src/result/check_json.h \
	src/result/compare.c \
	src/result/compare.h \
	src/result/figures.c \
	src/result/figures.h \
	src/result/json_out.c \
	src/result/json_out.h \
	src/result/processes.c \
	src/result/processes.h \
	src/result/snapshot.c \
	src/result/snapshot.h \
	src/result/snapshot_host.c \
	src/result/snapshot_host.h \
	src/result/snapshot_window.c \
	src/result/snapshot_window.h \
	src/result/stretch.c \
	src/result/stretch.h \
	src/result/table.c \
	src/result/table.h \
	src/result/table_notes.c \
	src/result/table_notes.h
