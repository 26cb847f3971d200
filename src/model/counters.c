#include "config.h"

#include "model/counters.h"

const char *counter_source_name(enum counter_source s)
{
	switch (s) {
	case COUNTERS_AUTO:
		return "auto";
	case COUNTERS_PERF:
		return "perf";
	case COUNTERS_ICOUNT:
		return "icount";
	case COUNTERS_NONE:
		return "none";
	}
	return "?";
}

const char *cpu_source_name(enum cpu_source s)
{
	switch (s) {
	case CPU_AUTO:
		return "auto";
	case CPU_CLOCKS:
		return "clocks";
	case CPU_CGROUP:
		return "cgroup";
	}
	return "?";
}
