run_sources = \
	src/run/admin.h
