/*
 * Busy is elapsed time x processors - idle - iowait - steal: idle time is exact, user time sampled
 * at ticks. The counters of /proc/stat may fall (iowait by its nature, idle after a suspend): a
 * fall is no time at all.
 */
#include "config.h"

#include "measure/machine.h"

#include <stdio.h>
#include <unistd.h>

static uint64_t growth(uint64_t *last, uint64_t now)
{
	uint64_t d = now > *last ? now - *last : 0;

	*last = now;
	return d;
}

void machine_add(struct machine *m, const struct procmachine *now, uint64_t now_ns, unsigned cpus)
{
	uint64_t away, steal;

	if (!m->begun) {
		m->last = *now;
		m->last_ns = now_ns;
		m->begun = true;
		return;
	}
	steal = procfs_ticks_ns(growth(&m->last.steal, now->steal));
	away = procfs_ticks_ns(growth(&m->last.idle, now->idle) +
			       growth(&m->last.iowait, now->iowait)) +
	       steal;
	m->steal_ns += steal;
	m->exact_ns += (int64_t)(growth(&m->last_ns, now_ns) * cpus) - (int64_t)away;
	if (m->exact_ns > 0 && (uint64_t)m->exact_ns > m->busy_ns)
		m->busy_ns = (uint64_t)m->exact_ns;
}

bool machine_read(struct machine *m, const char *proc_root, uint64_t now_ns)
{
	char path[PROCFS_PATH_MAX], text[512];
	struct procmachine now;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ssize_t n;

	snprintf(path, sizeof(path), "%.300s/stat", proc_root);
	n = procfs_read(path, text, sizeof(text));
	if (n < 0 || procfs_parse_machine(text, (size_t)n, &now) != 0)
		return false;
	machine_add(m, &now, now_ns, cpus > 0 ? (unsigned)cpus : 1);
	return true;
}
