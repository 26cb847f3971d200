/* The threads of a real MariaDB or MySQL as parts of the database, while connections come and go:
 * TEST_DIALECT says which. Its keeper is the test's own; the server is two below it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "../unit/measure_help.h"
#include "../unit/sample_help.h"
#include "lib/clock.h"
#include "lib/err.h"
#include "measure/measure.h"
#include "measure/parts.h"
#include "myserver.h"

#define CONNECTIONS 6
#define WORK        "select benchmark(200000, sha2('x', 256))"

static const char *const map_sql[DIALECT_COUNT] = {
	[DIALECT_MARIADB] = "select group_concat(tid, ' ', if(id = connection_id(), 'monitor', "
			    "'connection') separator ',') from information_schema.processlist "
			    "where user <> 'system user' and command <> 'Daemon'",
	[DIALECT_MYSQL] =
		"select group_concat(thread_os_id, ' ', if(processlist_id = "
		"connection_id(), 'monitor', 'connection') separator ',') "
		"from performance_schema.threads where name = 'thread/sql/one_connection'",
};

static struct pgserver *server; /* shared with the process that starts it */
static struct keeper keeper;
static struct measure *m;
static uv_loop_t loop;
static struct db *monitor;

static void run_server(void *arg)
{
	(void)arg;
	if (myserver_start(server) < 0)
		_exit(1);
	wait_for_ever();
}

static struct db *connect_to_it(void)
{
	struct db_dsn dsn;

	pgserver_dsn(server, "", &dsn);
	return open_db(&loop, &dsn);
}

static void closed_cb(void *arg)
{
	*(unsigned *)arg = 1;
}

static void disconnect(struct db *db)
{
	unsigned closed = 0;

	db_close(db, closed_cb, &closed);
	run_until(&loop, &closed);
}

static void run(struct db *db, const char *sql)
{
	struct outcome out;

	run_sql(&loop, db, sql, &out);
	assert_string_equal(out.error, "");
}

static void read_map(void)
{
	struct part_row rows[64];
	struct outcome out;
	size_t n = 0;

	run_sql(&loop, monitor, map_sql[server->dialect], &out);
	assert_string_equal(out.error, "");
	for (char *save = NULL, *one = strtok_r(out.value, ",", &save); one && n < 64;
	     one = strtok_r(NULL, ",", &save)) {
		char *kind;
		long tid = strtol(one, &kind, 10);

		rows[n] = (struct part_row){(pid_t)tid, (pid_t)tid, PART_OTHER};
		assert_true(part_from_backend_type(kind + 1, &rows[n].part));
		n++;
	}
	assert_true(n > 0);
	measure_set_map(m, rows, n);
}

