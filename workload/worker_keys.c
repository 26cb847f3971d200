/*
 * Jobs with a mutex key: the handler holds the key for --hold. All are held for the same time, so
 * they end in the order in which they began, and one timer does. Who holds what stands in the page,
 * which all workers share: a second job of one key is seen, whoever runs it. The key that a job was
 * enqueued with is the first word of its payload.
 */
#include "config.h"

#include <string.h>

#include "lib/clock.h"
#include "workload/worker.h"

static bool same_key(const char *key, const char *payload)
{
	size_t n = strlen(key);

	return payload && strncmp(payload, key, n) == 0 && (!payload[n] || payload[n] == ' ');
}

static void set_timer(struct worker *w)
{
	uint64_t now = clock_now_ns(), due = w->held->end_ns;
	uint64_t ms = due > now ? (due - now + NS_PER_MS - 1) / NS_PER_MS : 0;

	uv_update_time(&w->program->loop);
	uv_timer_start(&w->hold_timer, worker_hold_cb, ms, 0);
}

void worker_hold(struct worker *w, struct worker_job *job, const char *key, const char *payload)
{
	const struct workload *load = &w->program->options->workload;

	job->key = key ? workload_key_number(load, key) : -1;
	job->queued = job->key == (int)load->mutex_keys;
	if (job->key < 0 || !same_key(key, payload))
		jobs_page_add(&w->page->mutex_wrong_keys, 1);
	if (job->key >= 0)
		jobs_page_hold(w->page, (unsigned)job->key);
	job->end_ns = clock_now_ns() + load->hold_ns;
	*w->held_last = job;
	w->held_last = &job->next;
	if (w->held == job)
		set_timer(w);
}

void worker_hold_cb(uv_timer_t *timer)
{
	struct worker *w = timer->data;
	uint64_t now = clock_now_ns();

	while (w->held && w->held->end_ns <= now) {
		struct worker_job *job = w->held;

		w->held = job->next;
		if (!w->held)
			w->held_last = &w->held;
		job->next = NULL;
		if (job->key >= 0)
			jobs_page_unhold(w->page, (unsigned)job->key);
		worker_ran(w, job);
	}
	if (w->held)
		set_timer(w);
	worker_step(w);
}
