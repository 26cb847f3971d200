/*
 * From one reading of the machine to what the live screen shows. Ticks of the last 10 s are kept in
 * a ring; the figures cover the open window from its start, or the ring.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session_internal.h"
#include "lib/clock.h"
#include "lib/xalloc.h"
#include "result/figures.h"
#include "result/processes.h"

#define SLIDING_NS (10 * NS_PER_S)
#define EDGE_ROWS  64 /* up to so many processes, context switches are read at each tick */

static void point_release(struct live_point *p)
{
	sample_release(&p->sample);
}

static struct live_point *point_at(struct live *l, size_t age)
{
	return &l->ring[(l->next + LIVE_RING_MAX - 1 - age) % LIVE_RING_MAX];
}

void live_forget(struct session *s)
{
	live_reset(s);
	s->model.nprogress = s->model.progress_next = 0;
}

void live_reset(struct session *s)
{
	struct live *l = &s->live_state;
	struct model *m = &s->model;

	for (size_t i = 0; i < l->len; i++)
		point_release(point_at(l, i));
	l->len = l->next = 0;
	stretch_reset(&l->stretch);
	if (l->have) {
		point_release(&l->from);
		point_release(&l->to);
	}
	l->have = false;
	if (l->progress_have)
		sample_release(&l->progress_sample);
	l->progress_have = false;
	m->nrows = 0;
	m->enough_jobs = false;
	m->basis_ns = 0;
	m->nprocesses = 0;
	m->jobs_completed = m->jobs_waiting = m->jobs_failed = 0;
	m->jobs_duplicates = m->jobs_lost = 0;
	m->mutex_overlaps = m->mutex_wrong_keys = 0;
	m->latency_p50_ns = m->latency_p95_ns = m->latency_p99_ns = m->latency_max_ns = 0;
	memset(&m->latency, 0, sizeof(m->latency));
	memset(&m->lateness, 0, sizeof(m->lateness));
	m->late_jobs = 0;
	m->wal_bytes = m->rows_examined = m->buffers = (struct figure){0};
	m->statements = m->commits = m->cputop_ns_s = m->monitor_ns_s = (struct figure){0};
	m->idle_ns_s = m->machine_ns_s = m->machine_ns_job = (struct figure){0};
}

void live_release(struct session *s)
{
	live_reset(s);
	free(s->live_state.ring);
	s->live_state.ring = NULL;
}

static const struct result *base_result(const struct session *s)
{
	for (size_t i = 0; i < s->nresults; i++) {
		if (s->results[i].dialect == s->model.dialect && s->results[i].windows &&
		    !strcmp(s->results[i].variant, s->base))
			return &s->results[i];
	}
	return NULL;
}

static void fill_not_charged(struct session *s, const struct usage_diff *d, uint64_t jobs)
{
	struct model *m = &s->model;
	struct value roles = value_of(0), rest;

	for (int r = 0; r < ROLE_COUNT; r++)
		roles = value_add(roles, d->roles[r].cpu_ns);
	rest = value_sub(value_of((int64_t)d->machine_busy_ns), roles);
	rest = value_sub(rest, d->cputop.cpu_ns);
	rest = value_sub(rest, value_of((int64_t)d->idle_servers_ns));
	m->machine_ns_s = figure_rate(rest, d->length_ns);
	m->machine_ns_job = value_per(value_of((int64_t)d->machine_busy_ns), (double)jobs);
	m->idle_ns_s = session_servers_up(s) > 1
			       ? figure_rate(value_of((int64_t)d->idle_servers_ns), d->length_ns)
			       : (struct figure){0, VALUE_NONE};
	m->cputop_ns_s = figure_rate(d->cputop.cpu_ns, d->length_ns);
	m->monitor_ns_s = d->has_part[PART_MONITOR]
				  ? figure_rate(d->parts[PART_MONITOR].cpu_ns, d->length_ns)
				  : (struct figure){0, VALUE_NONE};
}

/* The page's greatest value is since the last window began, and the stretch may begin later. */
static struct histogram of_stretch(const struct histogram *h)
{
	struct histogram copy = *h;

	copy.max_ns = histogram_quantile(h, 1);
	return copy;
}

static void fill_jobs(struct model *m, const struct jobs_counts *now, const struct jobs_counts *j)
{
	m->jobs_completed = now->completed;
	m->jobs_waiting = jobs_counts_waiting(now);
	m->jobs_failed = now->failed + now->enqueue_failed;
	m->jobs_duplicates = now->duplicates;
	m->mutex_overlaps = now->mutex_overlaps;
	m->mutex_wrong_keys = now->mutex_wrong_keys;
	m->latency = of_stretch(&j->latency);
	m->lateness = of_stretch(&j->lateness);
	m->late_jobs = j->late_jobs;
	m->latency_p50_ns = histogram_quantile(&j->latency, 0.5);
	m->latency_p95_ns = histogram_quantile(&j->latency, 0.95);
	m->latency_p99_ns = histogram_quantile(&j->latency, 0.99);
	m->latency_max_ns = m->latency.max_ns;
}

