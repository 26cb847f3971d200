server_sources = \
	src/server/args.c \
	src/server/ask.c \
	src/server/engine.h \
	src/server/explain.c \
	src/server/files.c \
	src/server/find.c \
	src/server/mariadb.c \
	src/server/my_common.c \
	src/server/my_common.h \
	src/server/mysql.c \
	src/server/port.c \
	src/server/postgres.c \
	src/server/server.c \
	src/server/server.h \
	src/server/settings.c \
	src/server/steps.c \
	src/server/steps.h
