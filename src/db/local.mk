db_sources = \
	src/db/db.c \
	src/db/db.h \
	src/db/driver.h \
	src/db/script.c
# One client library, one group of files.
if PQ
db_sources += \
	src/db/pg.c \
	src/db/pg_result.c \
	src/db/pg_result.h \
	src/db/pg_start.c \
	src/db/pg_start.h
endif
if MYSQL
db_sources += \
	src/db/my.c \
	src/db/my_internal.h \
	src/db/my_result.c \
	src/db/my_result.h \
	src/db/my_run.c \
	src/db/my_start.c \
	src/db/my_start.h \
	src/db/my_stmt.c \
	src/db/my_stmt.h \
	src/db/my_wait.h
if ORACLE
db_sources += src/db/my_thread.c
else
db_sources += src/db/my_poll.c
endif
endif
