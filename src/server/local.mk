server_sources = \
	src/server/args.c \
	src/server/engine.h \
	src/server/explain.c \
	src/server/files.c \
	src/server/find.c \
	src/server/port.c \
	src/server/postgres.c \
	src/server/server.c \
	src/server/server.h \
	src/server/steps.c \
	src/server/steps.h
