#include "config.h"

#include "model/jobs_page.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"

struct fixture {
	struct jobs_page *page;
	int fd;
};

static int make_page(void **state)
{
	static struct fixture f;
	struct err err = {0};

	f.page = jobs_page_create(&f.fd, &err);
	*state = &f;
	return f.page ? 0 : -1;
}

static int drop_page(void **state)
{
	struct fixture *f = *state;

	jobs_page_unmap(f->page);
	return close(f->fd);
}

static void is_sealed_and_shared(void **state)
{
	struct fixture *f = *state;
	struct err err = {0};
	struct jobs_page *other = jobs_page_map(f->fd, &err);

	assert_non_null(other);
	assert_true(fcntl(f->fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(ftruncate(f->fd, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(f->fd, (off_t)sizeof(*other) * 2), -1);
	assert_int_equal(fcntl(f->fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	atomic_fetch_add(&other->completed, 3);
	assert_int_equal(atomic_load(&f->page->completed), 3);
	jobs_page_unmap(other);
	jobs_page_unmap(NULL);
}

static void is_shared_between_processes(void **state)
{
	struct fixture *f = *state;
	struct jobs_counts c;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct jobs_page *mine = jobs_page_map(f->fd, NULL);

		if (!mine || !jobs_page_mark(mine, 5))
			_exit(1);
		atomic_fetch_add(&mine->enqueued, 7);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	jobs_page_read(f->page, &c);
	assert_int_equal(c.enqueued, 7);
	assert_false(jobs_page_mark(f->page, 5));
}

static void assert_refused(int fd, int code)
{
	struct err err = {0};

	assert_null(jobs_page_map(fd, &err));
	assert_int_equal(err.code, code);
	assert_true(strlen(err.text) > 10);
}

static int memfd(off_t size, int seals)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static void refuses_other_files(void **state)
{
	off_t size = (off_t)sizeof(struct jobs_page);
	int all = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
	const int partly[] = {0, F_SEAL_GROW | F_SEAL_SEAL, F_SEAL_SHRINK | F_SEAL_SEAL};
	const struct {
		uint32_t magic, version;
		uint64_t size;
	} head = {JOBS_PAGE_MAGIC, JOBS_PAGE_VERSION, sizeof(struct jobs_page)};
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(partly) / sizeof(partly[0]); i++) {
		fd = memfd(size, partly[i]);
		assert_refused(fd, -EPERM);
		close(fd);
	}
	fd = memfd(size - 1, all);
	assert_refused(fd, -EPROTO);
	close(fd);
	fd = memfd(size + 1, all);
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	assert_refused(fd, -EPROTO);
	close(fd);
	fd = memfd(size, all); /* right in size, but without its head */
	assert_refused(fd, -EPROTO);
	close(fd);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_refused(fd, -EPERM);
	close(fd);
	assert_refused(-1, -EPERM);
}

static void refuses_another_version(void **state)
{
	struct fixture *f = *state;

	f->page->version++;
	assert_refused(f->fd, -EPROTO);
	f->page->version--;
	f->page->magic++;
	assert_refused(f->fd, -EPROTO);
	f->page->magic--;
	f->page->size--;
	assert_refused(f->fd, -EPROTO);
}

/* Each count has a value of its own, so that a swapped field shows. */
static void fill(struct jobs_page *p, uint64_t n)
{
	p->enqueued = 1 * n;
	p->enqueue_failed = 2 * n;
	p->late_jobs = 3 * n;
	p->producer_statements = 6 * n;
	p->producer_commits = 7 * n;
	p->completed = 8 * n;
	p->failed = 9 * n;
	p->retried = 10 * n;
	p->duplicates = 11 * n;
	p->worker_statements = 12 * n;
	p->worker_commits = 13 * n;
	p->claims = 14 * n;
	p->claims_empty = 15 * n;
	p->polls = 16 * n;
	p->prunes = 17 * n;
	p->rescues = 18 * n;
	p->notifications = 17 * n;
}

static void assert_counts(const struct jobs_counts *c, uint64_t n)
{
	assert_int_equal(c->enqueued, 1 * n);
	assert_int_equal(c->enqueue_failed, 2 * n);
	assert_int_equal(c->late_jobs, 3 * n);
	assert_int_equal(c->producer_statements, 6 * n);
	assert_int_equal(c->producer_commits, 7 * n);
	assert_int_equal(c->completed, 8 * n);
	assert_int_equal(c->failed, 9 * n);
	assert_int_equal(c->retried, 10 * n);
	assert_int_equal(c->duplicates, 11 * n);
	assert_int_equal(c->worker_statements, 12 * n);
	assert_int_equal(c->worker_commits, 13 * n);
	assert_int_equal(c->claims, 14 * n);
	assert_int_equal(c->claims_empty, 15 * n);
	assert_int_equal(c->polls, 16 * n);
	assert_int_equal(c->prunes, 17 * n);
	assert_int_equal(c->rescues, 18 * n);
	assert_int_equal(c->notifications, 17 * n);
}

static void counts_are_read_and_subtracted(void **state)
{
	struct fixture *f = *state;
	static struct jobs_counts a, b, d;

	fill(f->page, 10);
	jobs_page_read(f->page, &a);
	assert_counts(&a, 10);
	fill(f->page, 13);
	jobs_page_read(f->page, &b);
	jobs_counts_diff(&a, &b, &d);
	assert_counts(&d, 3);
	/* the result may be one of the two */
	jobs_counts_diff(&a, &b, &b);
	assert_memory_equal(&b, &d, sizeof(d));
}

static void latencies(void **state)
{
	struct fixture *f = *state;
	static struct jobs_counts a, b, d;

	shared_histogram_add(&f->page->latency, 2000000);
	jobs_page_read(f->page, &a);
	shared_histogram_add(&f->page->latency, 1000000);
	shared_histogram_add(&f->page->latency, 3000000);
	shared_histogram_add(&f->page->latency, 1000000);
	jobs_page_read(f->page, &b);
	assert_int_equal(b.latency.count, 4);
	assert_int_equal(b.latency.max_ns, 3000000);
	jobs_counts_diff(&a, &b, &d);
	assert_int_equal(d.latency.count, 3);
	assert_int_equal(d.latency.sum_ns, 5000000);
	assert_int_equal(d.latency.max_ns, 3000000);
	assert_int_equal(d.latency.n[histogram_bucket(1000000)], 2);
	assert_int_equal(d.latency.n[histogram_bucket(2000000)], 0);
	assert_true(fabs(d.latency.sum2_us - 11e6) < 1);
	/* lateness is apart from it */
	assert_int_equal(d.lateness.count, 0);
	shared_histogram_add(&f->page->lateness, 7000);
	jobs_page_read(f->page, &a);
	jobs_counts_diff(&b, &a, &d);
	assert_int_equal(d.lateness.count, 1);
	assert_int_equal(d.lateness.max_ns, 7000);
	assert_int_equal(d.latency.count, 0);
	/* after cputop took the maximum, the next one counts from 0 */
	assert_int_equal(atomic_exchange(&f->page->latency.max_ns, 0), 3000000);
	shared_histogram_add(&f->page->latency, 5);
	assert_int_equal(atomic_load(&f->page->latency.max_ns), 5);
}

static void waiting(void **state)
{
	struct jobs_counts c = {.enqueued = 10, .completed = 6, .failed = 1};

	(void)state;
	assert_int_equal(jobs_counts_waiting(&c), 3);
	c.completed = 10;
	assert_int_equal(jobs_counts_waiting(&c), 0);
}

/* Two of a key at a time overlap, whoever runs them; what came from --queued is no backlog. */
static void keys(void **state)
{
	struct fixture *f = *state;
	static struct jobs_counts c;

	jobs_page_hold(f->page, 3);
	jobs_page_hold(f->page, 4);
	jobs_page_unhold(f->page, 3);
	jobs_page_hold(f->page, 3);
	assert_int_equal(atomic_load(&f->page->mutex_overlaps), 0);
	jobs_page_hold(f->page, 3);
	jobs_page_unhold(f->page, 3);
	jobs_page_hold(f->page, 3);
	assert_int_equal(atomic_load(&f->page->mutex_overlaps), 2);
	jobs_page_hold(f->page, WORKLOAD_KEYS_MAX);
	f->page->queued = 2;
	jobs_page_queue(f->page, 100);
	assert_int_equal(atomic_load(&f->page->queue_empty_ns), 0);
	jobs_page_queue(f->page, 200);
	jobs_page_queue(f->page, 300);
	assert_int_equal(atomic_load(&f->page->queue_empty_ns), 200);
	jobs_page_add(&f->page->enqueued, 5);
	jobs_page_add(&f->page->completed, 4);
	jobs_page_read(f->page, &c);
	assert_int_equal(c.mutex_overlaps, 2);
	assert_int_equal(jobs_counts_waiting(&c), 4);
}

static void marks_find_what_ran_twice(void **state)
{
	struct fixture *f = *state;

	for (uint64_t seq = 0; seq < 1000; seq++)
		assert_true(jobs_page_mark(f->page, seq));
	for (uint64_t seq = 0; seq < 1000; seq++)
		assert_false(jobs_page_mark(f->page, seq));
	assert_true(jobs_page_mark(f->page, 1000));
}

/* Past the end of the ring the bits of the first time round are gone, and the newer half is still
 * exact. */
static void marks_wrap(void **state)
{
	struct fixture *f = *state;
	uint64_t end = 2ULL * JOBS_PAGE_SEQS + 100;
	uint64_t wrong = 0;

	for (uint64_t seq = 0; seq < end; seq++)
		wrong += !jobs_page_mark(f->page, seq);
	assert_int_equal(wrong, 0);
	for (uint64_t seq = end - JOBS_PAGE_SEQS / 2 + 64; seq < end; seq++)
		wrong += jobs_page_mark(f->page, seq);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_sealed_and_shared, make_page, drop_page),
		cmocka_unit_test_setup_teardown(is_shared_between_processes, make_page, drop_page),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test_setup_teardown(refuses_another_version, make_page, drop_page),
		cmocka_unit_test_setup_teardown(counts_are_read_and_subtracted, make_page,
						drop_page),
		cmocka_unit_test_setup_teardown(latencies, make_page, drop_page),
		cmocka_unit_test(waiting),
		cmocka_unit_test_setup_teardown(keys, make_page, drop_page),
		cmocka_unit_test_setup_teardown(marks_find_what_ran_twice, make_page, drop_page),
		cmocka_unit_test_setup_teardown(marks_wrap, make_page, drop_page),
	};

	return cmocka_run_group_tests_name("jobs_page", tests, NULL, NULL);
}
