/*
 * Generic events count on one cluster only where there are several. Hybrid x86 takes the PMU's
 * number in the upper half of a generic event's config; arm_pmu does not on all kernels, so there
 * the raw numbers are used, as the PMU's own events folder gives them.
 */
#include "config.h"

#include "measure/perf_pmu.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/sysfile.h"

#define EXTENDED_SHIFT 32

static const uint64_t generic[PERF_PAIR] = {
	[PERF_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
	[PERF_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
};

static const struct arm_family {
	const char *prefix;
	const char *event[PERF_PAIR]; /* its name in events/ */
	uint64_t raw[PERF_PAIR];      /* where the folder does not say */
} arm_families[] = {
	{"armv8", {"inst_retired", "cpu_cycles"}, {0x08, 0x11}},
	{"armv9", {"inst_retired", "cpu_cycles"}, {0x08, 0x11}},
	{"apple_", {"instructions", "cycles"}, {0x8c, 0x02}},
};

static bool read_type(const char *dir, uint32_t *type)
{
	int64_t v;

	if (!sysfile_int(&v, dir, "type") || v < 0 || v > UINT32_MAX)
		return false;
	*type = (uint32_t)v;
	return true;
}

static size_t find_hybrid(const char *sys_root, struct perf_pmu *out)
{
	static const char *const names[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
	char dir[512];
	uint32_t type;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int len = snprintf(dir, sizeof(dir), "%s/devices/%s", sys_root, names[i]);

		if (len < 0 || (size_t)len >= sizeof(dir) || !read_type(dir, &type))
			continue;
		snprintf(out[n].name, sizeof(out[n].name), "%s", names[i]);
		for (int e = 0; e < PERF_PAIR; e++)
			out[n].spec[e] = (struct perf_event_spec){
				PERF_TYPE_HARDWARE, (uint64_t)type << EXTENDED_SHIFT | generic[e]};
		n++;
	}
	return n;
}

/* "event=0x8c" */
static uint64_t raw_event(const char *dir, const char *event, uint64_t otherwise)
{
	char name[64], text[64], *end;
	unsigned long long v;

	snprintf(name, sizeof(name), "events/%s", event);
	if (!sysfile_text(text, sizeof(text), dir, name) || strncmp(text, "event=0x", 8) != 0)
		return otherwise;
	v = strtoull(text + 6, &end, 16);
	return end > text + 8 && *end == '\0' ? v : otherwise;
}

static bool read_arm(const char *devices, const char *name, struct perf_pmu *out)
{
	char dir[512], cpus[256];
	uint32_t type;

	for (size_t i = 0; i < sizeof(arm_families) / sizeof(*arm_families); i++) {
		const struct arm_family *f = &arm_families[i];
		int len = snprintf(dir, sizeof(dir), "%s/%s", devices, name);

		if (strncmp(name, f->prefix, strlen(f->prefix)) != 0)
			continue;
		if (len < 0 || (size_t)len >= sizeof(dir) ||
		    !sysfile_text(cpus, sizeof(cpus), dir, "cpus") || !read_type(dir, &type))
			return false;
		snprintf(out->name, sizeof(out->name), "%.39s", name);
		for (int e = 0; e < PERF_PAIR; e++)
			out->spec[e] = (struct perf_event_spec){
				type, raw_event(dir, f->event[e], f->raw[e])};
		return true;
	}
	return false;
}

static size_t find_arm(const char *sys_root, struct perf_pmu *out)
{
	char devices[400];
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	snprintf(devices, sizeof(devices), "%.300s/bus/event_source/devices", sys_root);
	d = opendir(devices);
	if (!d)
		return 0;
	while (n < PERF_PMUS_MAX && (e = readdir(d)))
		if (read_arm(devices, e->d_name, &out[n]))
			n++;
	closedir(d);
	return n;
}

size_t perf_pmus_find(const char *sys_root, struct perf_pmu out[PERF_PMUS_MAX])
{
	size_t n;

	memset(out, 0, sizeof(*out) * PERF_PMUS_MAX);
	n = find_hybrid(sys_root, out);
	if (n > 1)
		return n;
	n = find_arm(sys_root, out);
	if (n > 1)
		return n;
	memset(out, 0, sizeof(*out) * PERF_PMUS_MAX);
	snprintf(out[0].name, sizeof(out[0].name), "cpu");
	for (int e = 0; e < PERF_PAIR; e++)
		out[0].spec[e] = (struct perf_event_spec){PERF_TYPE_HARDWARE, generic[e]};
	return 1;
}
