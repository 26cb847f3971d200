db_sources = \
	src/db/db.c \
	src/db/db.h \
	src/db/driver.h \
	src/db/pg.c \
	src/db/pg_result.c \
	src/db/pg_result.h \
	src/db/pg_start.c \
	src/db/pg_start.h \
	src/db/script.c