static uint64_t server_clock(void)
{
	struct timespec ts;
	clockid_t id;

	assert_int_equal(clock_getcpuclockid(server->pid, &id), 0);
	assert_int_equal(clock_gettime(id, &ts), 0);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* The threads never come to more than their process. */
static void check_sum(const struct sample *s)
{
	int64_t sum = 0, whole = -1;
	unsigned threads = 0;

	for (size_t i = 0; i < s->nrows; i++) {
		const struct proc_row *row = &s->rows[i];

		if (row->pid != server->pid)
			continue;
		if (row->tid == 0)
			whole = row->usage.cpu_ns.v;
		else
			sum += row->usage.cpu_ns.v;
		threads += row->thread;
		assert_true(row->tid == 0 || row->thread);
	}
	assert_true(threads > 5);
	assert_true(sum > 0);
	assert_true(sum <= whole);
}

static void read_both(struct sample *s, uint64_t *clock)
{
	read_sample(m, MEASURE_EDGE, s);
	*clock = server_clock();
	check_sum(s);
}

static int64_t part_ns(const struct usage_diff *d, enum part part)
{
	return d->has_part[part] ? d->parts[part].cpu_ns.v : 0;
}

static int64_t sum_of_parts(const struct usage_diff *d)
{
	int64_t sum = 0;

	for (int p = 0; p < PART_COUNT; p++)
		if (p != PART_MONITOR)
			sum += part_ns(d, (enum part)p);
	return sum;
}

static void assert_near(int64_t a, int64_t b, int64_t of)
{
	int64_t apart = a > b ? a - b : b - a;

	if (apart > of / 100 + (int64_t)NS_PER_MS)
		fail_msg("%lld and %lld us are more than 1 %% apart", (long long)a / 1000,
			 (long long)b / 1000);
}

/* Connections that stay: their work is theirs, and what the monitor does is nobody's. */
static void test_kept(void **state)
{
	struct db *db[CONNECTIONS];
	struct usage_diff d;
	struct sample a, b;
	uint64_t from, to;

	(void)state;
	for (int i = 0; i < CONNECTIONS; i++) {
		db[i] = connect_to_it();
		run(db[i], "select 1");
	}
	read_sample(m, 0, &a);
	sample_release(&a);
	read_map();
	read_both(&a, &from);
	for (int i = 0; i < CONNECTIONS; i++)
		run(db[i], WORK);
	run(monitor, WORK);
	read_both(&b, &to);
	sample_diff(&a, &b, &d);
	assert_int_equal(d.parts[PART_CONNECTION].processes, CONNECTIONS);
	assert_int_equal(d.parts[PART_MONITOR].processes, 1);
	assert_near(sum_of_parts(&d), d.roles[ROLE_DATABASE].cpu_ns.v, (int64_t)(to - from));
	assert_near(sum_of_parts(&d) + part_ns(&d, PART_MONITOR), (int64_t)(to - from),
		    (int64_t)(to - from));
	assert_true(part_ns(&d, PART_MONITOR) * 3 > part_ns(&d, PART_CONNECTION) / CONNECTIONS);
	assert_true(part_ns(&d, PART_CONNECTION) * 10 > d.roles[ROLE_DATABASE].cpu_ns.v * 8);
	assert_near(part_ns(&d, PART_EXITED), 0, (int64_t)(to - from));
	assert_true(d.has_part[PART_BACKGROUND]);
	sample_release(&a);
	sample_release(&b);
	for (int i = 0; i < CONNECTIONS; i++)
		disconnect(db[i]);
}

/* Threads that end with their connections: what was read of them stays with their part, and none of
 * it is lost. */
static void test_come_and_go(void **state)
{
	struct usage_diff d;
	struct sample a, b;
	uint64_t from, to;

	(void)state;
	run(monitor, "set global thread_cache_size = 0");
	read_sample(m, 0, &a);
	sample_release(&a);
	read_map();
	read_both(&a, &from);
	for (int i = 0; i < CONNECTIONS; i++) {
		struct db *db = connect_to_it();
		struct sample s;

		run(db, WORK);
		read_sample(m, 0, &s);
		check_sum(&s);
		sample_release(&s);
		read_map();
		disconnect(db);
	}
	read_both(&b, &to);
	sample_diff(&a, &b, &d);
	assert_near(sum_of_parts(&d), d.roles[ROLE_DATABASE].cpu_ns.v, (int64_t)(to - from));
	assert_near(sum_of_parts(&d) + part_ns(&d, PART_MONITOR), (int64_t)(to - from),
		    (int64_t)(to - from));
	assert_true(part_ns(&d, PART_CONNECTION) * 10 > d.roles[ROLE_DATABASE].cpu_ns.v * 8);
	assert_true(part_ns(&d, PART_EXITED) * 10 < d.roles[ROLE_DATABASE].cpu_ns.v * 2);
	assert_true(d.parts[PART_CONNECTION].processes < CONNECTIONS);
	sample_release(&a);
	sample_release(&b);
}

static void wait_for_server(void)
{
	uint64_t deadline = deadline_in(90000);

	while (server->pid <= 0 || !pgserver_answers(server)) {
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

static int begin(void **state)
{
	(void)state;
	m = measure_begin(CPU_CLOCKS, &keeper, ROLE_DATABASE, run_server, NULL);
	wait_for_server();
	uv_loop_init(&loop);
	monitor = connect_to_it();
	return 0;
}

static int end(void **state)
{
	(void)state;
	close_all(&loop, monitor);
	measure_end(m, &keeper);
	server->pid = 0; /* it was the keeper's */
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_come_and_go),
	};
	int failed;

	server = shared_page();
	if (!myserver_find(server, TEST_DIALECT))
		return 0;
	failed = cmocka_run_group_tests(tests, begin, end);
	pgserver_stop(server);
	munmap(server, 4096);
	return failed;
}
