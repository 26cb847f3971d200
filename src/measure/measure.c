/* Beginning and ending: which sources are in force, which roles are followed, which map is known.
 */
#include "config.h"

#include "measure/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "measure/build_id.h"
#include "measure/icount_run.h"
#include "measure/track.h"

#define LEFTOVER_TRIES 200

static void say_both(struct counters_info *info, const char *reason, const char *remedy)
{
	struct counter_state *states[] = {&info->instructions, &info->cycles};

	for (size_t i = 0; i < 2; i++) {
		states[i]->available = false;
		text_copy(states[i]->reason, sizeof(states[i]->reason), reason);
		text_copy(states[i]->remedy, sizeof(states[i]->remedy), remedy);
	}
}

static struct counter_roots roots_of(const struct measure *m)
{
	return (struct counter_roots){m->proc_root, m->sys_root, &m->icount};
}

static void use_no_counters(struct measure *m)
{
	const struct counter_roots roots = roots_of(m);

	m->ops = &counters_none;
	m->counters = m->ops->open(&roots, &m->info, NULL);
	m->info.source = COUNTERS_NONE;
}

/* Why there are none, with the other way to have instructions. */
static void offer_icount(struct measure *m)
{
	struct counter_state *s = &m->info.instructions;
	char valgrind[4096];
	const char *how = "restart with --counters icount";
	struct strbuf text;

	if (strncmp(ICOUNT_PLATFORM, "none", 4) == 0)
		return;
	if (!m->icount.tool || icount_find_valgrind(valgrind, sizeof(valgrind), NULL) < 0)
		how = "for --counters icount install valgrind and build cputop again";
	strbuf_init(&text);
	strbuf_addf(&text, "%s%s%s", s->remedy, s->remedy[0] ? ", or " : "", how);
	if (text.len >= sizeof(s->remedy)) {
		strbuf_reset(&text);
		strbuf_addstr(&text, how);
	}
	text_copy(s->remedy, sizeof(s->remedy), text.buf);
	strbuf_release(&text);
}

static int open_icount(struct measure *m, struct err *err)
{
	const struct counter_roots roots = roots_of(m);

	m->ops = &counters_icount;
	m->counters = m->ops->open(&roots, &m->info, err);
	if (!m->counters) {
		err_prefix(err, "--counters icount");
		return -ENOTSUP;
	}
	m->info.source = COUNTERS_ICOUNT;
	return 0;
}

static int open_counters(struct measure *m, struct err *err)
{
	const struct counter_roots roots = roots_of(m);

	if (m->counters_asked == COUNTERS_ICOUNT)
		return open_icount(m, err);
	if (m->counters_asked == COUNTERS_NONE) {
		say_both(&m->info, "switched off (--counters none)", "");
		use_no_counters(m);
		return 0;
	}
	m->ops = &counters_perf;
	m->counters = m->ops->open(&roots, &m->info, err);
	if (m->counters) {
		m->info.source = COUNTERS_PERF;
		return 0;
	}
	if (m->counters_asked == COUNTERS_PERF) {
		err_prefix(err, "--counters perf");
		return -ENOTSUP;
	}
	err_clear(err);
	offer_icount(m);
	use_no_counters(m);
	return 0;
}

static int open_cpu_source(struct measure *m, struct err *err)
{
	struct err why;
	int r;

	m->info.cpu_source = CPU_CLOCKS;
	if (m->cpu_asked == CPU_CLOCKS)
		return 0;
	err_clear(&why);
	r = cgroup_base(m->cgroup_base, m->proc_root, &why);
	if (r == 0)
		r = cgroup_probe(m->cgroup_base, &why);
	if (r == 0) {
		m->info.cpu_source = CPU_CGROUP;
		return 0;
	}
	if (m->cpu_asked == CPU_CGROUP)
		return err_set(err, r, "--cpu-source cgroup: %s; use clocks", why.text);
	text_copy(m->info.cpu_reason, sizeof(m->info.cpu_reason), why.text);
	return 0;
}

struct measure *measure_new(const struct measure_options *options, struct err *err)
{
	struct measure *m = xcalloc(1, sizeof(*m));

