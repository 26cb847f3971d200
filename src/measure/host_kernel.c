/*
 * Facts about the kernel and about cputop's own place in the machine. Of the command line only the
 * options in a list of ours are told: it may hold secrets.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "measure/cgroup.h"
#include "measure/host_parts.h"
#include "measure/measure.h"
#include "measure/procfs.h"
#include "measure/sysfile.h"

#define TEXT_MAX  4096
#define FILES_MAX (64u << 10)

/* Names that begin with one of these change what work costs. */
static const char *const options[] = {
	"mitigations",  "spectre_",
	"nospectre_",   "spec_store_bypass_disable",
	"l1tf",         "mds",
	"tsx",          "retbleed",
	"srbds",        "pti",
	"nopti",        "isolcpus",
	"nohz",         "rcu_nocb",
	"idle",         "processor.max_cstate",
	"intel_idle.",  "cpuidle",
	"cpufreq.",     "intel_pstate",
	"amd_pstate",   "nosmt",
	"maxcpus",      "nr_cpus",
	"clocksource",  "tsc",
	"hpet",         "acpi_pm",
	"preempt",      "threadirq",
	"skew_tick",    "noautogroup",
	"psi",          "nowatchdog",
	"nmi_watchdog", "transparent_hugepage",
	"hugepages",    "default_hugepagesz",
	"hugepagesz",   "numa_balancing",
	"init_on_",     "page_poison",
	"slub_debug",   "audit",
	"cgroup_",      "systemd.unified_cgroup_hierarchy",
	"nested_pvm",   "kpti",
};

static bool is_told(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		size_t n = strlen(options[i]);

		if (len >= n && strncmp(word, options[i], n) == 0)
			return true;
	}
	return false;
}

/* Up to "--": what follows is for init. */
static void kernel_options(struct host *h, const char *proc_root)
{
	char text[TEXT_MAX];
	const char *at = text;
	struct strbuf out;

	strbuf_init(&out);
	sysfile_text(text, sizeof(text), proc_root, "cmdline");
	while (*at) {
		size_t len = strcspn(at, " ");

		if (len == 2 && strncmp(at, "--", 2) == 0)
			break;
		if (is_told(at, len))
			strbuf_addf(&out, "%s%.*s", out.len ? " " : "", (int)len, at);
		at += len + strspn(at + len, " ");
	}
	text_copy(h->kernel_options, sizeof(h->kernel_options), out.buf);
	strbuf_release(&out);
}

/* The text behind KEY at the start of a line of DIR/NAME, up to the end of the line or a blank. */
static bool line_value(char *out, size_t size, const char *dir, const char *name, const char *key)
{
	char path[CGROUP_PATH_MAX];
	struct strbuf sb;
	const char *at;
	bool found = false;

	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	out[0] = '\0';
	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	strbuf_init(&sb);
	if (strbuf_read_file(&sb, path, FILES_MAX) == 0) {
		at = sb.buf;
		while ((at = strstr(at, key)) && at != sb.buf && at[-1] != '\n')
			at += strlen(key);
		if (at) {
			size_t len;

			at += strlen(key);
			at += strspn(at, " \t");
			len = strcspn(at, " \t\n");
			found = len > 0 && len < size;
			if (found)
				memcpy(out, at, len);
			out[found ? len : 0] = '\0';
		}
	}
	strbuf_release(&sb);
	return found;
}

static int64_t line_number(const char *dir, const char *name, const char *key)
{
	char text[32];
	uint64_t v;

	if (!line_value(text, sizeof(text), dir, name, key) || !parse_u64(text, &v) ||
	    v > INT64_MAX / 1000)
		return -1;
	return (int64_t)v;
}

/* "MAX PERIOD" in us, "max PERIOD" without a limit. */
static double quota(const char *dir)
{
	char text[64], *period;
	double limit, per;

	if (!sysfile_text(text, sizeof(text), dir, "cpu.max"))
		return -1;
	period = strchr(text, ' ');
	if (!period)
		return -1;
	*period++ = '\0';
	if (!parse_double(text, &limit) || !parse_double(period, &per) || per < 1 || limit < 0)
		return -1;
	return limit / per;
}

/* A group may use what is left of the quota of each group above it: the smallest one rules. Its
 * directory stays in dir, or cputop's own where there is no limit. */
