/*
 * The number of perf_event_paranoid means different things on different kernels (Debian and Ubuntu
 * add levels), so it never decides anything here: it is only told, next to what the kernel said.
 */
#include "config.h"

#include "measure/perf_reason.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/format.h"
#include "measure/counters.h"
#include "measure/hypervisor.h"
#include "measure/sysfile.h"

static void say(struct counter_state *out, const char *reason, const char *remedy)
{
	text_copy(out->reason, sizeof(out->reason), reason);
	text_copy(out->remedy, sizeof(out->remedy), remedy);
}

static void no_pmu(struct counter_state *out, const struct counter_roots *roots)
{
	char name[64];

	if (hypervisor_name(name, sizeof(name), roots->proc, roots->sys))
		say(out, "no hardware counters in this virtual machine",
		    "switch on the virtual PMU at its host, or use a machine that has one");
	else
		say(out, "no hardware counters: the kernel knows no such counter of this processor",
		    "");
}

static void not_permitted(struct counter_state *out, const struct counter_roots *roots)
{
	int64_t paranoid;

	if (sysfile_int(&paranoid, roots->proc, "sys/kernel/perf_event_paranoid")) {
		snprintf(out->reason, sizeof(out->reason),
			 "this user may not open counters (perf_event_paranoid %lld)",
			 (long long)paranoid);
		text_copy(out->remedy, sizeof(out->remedy),
			  "sudo sysctl kernel.perf_event_paranoid=1");
	} else {
		say(out, "this user may not open counters", "run cputop as root");
	}
}

void perf_reason(struct counter_state *out, int error, const struct counter_roots *roots)
{
	out->available = false;
	switch (-error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		no_pmu(out, roots);
		break;
	case EACCES:
		not_permitted(out, roots);
		break;
	case EPERM:
		say(out, "opening counters is forbidden here (the seccomp filter of a container?)",
		    "allow perf_event_open in its seccomp profile and add the capability PERFMON");
		break;
	case ENOSYS:
		say(out, "this kernel has no perf_event_open", "");
		break;
	case EMFILE:
	case ENFILE:
		say(out, "too many open files for the counters", "ulimit -n 65536");
		break;
	case EINVAL:
		say(out, "the kernel refuses these counters (Invalid argument)", "");
		break;
	case ESRCH:
		say(out, "the process to count is gone", "");
		break;
	default:
		snprintf(out->reason, sizeof(out->reason), "counters cannot be opened: %s",
			 strerror(-error));
		out->remedy[0] = '\0';
		break;
	}
}
