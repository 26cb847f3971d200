proc_sources = \
	src/proc/child.c \
	src/proc/child.h \
	src/proc/child_args.c \
	src/proc/child_args.h \
	src/proc/descendants.c \
	src/proc/descendants.h \
	src/proc/notes.c \
	src/proc/notes.h \
	src/proc/tmpdir.c \
	src/proc/tmpdir.h \
	src/proc/tree.c \
	src/proc/tree.h \
	src/proc/user.c \
	src/proc/user.h

# The keeper takes no more of the library than its own rooms, lib and proc.
pkglibexec_PROGRAMS += cputop-keeper
cputop_keeper_SOURCES = \
	src/proc/keeper.h \
	src/proc/keeper_exec.c \
	src/proc/keeper_main.c \
	src/proc/keeper_run.c
cputop_keeper_LDADD = libcputop.a -lm
