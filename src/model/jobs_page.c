#include "config.h"

#include "model/jobs_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"

#define SEALS     (F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)
#define RAN_WORDS (JOBS_PAGE_SEQS / 64)

static struct jobs_page *map_fd(int fd, struct err *err)
{
	void *p = mmap(NULL, sizeof(struct jobs_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED)
		return p;
	err_set(err, -errno, "cannot map the shared page of jobs: %s; free some memory",
		strerror(errno));
	return NULL;
}

struct jobs_page *jobs_page_create(int *fd, struct err *err)
{
	struct jobs_page *page;

	*fd = memfd_create("cputop-jobs", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, sizeof(struct jobs_page)) < 0 ||
	    fcntl(*fd, F_ADD_SEALS, SEALS) < 0) {
		err_set(err, -errno,
			"cannot make the shared page of jobs: %s; it needs memfd_create (Linux "
			"3.17) and %zu bytes",
			strerror(errno), sizeof(struct jobs_page));
		goto fail;
	}
	page = map_fd(*fd, err);
	if (!page)
		goto fail;
	page->magic = JOBS_PAGE_MAGIC;
	page->version = JOBS_PAGE_VERSION;
	page->size = sizeof(*page);
	return page;
fail:
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return NULL;
}

struct jobs_page *jobs_page_map(int fd, struct err *err)
{
	struct jobs_page *page;
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	/* an unsealed file could be cut short below us, and each access then kill the process */
	if (seals < 0 || (seals & SEALS) != SEALS) {
		err_set(err, -EPERM,
			"descriptor %d is not a sealed page of jobs; start it from cputop", fd);
		return NULL;
	}
	if (fstat(fd, &st) < 0 || st.st_size != (off_t)sizeof(struct jobs_page)) {
		err_set(err, -EPROTO,
			"the page of jobs does not have %zu bytes; install cputop and cputop-load "
			"from one build",
			sizeof(struct jobs_page));
		return NULL;
	}
	page = map_fd(fd, err);
	if (!page)
		return NULL;
	if (page->magic != JOBS_PAGE_MAGIC || page->version != JOBS_PAGE_VERSION ||
	    page->size != sizeof(*page)) {
		err_set(err, -EPROTO,
			"the page of jobs has version %u, not %u; install cputop and cputop-load "
			"from one build",
			page->version, JOBS_PAGE_VERSION);
		jobs_page_unmap(page);
		return NULL;
	}
	return page;
}

void jobs_page_unmap(struct jobs_page *page)
{
	if (page)
		munmap(page, sizeof(*page));
}

/* One table for copying and subtracting: a field in the page, the same in the counts. */
#define COUNT(field)                                                                   \
	{                                                                              \
		offsetof(struct jobs_page, field), offsetof(struct jobs_counts, field) \
	}
static const struct {
	size_t page, counts;
} counts[] = {
	COUNT(enqueued),         COUNT(enqueue_failed),
	COUNT(late_jobs),        COUNT(completed),
	COUNT(failed),           COUNT(retried),
	COUNT(duplicates),       COUNT(worker_statements),
	COUNT(worker_commits),   COUNT(producer_statements),
	COUNT(producer_commits), COUNT(claims),
	COUNT(claims_empty),     COUNT(polls),
	COUNT(prunes),           COUNT(rescues),
	COUNT(notifications),    COUNT(queue_completed),
	COUNT(mutex_overlaps),   COUNT(mutex_wrong_keys),
};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static uint64_t *count_at(struct jobs_counts *c, size_t i)
{
	return (uint64_t *)(void *)((char *)c + counts[i].counts);
}

static uint64_t count_of(const struct jobs_counts *c, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)c + counts[i].counts);
}

static void read_histogram(const struct shared_histogram *h, struct histogram *out)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		out->n[i] = jobs_page_get(&h->n[i]);
		out->count += out->n[i];
	}
	out->sum_ns = jobs_page_get(&h->sum_ns);
	out->sum2_us = (double)jobs_page_get(&h->sum2_us);
	out->max_ns = jobs_page_get(&h->max_ns);
}

void jobs_page_read(const struct jobs_page *page, struct jobs_counts *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < COUNTS; i++)
		*count_at(out, i) =
			jobs_page_get((const _Atomic uint64_t *)(const void *)((const char *)page +
									       counts[i].page));
	out->retried += jobs_page_get(&page->enqueue_retried);
	read_histogram(&page->latency, &out->latency);
	read_histogram(&page->lateness, &out->lateness);
}

static void subtract(struct histogram *from, const struct histogram *h)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		from->n[i] -= h->n[i];
	from->count -= h->count;
	from->sum_ns -= h->sum_ns;
	from->sum2_us -= h->sum2_us;
}

void jobs_counts_diff(const struct jobs_counts *a, const struct jobs_counts *b,
		      struct jobs_counts *out)
{
	struct jobs_counts d = *b;

	for (size_t i = 0; i < COUNTS; i++)
		*count_at(&d, i) -= count_of(a, i);
	subtract(&d.latency, &a->latency);
	subtract(&d.lateness, &a->lateness);
	*out = d;
}

uint64_t jobs_counts_waiting(const struct jobs_counts *c)
{
	/* a job can be completed before its enqueueing was acknowledged */
	uint64_t ended = c->completed - c->queue_completed + c->failed;

	return c->enqueued > ended ? c->enqueued - ended : 0;
}

void jobs_page_hold(struct jobs_page *page, unsigned key)
{
	if (atomic_fetch_add_explicit(&page->holders[key], 1, memory_order_relaxed) > 0)
		jobs_page_add(&page->mutex_overlaps, 1);
}

void jobs_page_unhold(struct jobs_page *page, unsigned key)
{
	atomic_fetch_sub_explicit(&page->holders[key], 1, memory_order_relaxed);
}

void jobs_page_queue(struct jobs_page *page, uint64_t now_ns)
{
	uint64_t before =
		atomic_fetch_add_explicit(&page->queue_completed, 1, memory_order_relaxed);

	if (before + 1 == page->queued)
		atomic_store_explicit(&page->queue_empty_ns, now_ns, memory_order_relaxed);
}

bool jobs_page_mark(struct jobs_page *page, uint64_t seq)
{
	uint64_t bit = 1ULL << seq % 64, before;
	size_t word = seq / 64 % RAN_WORDS;
	size_t ahead = (word + RAN_WORDS / 2) % RAN_WORDS;

	/* what stands half the ring ahead is from the last time round: it is cleared before its
	 * turn comes */
	if (jobs_page_get(&page->ran[ahead]))
		atomic_store_explicit(&page->ran[ahead], 0, memory_order_relaxed);
	before = atomic_fetch_or_explicit(&page->ran[word], bit, memory_order_relaxed);
	return !(before & bit);
}

void shared_histogram_add(struct shared_histogram *h, uint64_t ns)
{
	double us = (double)ns / 1e3;
	uint64_t max = jobs_page_get(&h->max_ns);

	jobs_page_add(&h->n[histogram_bucket(ns)], 1);
	jobs_page_add(&h->sum_ns, ns);
	jobs_page_add(&h->sum2_us, (uint64_t)(us * us + 0.5));
	while (ns > max &&
	       !atomic_compare_exchange_weak_explicit(&h->max_ns, &max, ns, memory_order_relaxed,
						      memory_order_relaxed))
		continue;
}
