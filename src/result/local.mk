result_sources = \
	src/result/compare.h \
	src/result/figures.h \
	src/result/snapshot.h \
	src/result/table.h