/* A line a second, as pgbench prints it. */
static void fill_progress(struct session *s, const struct live_point *now)
{
	struct live *l = &s->live_state;
	struct model *m = &s->model;
	struct progress_line *p;
	struct jobs_counts j;
	struct usage_diff d;
	double seconds;

	if (l->progress_have && now->sample.taken_ns - l->progress_ns < NS_PER_S * 95 / 100)
		return;
	if (l->progress_have) {
		seconds = (double)(now->sample.taken_ns - l->progress_ns) / 1e9;
		jobs_counts_diff(&l->progress_jobs, &now->jobs, &j);
		sample_diff(&l->progress_sample, &now->sample, &d);
		p = &m->progress_lines[m->progress_next];
		m->progress_next = (m->progress_next + 1) % MODEL_PROGRESS_MAX;
		m->nprogress += m->nprogress < MODEL_PROGRESS_MAX;
		*p = (struct progress_line){
			.at_ns = now->sample.taken_ns - run_started_ns(s->run),
			.jobs_s = (double)j.completed / seconds,
			.enqueued_s = (double)j.enqueued / seconds,
			.latency_mean_ns = histogram_mean_ns(&j.latency),
			.latency_sd_ns = histogram_sd_ns(&j.latency),
			.latency_p50_ns = histogram_quantile(&j.latency, 0.5),
			.latency_p99_ns = histogram_quantile(&j.latency, 0.99),
			.latency_max_ns = histogram_quantile(&j.latency, 1),
			.late_mean_ns = histogram_mean_ns(&j.lateness),
			.waiting = jobs_counts_waiting(&now->jobs),
			.in_window = run_open_window(s->run) != NULL,
		};
		for (int r = 0; r < ROLE_COUNT; r++) {
			p->cpu_pct[r] = figure_rate(d.roles[r].cpu_ns, d.length_ns);
			p->cpu_pct[r].v /= 1e7;
		}
		sample_release(&l->progress_sample);
	}
	sample_copy(&l->progress_sample, &now->sample);
	l->progress_jobs = now->jobs;
	l->progress_ns = now->sample.taken_ns;
	l->progress_have = true;
}

/* Where the stretch begins: the open window's first reading, or the oldest tick within 10 s. */
static bool stretch_from(struct session *s, const struct sample **sample,
			 const struct jobs_counts **jobs)
{
	struct live *l = &s->live_state;
	const struct window *w = run_open_window(s->run);
	const struct live_point *now = point_at(l, 0);

	if (w) {
		*sample = &w->before;
		*jobs = &w->jobs_before;
		return now->sample.taken_ns > w->before.taken_ns;
	}
	/* With a delay above 10 s the last two ticks are the stretch. */
	for (size_t age = l->len; age-- > 1;) {
		const struct live_point *p = point_at(l, age);

		if (age == 1 || now->sample.taken_ns - p->sample.taken_ns <= SLIDING_NS) {
			*sample = &p->sample;
			*jobs = &p->jobs;
			return true;
		}
	}
	return false;
}

/* The newest tick that a rate may be over; NULL: there is none yet. */
static const struct sample *rate_from(struct live *l, const struct sample *now)
{
	for (size_t age = 0; age < l->len; age++)
		if (sample_rate_ns(&point_at(l, age)->sample, now))
			return &point_at(l, age)->sample;
	return NULL;
}

static void keep_stretch(struct live *l, const struct sample *from, const struct jobs_counts *jobs,
			 const struct live_point *to)
{
	/* In a window it stays the same. */
	if (!l->have || l->from.sample.taken_ns != from->taken_ns) {
		if (l->have)
			point_release(&l->from);
		sample_copy(&l->from.sample, from);
		l->from.jobs = *jobs;
	}
	if (l->have)
		point_release(&l->to);
	sample_copy(&l->to.sample, &to->sample);
	l->to.jobs = to->jobs;
	l->have = true;
}

/* The server's counts are read around windows only. */
static void fill_server_counts(struct session *s)
{
	struct model *m = &s->model;
	const struct window *last = NULL;

	m->wal_bytes = m->rows_examined = m->buffers = (struct figure){0};
	for (size_t i = s->windows.len; i-- > 0 && !last;) {
		const struct window *w = s->windows.items[i];

		if (w->valid && w->dialect == m->dialect && !strcmp(w->variant, m->variant.name))
			last = w;
	}
	if (!last || last->rate < m->rate || last->rate > m->rate)
		return;
	m->wal_bytes = window_work_per(last, WORK_LOG_BYTES, m->per_second);
	m->rows_examined = window_work_per(last, WORK_ROWS, m->per_second);
	m->buffers = window_work_per(last, WORK_BUFFERS, m->per_second);
}