	m->proc_root = xstrdup(options->proc_root ? options->proc_root : "/proc");
	m->sys_root = xstrdup(options->sys_root ? options->sys_root : "/sys");
	m->icount_dir = options->icount.dir ? xstrdup(options->icount.dir) : NULL;
	m->icount_tool = options->icount.tool ? xstrdup(options->icount.tool) : NULL;
	m->icount = (struct icount_options){options->icount.roles, m->icount_dir, m->icount_tool};
	m->counters_asked = options->counters;
	m->cpu_asked = options->cpu;
	if (open_counters(m, err) == 0 && open_cpu_source(m, err) == 0)
		return m;
	measure_free(m);
	return NULL;
}

void measure_remove_leftovers(struct measure *m)
{
	for (size_t i = 0; i < m->leftovers.len;) {
		if (cgroup_remove(&m->leftovers.items[i]) == 0)
			m->leftovers.items[i] = m->leftovers.items[--m->leftovers.len];
		else
			i++;
	}
}

void measure_free(struct measure *m)
{
	static const struct timespec pause = {0, 1000000};

	if (!m)
		return;
	for (int r = 0; r < ROLE_COUNT; r++)
		track_end(&m->roles[r]);
	databases_end(m);
	/* A process that has just been reaped may still be leaving. */
	for (int i = 0; i < LEFTOVER_TRIES && m->leftovers.len > 0; i++) {
		measure_remove_leftovers(m);
		if (m->leftovers.len > 0)
			nanosleep(&pause, NULL);
	}
	if (m->counters)
		m->ops->close(m->counters);
	vec_release(&m->leftovers);
	vec_release(&m->pending);
	free(m->icount_dir);
	free(m->icount_tool);
	free(m->proc_root);
	free(m->sys_root);
	free(m);
}

void measure_drop_counters(struct measure *m, const char *reason)
{
	for (int r = 0; r < ROLE_COUNT; r++)
		track_drop_counters(&m->roles[r]);
	databases_drop_counters(m);
	m->ops->close(m->counters);
	say_both(&m->info, reason, "");
	use_no_counters(m);
}

int measure_add_role(struct measure *m, enum role role, pid_t keeper, struct err *err)
{
	struct track *t = &m->roles[role];
	struct err why;
	int r;

	track_end(t);
	measure_remove_leftovers(m);
	err_clear(&why);
	r = track_begin(t, m, role, keeper, &why);
	if (r == 0)
		return 0;
	/* What the probe could do may fail for this process: then clocks, unless figures of a
	 * cgroup have been shown. */
	if (m->info.cpu_source == CPU_CGROUP && m->cpu_asked == CPU_AUTO && !m->cgroup_used) {
		m->info.cpu_source = CPU_CLOCKS;
		text_copy(m->info.cpu_reason, sizeof(m->info.cpu_reason), why.text);
		r = track_begin(t, m, role, keeper, &why);
	}
	if (r)
		err_set(err, r, "%s", why.text);
	return r;
}

void measure_remove_role(struct measure *m, enum role role)
{
	track_end(&m->roles[role]);
	measure_remove_leftovers(m);
	if (role == ROLE_DATABASE) {
		m->wants_map = false;
		m->pending.len = 0;
	}
}

void measure_set_map(struct measure *m, const struct part_row *rows, size_t n)
{
	struct track *t = &m->roles[ROLE_DATABASE];

	m->pending.len = 0;
	m->wants_map = false;
	for (size_t i = 0; i < n; i++) {
		if (!t->present || !track_map(t, &rows[i]))
			*vec_push(&m->pending) = rows[i];
	}
	if (t->present)
		track_was_asked(t);
}

bool measure_wants_map(const struct measure *m)
{
	return m->wants_map;
}

const struct run_prefix *measure_prefix(const struct measure *m, enum role role)
{
	struct counters *c = m->ops->of_role ? m->ops->of_role(m->counters, role) : NULL;

	return c && m->ops->prefix ? m->ops->prefix(c) : NULL;
}

void measure_set_server(struct measure *m, const char *binary)
{
	char *id = m->info.icount.server_build_id;

	if (m->info.source == COUNTERS_ICOUNT &&
	    build_id_read(binary, id, sizeof(m->info.icount.server_build_id)) < 0)
		id[0] = '\0';
}

const struct counters_info *measure_counters(const struct measure *m)
{
	return &m->info;
}

unsigned measure_sweep_cgroups(const char *proc_root)
{
	char base[CGROUP_PATH_MAX];

	return cgroup_base(base, proc_root, NULL) == 0 ? cgroup_sweep(base, proc_root) : 0;
}
