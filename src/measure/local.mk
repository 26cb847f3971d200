measure_sources = \
	src/measure/measure.h