static void fill_model(struct session *s)
{
	struct live *l = &s->live_state;
	struct model *m = &s->model;
	const struct live_point *now = point_at(l, 0);
	const struct window *w = run_open_window(s->run);
	const struct jobs_counts *jobs = NULL;
	const struct sample *from = NULL;

	m->window_open = w != NULL;
	m->window_length_ns = m->workload.measure_ns;
	m->window_elapsed_ns = w ? now->sample.taken_ns - w->start_ns : 0;
	m->window_index = s->windows.len;
	m->per_second = !m->workload.rate_max && m->workload.rate <= 0;
	if (!stretch_from(s, &from, &jobs)) {
		struct jobs_counts none = {0};

		fill_jobs(m, &now->jobs, &none);
		return;
	}
	sample_diff(from, &now->sample, &l->diff);
	jobs_counts_diff(jobs, &now->jobs, &l->jobs);
	m->basis_ns = l->diff.length_ns;
	figures_fill_rows(m, &l->diff, &l->jobs, base_result(s));
	stretch_fill_rows(&l->stretch, m);
	fill_jobs(m, &now->jobs, &l->jobs);
	fill_not_charged(s, &l->diff, l->jobs.completed);
	fill_server_counts(s);
	m->unbalanced = !m->per_second && w && m->window_elapsed_ns > 2 * NS_PER_S &&
			backlog_is_unbalanced(jobs, &now->jobs, l->jobs.completed,
					      workload_backlog_swing(&m->workload));
	keep_stretch(l, from, jobs, now);
}

void live_figures(struct session *s)
{
	struct live *l = &s->live_state;
	enum phase phase = s->run ? run_phase(s->run) : PHASE_IDLE;
	unsigned flags = 0;
	struct live_point p, *prev;
	struct err err = {0};

	if (phase < PHASE_WARMUP || phase > PHASE_LIVE)
		return;
	if (!l->ring)
		l->ring = xcalloc(LIVE_RING_MAX, sizeof(*l->ring));
	prev = l->len ? point_at(l, 0) : NULL;
	if (!prev || prev->sample.nrows <= EDGE_ROWS)
		flags |= MEASURE_EXTRAS;
	memset(&p, 0, sizeof(p));
	jobs_page_read(run_page(s->run), &p.jobs);
	if (measure_sample(s->measure, flags, &p.sample, &err) < 0) {
		sample_release(&p.sample);
		return; /* a process is gone: the run is being told by its keeper */
	}
	if (prev) {
		struct usage_diff tick;

		sample_diff(&prev->sample, &p.sample, &tick);
		stretch_add(&l->stretch, &tick, p.jobs.completed - prev->jobs.completed,
			    s->model.per_second);
	}
	processes_fill(&s->model, rate_from(l, &p.sample), &p.sample);
	sample_drop_titles(&p.sample); /* a ring of them is much memory */
	if (l->len == LIVE_RING_MAX)
		point_release(&l->ring[l->next]);
	else
		l->len++;
	l->ring[l->next] = p;
	l->next = (l->next + 1) % LIVE_RING_MAX;
	/* What is older is in no stretch any more. */
	while (l->len > 2 &&
	       p.sample.taken_ns - point_at(l, l->len - 1)->sample.taken_ns > SLIDING_NS)
		point_release(point_at(l, --l->len));
	fill_model(s);
	fill_progress(s, point_at(l, 0));
	if (measure_wants_map(s->measure) && !run_open_window(s->run))
		run_refresh_map(s->run);
}

struct window *live_stretch(struct session *s)
{
	struct live *l = &s->live_state;
	const struct window *open = s->run ? run_open_window(s->run) : NULL;
	struct window *w;

	if (!l->have || !s->run)
		return NULL;
	w = xcalloc(1, sizeof(*w));
	w->index = (unsigned)s->windows.len;
	w->run = s->runs - 1;
	w->dialect = s->model.dialect;
	snprintf(w->variant, sizeof(w->variant), "%s", s->variants[s->run_variant].name);
	w->rate = s->model.rate;
	sample_copy(&w->before, &l->from.sample);
	sample_copy(&w->after, &l->to.sample);
	w->jobs_before = l->from.jobs;
	w->jobs_after = l->to.jobs;
	w->start_ns = w->before.taken_ns;
	w->start_wall_ns = w->before.wall_ns;
	w->length_ns = w->after.taken_ns - w->before.taken_ns;
	w->usage = l->diff;
	w->jobs = l->jobs;
	w->jobs.latency = of_stretch(&l->jobs.latency);
	w->jobs.lateness = of_stretch(&l->jobs.lateness);
	if (w->usage.has_part[PART_MONITOR])
		w->monitor = w->usage.parts[PART_MONITOR];
	for (unsigned i = 0; i < SERVER_COUNTS; i++)
		w->server.why[i] = "the server is asked around windows only";
	w->done = true; /* both its readings are there */
	w->unbalanced = window_is_unbalanced(w, workload_backlog_swing(&s->model.workload));
	snprintf(w->invalid_reason, sizeof(w->invalid_reason), "%s",
		 open ? "still open" : "not a window: the stretch that was on screen");
	return w;
}
