/* Facts about the processors: what makes the same instructions cost another time. */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "measure/host_parts.h"
#include "measure/hypervisor.h"
#include "measure/measure.h"
#include "measure/procfs.h"
#include "measure/sysfile.h"

#define CPU     "devices/system/cpu/"
#define CPUFREQ CPU "cpu0/cpufreq/"
#define PMUS    "bus/event_source/devices"

struct names vec_of(char *);

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is in the folder, sorted. False when there is no folder. */
static bool list(struct names *out, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return false;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			*vec_push(out) = xstrdup(e->d_name);
	closedir(d);
	if (out->len)
		qsort(out->items, out->len, sizeof(*out->items), by_name);
	return true;
}

static void names_release(struct names *n)
{
	for (size_t i = 0; i < n->len; i++)
		free(n->items[i]);
	vec_release(n);
}

static int64_t number(const char *sys_root, const char *name)
{
	int64_t v;

	return sysfile_int(&v, sys_root, name) && v >= 0 ? v : -1;
}

/* Intel's own driver has a switch that says "no", the others one that says "yes". */
static int turbo(const char *sys_root)
{
	int no = host_int(sys_root, CPU "intel_pstate/no_turbo", -1);
	int boost = host_int(sys_root, CPU "cpufreq/boost", -1);

	if (no >= 0)
		return no == 0;
	return boost >= 0 ? boost != 0 : -1;
}

static void mitigations(struct host *h, const char *sys_root)
{
	struct names names = VEC_INIT;
	char dir[PROCFS_PATH_MAX];

	h->nmitigations = -1;
	snprintf(dir, sizeof(dir), "%.250s/" CPU "vulnerabilities", sys_root);
	if (!list(&names, dir))
		return;
	h->nmitigations = 0;
	for (size_t i = 0; i < names.len && h->nmitigations < HOST_MITIGATIONS_MAX; i++) {
		struct host_mitigation *m = &h->mitigations[h->nmitigations];

		text_copy(m->name, sizeof(m->name), names.items[i]);
		/* That something is no danger here costs nothing. */
		if (sysfile_text(m->text, sizeof(m->text), dir, names.items[i]) &&
		    strcmp(m->text, "Not affected") != 0)
			h->nmitigations++;
	}
	names_release(&names);
}

/* A PMU with a file "cpus" belongs to some of the processors only: a mixed machine. */
static void pmus(struct host *h, const char *sys_root)
{
	struct names names = VEC_INIT;
	struct strbuf all, clusters;
	char dir[PROCFS_PATH_MAX];

	strbuf_init(&all);
	strbuf_init(&clusters);
	snprintf(dir, sizeof(dir), "%.250s/" PMUS, sys_root);
	list(&names, dir);
	for (size_t i = 0; i < names.len; i++) {
		char file[300], cpus[64];

		strbuf_addf(&all, "%s%s", i ? " " : "", names.items[i]);
		snprintf(file, sizeof(file), "%.250s/cpus", names.items[i]);
		if (sysfile_text(cpus, sizeof(cpus), dir, file))
			strbuf_addf(&clusters, "%s%s %s", clusters.len ? ", " : "", names.items[i],
				    cpus);
	}
	text_copy(h->pmus, sizeof(h->pmus), all.buf);
	text_copy(h->cpu_clusters, sizeof(h->cpu_clusters), clusters.buf);
	strbuf_release(&all);
	strbuf_release(&clusters);
	names_release(&names);
}

/* An empty list is a fact, too. */
static void isolated(struct host *h, const char *sys_root)
{
	char dir[PROCFS_PATH_MAX];
	char text[2];
	int n = snprintf(dir, sizeof(dir), "%s/" CPU "isolated", sys_root);

	if (sysfile_text(h->cpus_isolated, sizeof(h->cpus_isolated), sys_root, CPU "isolated"))
		return;
	if (n > 0 && (size_t)n < sizeof(dir) && procfs_read(dir, text, sizeof(text)) >= 0)
		text_copy(h->cpus_isolated, sizeof(h->cpus_isolated), "none");
}

void host_processors(struct host *h, const char *proc_root, const char *sys_root)
{
	if (!cpuinfo_value(h->microcode, sizeof(h->microcode), proc_root, "microcode"))
		h->microcode[0] = '\0';
	isolated(h, sys_root);
	pmus(h, sys_root);
	sysfile_text(h->cpufreq_driver, sizeof(h->cpufreq_driver), sys_root,
		     CPUFREQ "scaling_driver");
	h->cpufreq_min_khz = number(sys_root, CPUFREQ "scaling_min_freq");
	h->cpufreq_max_khz = number(sys_root, CPUFREQ "scaling_max_freq");
	sysfile_text(h->energy_preference, sizeof(h->energy_preference), sys_root,
		     CPUFREQ "energy_performance_preference");
	h->turbo = turbo(sys_root);
	sysfile_text(h->idle_driver, sizeof(h->idle_driver), sys_root,
		     CPU "cpuidle/current_driver");
	if (!sysfile_text(h->idle_governor, sizeof(h->idle_governor), sys_root,
			  CPU "cpuidle/current_governor"))
		sysfile_text(h->idle_governor, sizeof(h->idle_governor), sys_root,
			     CPU "cpuidle/current_governor_ro");
	sysfile_text(h->clocksources, sizeof(h->clocksources), sys_root,
		     "devices/system/clocksource/clocksource0/available_clocksource");
	mitigations(h, sys_root);
}
