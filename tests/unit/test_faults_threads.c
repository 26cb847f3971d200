/* What other tools got wrong with threads, tried on measure with real ones. */
#include "config.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "measure/measure.h"
#include "measure/procfs.h"
#include "measure_help.h"
#include "sample_help.h"

#define SLEEPS 200

static void *live_shortly(void *arg)
{
	(void)arg;
	burn_ms(1);
	return NULL;
}

static void *keep_creating(void *arg)
{
	for (;;) {
		pthread_t t[4];

		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, live_shortly, arg);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
	return NULL;
}

static void churn_threads(void *arg)
{
	pthread_t t;

	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, keep_creating, arg);
	wait_for_ever();
}

/* A thread that vanishes while it is looked at takes nothing with it: no reading, no role, no time.
 */
static void test_threads_come_and_go(void **state)
{
	uint64_t until = deadline_in(1500);
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, churn_threads, NULL);
	int64_t last = 0, first = -1;
	struct sample s;

	(void)state;
	while (!deadline_passed(until)) {
		const struct usage *u;

		read_sample(m, MEASURE_EDGE, &s);
		u = total_of(&s, ROLE_WORKER);
		assert_true(value_known(u->cpu_ns) && u->cpu_ns.v >= last);
		assert_true(value_known(u->context_switches));
		assert_int_equal(u->read_bytes.state, VALUE_OK);
		last = u->cpu_ns.v;
		if (first < 0)
			first = last;
		sample_release(&s);
	}
	assert_true(last - first > (int64_t)(100 * NS_PER_MS));
	measure_end(m, &k);
}

static void *sleep_and_stay(void *arg)
{
	sleep_often(SLEEPS / 4);
	atomic_fetch_add((_Atomic unsigned *)arg, 1);
	wait_for_ever();
	return NULL;
}

static void sleepy_threads(void *arg)
{
	pthread_t t;

	for (int i = 0; i < 4; i++)
		pthread_create(&t, NULL, sleep_and_stay, arg);
	wait_for_ever();
}

/* The switches of all threads of a process, read here without measure. */
static int64_t switches_of_threads(pid_t pid)
{
	char path[64], text[4096];
	struct dirent *e;
	int64_t sum = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	assert_non_null(d);
	while ((e = readdir(d))) {
		uint64_t one;
		ssize_t n;

		if (e->d_name[0] == '.')
			continue; /* task/../status is the first thread's once more */
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/status", (int)pid, e->d_name);
		n = procfs_read(path, text, sizeof(text));
		if (n > 0 && procfs_parse_switches(text, (size_t)n, &one) == 0)
			sum += (int64_t)one;
	}
	closedir(d);
	return sum;
}

/* Not the first thread's: those of all of them. Asleep they stand still, so both must agree. */
static void test_switches_of_all_threads(void **state)
{
	_Atomic unsigned *asleep = shared_page();
	uint64_t deadline = deadline_in(20000);
	struct keeper k;
	struct measure *m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, sleepy_threads, asleep);
	int64_t before = -3, shown = -1, after = -2;
	struct sample s;

	(void)state;
	while (atomic_load(asleep) < 4) {
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	while (shown != before || before != after) {
		read_sample(m, MEASURE_EDGE, &s);
		before = switches_of_threads(s.rows[0].pid);
		sample_release(&s);
		read_sample(m, MEASURE_EDGE, &s);
		shown = s.rows[0].usage.context_switches.v;
		after = switches_of_threads(s.rows[0].pid);
		/* Threads that ended before would be missing. */
		assert_int_equal(s.rows[0].usage.context_switches.state, VALUE_AT_LEAST);
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	assert_true(shown >= SLEEPS);
	measure_end(m, &k);
	munmap((void *)asleep, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_come_and_go),
		cmocka_unit_test(test_switches_of_all_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
