/* CPU time of trees of real processes, against what the kernel says of the children at their end.
 */
#include "config.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "measure/cputime.h"
#include "measure/proctree.h"
#include "measure_help.h"

struct watch {
	struct keeper keeper;
	struct proctree tree;
	struct cputime cpu;
};

static void watch_begin(struct watch *w, void (*program)(void *), void *arg)
{
	memset(w, 0, sizeof(*w));
	keeper_start(&w->keeper, program, arg);
	assert_int_equal(proctree_init(&w->tree, "/proc", w->keeper.pid), 0);
	keeper_release(&w->keeper);
}

static uint64_t watch_read(struct watch *w)
{
	uint64_t before = w->cpu.total_ns;

	assert_int_equal(proctree_read(&w->tree), 0);
	cputime_update(&w->cpu, &w->tree);
	assert_true(w->cpu.total_ns >= before);
	return w->cpu.total_ns;
}

static void watch_end(struct watch *w)
{
	proctree_release(&w->tree);
	keeper_end(&w->keeper);
}

/* |total - truth| <= 2 % + ticks */
static void assert_near(uint64_t total, uint64_t truth, unsigned ticks)
{
	uint64_t limit = truth / 50 + procfs_ticks_ns(ticks);
	uint64_t off = total > truth ? total - truth : truth - total;

	if (off > limit)
		print_error("total %llu truth %llu\n", (unsigned long long)total,
			    (unsigned long long)truth);
	assert_true(off <= limit);
}

/* Polls until nothing but the keeper is left, then compares. */
static void follow_to_end(struct watch *w, unsigned ticks)
{
	uint64_t truth, deadline = deadline_in(10000);
	struct procstat st;

	do {
		watch_read(w);
		st = proctree_find(&w->tree, w->tree.root)->stat;
		poll_pause();
		assert_false(deadline_passed(deadline));
	} while (w->tree.n > 1 || st.cutime + st.cstime == 0);
	truth = keeper_wait(&w->keeper);
	assert_near(watch_read(w), truth, ticks);
}

static void half_burner(void *arg)
{
	const unsigned *ms = arg;

	for (unsigned done = 0; done < *ms; done += 5) {
		burn_ms(5);
		usleep(5000);
	}
}

static void test_half_a_core(void **state)
{
	unsigned ms = 300;
	struct watch w;

	(void)state;
	watch_begin(&w, half_burner, &ms);
	follow_to_end(&w, 2);
	assert_true(w.cpu.total_ns >= 290 * NS_PER_MS);
	assert_int_equal(w.cpu.lost_ns, 0);
	watch_end(&w);
}

static void *burn_thread(void *arg)
{
	(void)arg;
	burn_ms(120);
	return NULL;
}

static void four_threads(void *arg)
{
	pthread_t threads[4];

	(void)arg;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, burn_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	/* The time of threads that ended stays with the process. */
	pause();
}

