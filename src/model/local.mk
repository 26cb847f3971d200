model_sources = \
	src/model/check.h \
	src/model/counters.c \
	src/model/counters.h \
	src/model/dialect.c \
	src/model/dialect.h \
	src/model/host.h \
	src/model/jobs_page.c \
	src/model/jobs_page.h \
	src/model/messages.c \
	src/model/messages.h \
	src/model/model.c \
	src/model/model.h \
	src/model/plans.c \
	src/model/plans.h \
	src/model/result.h \
	src/model/run_prefix.c \
	src/model/run_prefix.h \
	src/model/sample.c \
	src/model/sample.h \
	src/model/session_ops.h \
	src/model/value.c \
	src/model/value.h \
	src/model/variant.h \
	src/model/window.c \
	src/model/window.h \
	src/model/workload.c \
	src/model/workload.h
