variant_sources = \
	src/variant/variant.h