static void test_four_threads(void **state)
{
	uint64_t deadline = deadline_in(10000);
	struct watch w;

	(void)state;
	watch_begin(&w, four_threads, NULL);
	while (watch_read(&w) < 475 * NS_PER_MS) {
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	assert_int_equal(w.tree.n, 2);
	assert_true(w.tree.procs[1]->threaded || w.tree.procs[0]->threaded);
	watch_end(&w);
}

static void many_children(void *arg)
{
	(void)arg;
	for (int i = 0; i < 150; i++) {
		pid_t pid = fork_burner(2);

		waitpid(pid, NULL, 0);
	}
}

static void test_short_children(void **state)
{
	struct watch w;

	(void)state;
	watch_begin(&w, many_children, NULL);
	follow_to_end(&w, 2);
	assert_int_equal(w.cpu.lost_ns, 0);
	watch_end(&w);
}

/* Nothing is read between the beginning and the end. */
static void test_unseen_children(void **state)
{
	uint64_t truth;
	struct watch w;

	(void)state;
	watch_begin(&w, many_children, NULL);
	truth = keeper_wait(&w.keeper);
	assert_near(watch_read(&w), truth, 2);
	watch_end(&w);
}

static void orphans(void *arg)
{
	(void)arg;
	if (fork() == 0) {
		fork_burner(60);
		_exit(0);
	}
	fork_burner(60);
	burn_ms(20);
}

/* Children of parents that ended come to the keeper. */
static void test_orphans(void **state)
{
	struct watch w;

	(void)state;
	watch_begin(&w, orphans, NULL);
	follow_to_end(&w, 2);
	assert_true(w.cpu.total_ns >= 118 * NS_PER_MS);
	watch_end(&w);
}

static void zombie_maker(void *arg)
{
	(void)arg;
	fork_burner(80);
	pause();
}

static void test_zombie_counts(void **state)
{
	uint64_t deadline = deadline_in(10000);
	char st = 0;
	struct watch w;

	(void)state;
	watch_begin(&w, zombie_maker, NULL);
	while (st != 'Z') {
		watch_read(&w);
		for (size_t i = 0; i < w.tree.n; i++)
			if (w.tree.procs[i]->stat.state == 'Z')
				st = 'Z';
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	assert_true(watch_read(&w) >= 80 * NS_PER_MS);
	assert_int_equal(w.tree.n, 3);
	watch_end(&w);
}

static void ignorer(void *arg)
{
	const unsigned *ms = arg;

	signal(SIGCHLD, SIG_IGN);
	fork_burner(*ms);
	pause();
}

/* Their time is in no ledger; what was seen of it stays and is known as lost. */
static void test_ignored_children(void **state)
{
	uint64_t deadline = deadline_in(10000);
	unsigned ms = 150;
	struct watch w;

	(void)state;
	watch_begin(&w, ignorer, &ms);
	while (w.tree.exits == 0) {
		watch_read(&w);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	watch_read(&w);
	assert_true(w.cpu.lost_ns > 100 * NS_PER_MS);
	assert_true(w.cpu.total_ns >= w.cpu.lost_ns);
	assert_true(cputime_is_gap(w.cpu.total_ns, w.cpu.lost_ns, w.cpu.slack_ns));
	watch_end(&w);
}

static void test_gap_limits(void **state)
{
	(void)state;
	assert_false(cputime_is_gap(1000 * NS_PER_MS, 0, 0));
	assert_false(cputime_is_gap(100 * NS_PER_MS, 20 * NS_PER_MS, 0));
	assert_true(cputime_is_gap(100 * NS_PER_MS, 21 * NS_PER_MS, 0));
	assert_false(cputime_is_gap(10000 * NS_PER_MS, 150 * NS_PER_MS, 0));
	assert_true(cputime_is_gap(10000 * NS_PER_MS, 250 * NS_PER_MS, 0));
	assert_false(cputime_is_gap(100 * NS_PER_MS, 50 * NS_PER_MS, 60 * NS_PER_MS));
}

/* A clock that goes back (that of a process that exits has done so in other tools' readings) is no
 * negative time, and no giant one. */
static void test_falling_clock(void **state)
{
	struct proc root = {.pid = 10}, child = {.pid = 11};
	struct proc *procs[] = {&root, &child};
	struct proctree t = {.root = 10, .procs = procs, .n = 2};
	struct cputime c = {.total_ns = 0};

	(void)state;
	child.cpu_ns = 500 * NS_PER_MS;
	cputime_update(&c, &t);
	assert_int_equal(c.total_ns, 500 * NS_PER_MS);
	child.cpu_ns = 100 * NS_PER_MS;
	cputime_update(&c, &t);
	assert_int_equal(c.total_ns, 500 * NS_PER_MS);
	child.cpu_ns = 700 * NS_PER_MS;
	cputime_update(&c, &t);
	assert_int_equal(c.total_ns, 700 * NS_PER_MS);
	assert_int_equal(c.lost_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_a_core),      cmocka_unit_test(test_four_threads),
		cmocka_unit_test(test_short_children),   cmocka_unit_test(test_unseen_children),
		cmocka_unit_test(test_orphans),          cmocka_unit_test(test_zombie_counts),
		cmocka_unit_test(test_ignored_children), cmocka_unit_test(test_gap_limits),
		cmocka_unit_test(test_falling_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
