model_sources = \
	src/model/counters.h \
	src/model/dialect.h \
	src/model/host.h \
	src/model/jobs_page.h \
	src/model/messages.h \
	src/model/model.h \
	src/model/result.h \
	src/model/sample.h \
	src/model/session_ops.h \
	src/model/value.h \
	src/model/variant.h \
	src/model/window.h \
	src/model/workload.h
