variant_sources = \
	src/variant/builtin.c \
	src/variant/builtin.h \
	src/variant/fits.c \
	src/variant/ini.c \
	src/variant/ini.h \
	src/variant/sql.c \
	src/variant/variant.c \
	src/variant/variant.h