static double smallest_quota(char dir[CGROUP_PATH_MAX], const char *proc_root)
{
	char at[CGROUP_PATH_MAX];
	double best = -1;

	if (cgroup_base(dir, proc_root, NULL) != 0)
		return -1;
	text_copy(at, sizeof(at), dir);
	for (;;) {
		char procs[CGROUP_PATH_MAX + 16], *slash = strrchr(at, '/');
		double q = quota(at);

		if (q >= 0 && (best < 0 || q < best)) {
			best = q;
			text_copy(dir, CGROUP_PATH_MAX, at);
		}
		if (!slash || slash == at)
			return best;
		*slash = '\0';
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", at);
		if (access(procs, F_OK) != 0)
			return best;
	}
}

static int64_t times(int64_t v, int64_t unit)
{
	return v < 0 ? -1 : v * unit;
}

void measure_host_noise(struct host_noise *n, const char *proc_root)
{
	char dir[CGROUP_PATH_MAX], text[512], path[PROCFS_PATH_MAX];
	struct procmachine m;
	ssize_t len;

	*n = (struct host_noise){-1, -1, -1, -1};
	snprintf(path, sizeof(path), "%.300s/stat", proc_root);
	len = procfs_read(path, text, sizeof(text));
	if (len >= 0 && procfs_parse_machine(text, (size_t)len, &m) == 0)
		n->steal_ns = (int64_t)procfs_ticks_ns(m.steal);
	/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=1690943025", in us */
	if (sysfile_text(text, sizeof(text), proc_root, "pressure/cpu")) {
		const char *total = strstr(text, "total=");
		uint64_t us;

		if (total && parse_u64(total + 6, &us) && us < INT64_MAX / NS_PER_US)
			n->pressure_ns = (int64_t)(us * NS_PER_US);
	}
	smallest_quota(dir, proc_root);
	if (!dir[0])
		return;
	n->throttled_runs = line_number(dir, "cpu.stat", "nr_throttled ");
	n->throttled_ns = times(line_number(dir, "cpu.stat", "throttled_usec "), 1000);
}

/* Seen through /proc, so that a fixture can tell it. */
static void container(struct host *h, const char *proc_root)
{
	static const struct {
		const char *file, *name;
	} marks[] = {
		{"self/root/run/.containerenv", "podman"},
		{"self/root/.dockerenv", "docker"},
	};
	char path[PROCFS_PATH_MAX];

	if (sysfile_text(h->container, sizeof(h->container), proc_root,
			 "self/root/run/systemd/container"))
		return;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		snprintf(path, sizeof(path), "%.250s/%s", proc_root, marks[i].file);
		if (access(path, F_OK) == 0) {
			text_copy(h->container, sizeof(h->container), marks[i].name);
			return;
		}
	}
}

static void own_place(struct host *h, const char *proc_root)
{
	char dir[CGROUP_PATH_MAX], self[PROCFS_PATH_MAX];
	int64_t v;
	int nice;

	snprintf(self, sizeof(self), "%.300s/self", proc_root);
	line_value(h->cpus_allowed, sizeof(h->cpus_allowed), self, "status", "Cpus_allowed_list:");
	h->timer_slack_ns = sysfile_int(&v, self, "timerslack_ns") ? v : -1;
	errno = 0;
	nice = getpriority(PRIO_PROCESS, 0);
	h->nice = nice == -1 && errno ? INT64_MIN : nice;
	h->cgroup_quota_cpus = smallest_quota(dir, proc_root);
	container(h, proc_root);
}

void host_kernel(struct host *h, const char *proc_root, const char *sys_root)
{
	char text[64];
	double uptime;
	int ksm = host_int(sys_root, "kernel/mm/ksm/run", -1);

	kernel_options(h, proc_root);
	h->nmi_watchdog = host_int(proc_root, "sys/kernel/nmi_watchdog", -1);
	h->ksm = ksm < 0 ? -1 : ksm == 1;
	h->numa_balancing = host_int(proc_root, "sys/kernel/numa_balancing", -1);
	h->swappiness = host_int(proc_root, "sys/vm/swappiness", -1);
	h->overcommit_memory = host_int(proc_root, "sys/vm/overcommit_memory", -1);
	h->io_uring_disabled = host_int(proc_root, "sys/kernel/io_uring_disabled", -1);
	h->uptime_s = -1;
	if (sysfile_text(text, sizeof(text), proc_root, "uptime")) {
		text[strcspn(text, " ")] = '\0';
		if (parse_double(text, &uptime) && uptime >= 0 && uptime < 1e12)
			h->uptime_s = (int64_t)uptime;
	}
	own_place(h, proc_root);
}
