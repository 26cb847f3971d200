/* Several servers beside each other: which one is the database, and where the others' time goes. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "measure/measure.h"
#include "measure_help.h"
#include "sample_help.h"

/* Burns in steps as it is told, so that the test knows how much there must be. */
static void burn_when_told(void *arg)
{
	_Atomic unsigned *told = arg;

	for (unsigned done = 0;; done++) {
		while (atomic_load(told) <= done)
			poll_pause();
		burn_ms(100);
		atomic_fetch_add(told + 1, 1);
	}
}

static void tell(_Atomic unsigned *server)
{
	uint64_t deadline = deadline_in(20000);

	atomic_fetch_add(server, 1);
	while (atomic_load(server + 1) < atomic_load(server)) {
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

static void assert_about_ms(int64_t ns, int64_t ms)
{
	assert_in_range(ns / (int64_t)NS_PER_MS, ms - 5, ms + 50);
}

struct two {
	struct measure *m;
	struct keeper k[2];
	_Atomic unsigned *told[2];
	struct sample s;
};

static void begin(struct two *t, enum cpu_source cpu)
{
	struct measure_options o = {.counters = COUNTERS_NONE, .cpu = cpu};
	struct err err = {0};

	t->m = measure_new(&o, &err);
	assert_non_null(t->m);
	for (unsigned i = 0; i < 2; i++) {
		t->told[i] = shared_page();
		keeper_start(&t->k[i], burn_when_told, (void *)t->told[i]);
		assert_int_equal(measure_add_database(t->m, i, t->k[i].pid, &err), 0);
		keeper_release(&t->k[i]);
	}
}

static void end(struct two *t)
{
	for (unsigned i = 0; i < 2; i++) {
		keeper_end(&t->k[i]);
		munmap((void *)t->told[i], 4096);
	}
	measure_free(t->m);
}

/* The database's and the idle servers' CPU time between two calls. */
static void look(struct two *t, int64_t *database, int64_t *idle)
{
	struct sample s;
	struct usage_diff d;

	read_sample(t->m, MEASURE_EDGE, &s);
	sample_diff(&t->s, &s, &d);
	*database = d.roles[ROLE_DATABASE].cpu_ns.v;
	*idle = (int64_t)d.idle_servers_ns;
	sample_release(&t->s);
	t->s = s;
}

static void switch_to_and_fro(enum cpu_source cpu)
{
	struct two t = {0};
	int64_t database, idle;

	begin(&t, cpu);
	read_sample(t.m, MEASURE_EDGE, &t.s);
	tell(t.told[0]);
	look(&t, &database, &idle);
	assert_about_ms(database, 100);
	assert_about_ms(idle, 5);
	tell(t.told[1]);
	tell(t.told[1]);
	look(&t, &database, &idle);
	assert_about_ms(database, 5);
	assert_about_ms(idle, 200);
	/* What a server used before it became the database is not the window's. */
	measure_select_database(t.m, 1);
	sample_release(&t.s);
	read_sample(t.m, MEASURE_EDGE, &t.s);
	assert_int_equal(t.s.rows[0].role, ROLE_DATABASE);
	tell(t.told[1]);
	tell(t.told[0]);
	tell(t.told[0]);
	look(&t, &database, &idle);
	assert_about_ms(database, 100);
	assert_about_ms(idle, 200);
	measure_select_database(t.m, 0);
	sample_release(&t.s);
	read_sample(t.m, MEASURE_EDGE, &t.s);
	assert_about_ms(t.s.roles[ROLE_DATABASE].total.cpu_ns.v, 300);
	look(&t, &database, &idle);
	assert_about_ms(database + 5 * (int64_t)NS_PER_MS, 5);
	sample_release(&t.s);
	end(&t);
}

static void test_clocks(void **state)
{
	(void)state;
	switch_to_and_fro(CPU_CLOCKS);
}

static void test_any_source(void **state)
{
	(void)state;
	switch_to_and_fro(CPU_AUTO);
}

/* One that ends while it is idle takes nothing with it. */
static void test_idle_ends(void **state)
{
	struct two t = {0};
	int64_t database, idle;

	(void)state;
	begin(&t, CPU_CLOCKS);
	read_sample(t.m, MEASURE_EDGE, &t.s);
	tell(t.told[1]);
	look(&t, &database, &idle);
	assert_about_ms(idle, 100);
	keeper_end(&t.k[1]);
	measure_remove_database(t.m, 1);
	tell(t.told[0]);
	look(&t, &database, &idle);
	assert_about_ms(database, 100);
	assert_in_range(idle, 0, 5 * NS_PER_MS);
	sample_release(&t.s);
	keeper_end(&t.k[0]);
	measure_free(t.m);
	munmap((void *)t.told[0], 4096);
	munmap((void *)t.told[1], 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_any_source),
		cmocka_unit_test(test_idle_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
