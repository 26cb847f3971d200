db_sources = \
	src/db/db.h
