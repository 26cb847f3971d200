proc_sources = \
	src/proc/child.h \
	src/proc/tmpdir.h
