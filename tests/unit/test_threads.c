/* A database server that is one process: its threads, on fixtures of /proc. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "measure/measure.h"
#include "measure/parts.h"
#include "measure/procfs.h"
#include "measure_help.h"
#include "sample_help.h"

#define KEEPER 10
#define SERVER 20

static char *dir;

static void put(pid_t pid, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%d/%s", (int)pid, name);
	put_file(dir, path, text);
}

/* The stat file of a process, or of a thread of the server. All have the keeper above them. */
static void put_stat(pid_t pid, pid_t tid, const char *comm, unsigned ms, unsigned start)
{
	uint64_t ticks = ms * NS_PER_MS / procfs_ticks_ns(1);
	char name[64], text[512];

	snprintf(text, sizeof(text), "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 %d 0 %u 0 0\n",
		 (int)(tid ? tid : pid), comm, pid == KEEPER ? 1 : KEEPER, (unsigned)ticks,
		 pid == KEEPER ? 1 : 9, start);
	snprintf(name, sizeof(name), tid ? "task/%d/stat" : "stat", (int)tid);
	put(pid, name, text);
}

/* A thread of the server with its CPU time and context switches. */
static void put_thread(pid_t tid, const char *comm, uint64_t us, unsigned start)
{
	char name[64], text[256];

	put_stat(SERVER, tid, comm, 0, start);
	snprintf(name, sizeof(name), "task/%d/schedstat", (int)tid);
	snprintf(text, sizeof(text), "%llu 5 6\n", (unsigned long long)(us * NS_PER_US));
	put(SERVER, name, text);
	snprintf(name, sizeof(name), "task/%d/status", (int)tid);
	snprintf(text, sizeof(text),
		 "Name:\tx\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t1\n",
		 (int)tid);
	put(SERVER, name, text);
}

static void end_thread(pid_t tid)
{
	static const char *const files[] = {"stat", "schedstat", "status", ""};
	char path[512];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%d/task/%d/%s", dir, SERVER, (int)tid, files[i]);
		assert_int_equal(remove(path), 0);
	}
}

static struct measure *begin(const char *server)
{
	struct measure_options options = {.counters = COUNTERS_NONE, .cpu = CPU_CLOCKS};
	struct err err = {0};
	struct measure *m;
	char text[64];

	dir = make_dir();
	put_stat(KEEPER, 0, "cputop-keeper", 0, 5);
	put(KEEPER, "cmdline", "cputop-keeper");
	put(KEEPER, "task/10/children", "20 ");
	put_stat(SERVER, 0, server, 500, 7);
	snprintf(text, sizeof(text), "/usr/sbin/%s", server);
	put(SERVER, "cmdline", text);
	options.proc_root = dir;
	options.sys_root = dir;
	m = measure_new(&options, &err);
	assert_non_null(m);
	assert_int_equal(measure_add_role(m, ROLE_DATABASE, KEEPER, &err), 0);
	return m;
}

static void end(struct measure *m)
{
	measure_free(m);
	remove_dir(dir);
}

static bool has_thread(const struct sample *s, pid_t tid)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (s->rows[i].tid == tid)
			return true;
	return false;
}

/* It must be there. */
static const struct proc_row *thread_of(const struct sample *s, pid_t tid)
{
	size_t i = 0;

	assert_true(has_thread(s, tid));
	while (s->rows[i].tid != tid)
		i++;
	return &s->rows[i];
}

static enum part part_of(const struct sample *s, pid_t tid)
{
	return thread_of(s, tid)->part;
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		enum part part;
		bool known;
	} cases[] = {
		{"connection", PART_CONNECTION, true},
		{"ib_log_writer", PART_LOG_WRITER, true},
		{"ib_log_wr_notif", PART_LOG_WRITER, true},
		{"ib_log_flush", PART_LOG_FLUSHER, true},
		{"ib_log_fl_notif", PART_LOG_FLUSHER, true},
		{"ib_log_checkpt", PART_CHECKPOINTER, true},
		{"ib_log_files_g", PART_OTHER, false},
		{"ib_pg_flush_co", PART_PAGE_CLEANER, true},
		{"ib_srv_purge", PART_PURGE, true},
		{"ib_srv_wkr-1", PART_PURGE, true},
		{"ib_srv_mon", PART_OTHER, false},
		{"ib_io_rd-12", PART_IO, true},
		{"ib_io_wr-1", PART_IO, true},
		{"ib_io_ibuf", PART_IO, true},
		{"sig_handler", PART_SIGNAL, true},
		{"evt_sched", PART_OTHER, false},
		{"mysqld", PART_OTHER, false},
		{"", PART_OTHER, false},
	};
	enum part part;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(part_from_thread_name(cases[i].name, &part), cases[i].known);
		assert_int_equal(part, cases[i].part);
	}
	assert_true(title_is_thread_server("/usr/sbin/mysqld --port=1"));
	assert_true(title_is_thread_server("mariadbd"));
	assert_false(title_is_thread_server("/usr/bin/mysqld_safe --port=1"));
	assert_false(title_is_thread_server("/usr/lib/postgresql/15/bin/postgres -D x"));
	assert_true(part_from_backend_type("connection", &part));
	assert_int_equal(part, PART_CONNECTION);
}

static void test_mysql(void **state)
{
	struct measure *m = begin("mysqld");
	struct usage_diff d;
	struct sample a, b;

	(void)state;
	put_thread(20, "mysqld", 100000, 7);
	put_thread(21, "ib_log_writer", 20000, 8);
	put_thread(22, "connection", 30000, 9);
	put_thread(23, "a) R 1 2 (x", 1000, 9);
	put_thread(24, "with space)", 2000, 9);
	put_thread(25, "mysqld", 0, 9);
	read_sample(m, MEASURE_EDGE, &a);
	/* The whole, and its threads. */
	assert_int_equal(a.nrows, 7);
	assert_int_equal(a.rows[0].tid, 0);
	assert_false(a.rows[0].thread);
	assert_string_equal(a.rows[0].title, "/usr/sbin/mysqld");
	assert_int_equal(a.rows[0].usage.cpu_ns.v, 500 * NS_PER_MS);
	assert_int_equal(a.roles[ROLE_DATABASE].total.processes, 1);
	assert_int_equal(part_of(&a, 20), PART_BACKGROUND);
	assert_int_equal(part_of(&a, 21), PART_LOG_WRITER);
	assert_int_equal(part_of(&a, 22), PART_CONNECTION);
	assert_int_equal(part_of(&a, 23), PART_OTHER);
	assert_string_equal(thread_of(&a, 23)->comm, "a) R 1 2 (x");
	assert_int_equal(thread_of(&a, 23)->start, 9);
	assert_int_equal(part_of(&a, 24), PART_OTHER);
	assert_string_equal(thread_of(&a, 24)->comm, "with space)");
	assert_int_equal(part_of(&a, 25), PART_BACKGROUND);
	assert_true(thread_of(&a, 22)->thread);
	assert_int_equal(thread_of(&a, 22)->usage.cpu_ns.v, 30 * NS_PER_MS);
	/* Context switches of all threads, not of the first alone. */
	assert_int_equal(a.rows[0].usage.context_switches.v, 20 + 21 + 22 + 23 + 24 + 25 + 6);
	assert_int_equal(a.roles[ROLE_DATABASE].total.context_switches.v,
			 a.rows[0].usage.context_switches.v);
	/* One names itself late, and one gets work. */
	put_thread(25, "connection", 5000, 9);
	put_thread(22, "connection", 60000, 9);
	put_stat(SERVER, 0, "mysqld", 540, 7);
	read_sample(m, MEASURE_EDGE, &b);
	sample_diff(&a, &b, &d);
	assert_int_equal(part_of(&b, 25), PART_CONNECTION);
	assert_int_equal(d.roles[ROLE_DATABASE].cpu_ns.v, 40 * NS_PER_MS);
	assert_int_equal(d.parts[PART_CONNECTION].cpu_ns.v, 35 * NS_PER_MS);
	assert_int_equal(d.parts[PART_CONNECTION].processes, 2);
	assert_int_equal(d.parts[PART_LOG_WRITER].cpu_ns.v, 0);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 5 * NS_PER_MS);
	assert_false(d.has_part[PART_NONE]);
	sample_release(&a);
	sample_release(&b);
	end(m);
}

/* The list of connections tells; who is not in it is background, and is not asked for again. */
static void test_mariadb(void **state)
{
	static const struct part_row map[] = {
		{0, 21, PART_CONNECTION}, {22, 22, PART_MONITOR}, {SERVER, 99, PART_CONNECTION}};
	struct measure *m = begin("mariadbd");
	struct usage_diff d;
	struct sample a, b;

	(void)state;
	put_thread(20, "mariadbd", 100000, 7);
	put_thread(21, "mariadbd", 10000, 8);
	put_thread(22, "mariadbd", 20000, 8);
	put_thread(23, "mariadbd", 30000, 8);
	read_sample(m, 0, &a);
	assert_int_equal(part_of(&a, 21), PART_BACKGROUND);
	assert_true(measure_wants_map(m));
	measure_set_map(m, map, 3);
	assert_false(measure_wants_map(m));
	sample_release(&a);
	read_sample(m, 0, &a);
	assert_int_equal(part_of(&a, 20), PART_BACKGROUND);
	assert_int_equal(part_of(&a, 21), PART_CONNECTION);
	assert_int_equal(part_of(&a, 22), PART_MONITOR);
	assert_int_equal(part_of(&a, 23), PART_BACKGROUND);
	assert_false(measure_wants_map(m));
	/* What the monitor used before it was one stays in the total. */
	assert_int_equal(a.roles[ROLE_DATABASE].total.cpu_ns.v, 500 * NS_PER_MS);
	put_thread(21, "mariadbd", 25000, 8);
	put_thread(22, "mariadbd", 70000, 8);
	put_thread(23, "mariadbd", 35000, 8);
	put_stat(SERVER, 0, "mariadbd", 570, 7);
	read_sample(m, 0, &b);
	sample_diff(&a, &b, &d);
	assert_int_equal(d.roles[ROLE_DATABASE].cpu_ns.v, 20 * NS_PER_MS);
	assert_int_equal(d.parts[PART_MONITOR].cpu_ns.v, 50 * NS_PER_MS);
	assert_int_equal(d.parts[PART_CONNECTION].cpu_ns.v, 15 * NS_PER_MS);
	assert_int_equal(d.parts[PART_BACKGROUND].cpu_ns.v, 5 * NS_PER_MS);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 0);
	sample_release(&a);
	sample_release(&b);
	end(m);
}

/* The thread of a monitor that has gone serves another connection. */
static void test_monitor_thread_kept(void **state)
{
	static const struct part_row monitor = {0, 21, PART_MONITOR};
	static const struct part_row other = {0, 21, PART_CONNECTION};
	struct measure *m = begin("mariadbd");
	int64_t switches;
	struct sample s;

	(void)state;
	put_thread(20, "mariadbd", 100000, 7);
	put_thread(21, "mariadbd", 0, 8);
	read_sample(m, MEASURE_EDGE, &s);
	switches = s.roles[ROLE_DATABASE].total.context_switches.v;
	sample_release(&s);
	measure_set_map(m, &monitor, 1);
	put_thread(21, "mariadbd", 40000, 8);
	put_stat(SERVER, 0, "mariadbd", 540, 7);
	read_sample(m, MEASURE_EDGE, &s);
	assert_int_equal(s.roles[ROLE_DATABASE].total.cpu_ns.v, 500 * NS_PER_MS);
	assert_int_equal(s.roles[ROLE_DATABASE].total.context_switches.v, switches);
	sample_release(&s);
	measure_set_map(m, &other, 1);
	put_thread(21, "mariadbd", 70000, 8);
	put_stat(SERVER, 0, "mariadbd", 570, 7);
	read_sample(m, MEASURE_EDGE, &s);
	assert_int_equal(part_of(&s, 21), PART_CONNECTION);
	assert_int_equal(s.roles[ROLE_DATABASE].total.cpu_ns.v, 530 * NS_PER_MS);
	assert_int_equal(s.roles[ROLE_DATABASE].total.context_switches.v, switches);
	sample_release(&s);
	/* It ends: what was taken out stays out. */
	measure_set_map(m, &monitor, 1);
	put_thread(21, "mariadbd", 80000, 8);
	put_stat(SERVER, 0, "mariadbd", 580, 7);
	read_sample(m, MEASURE_EDGE, &s);
	sample_release(&s);
	end_thread(21);
	read_sample(m, MEASURE_EDGE, &s);
	assert_false(has_thread(&s, 21));
	assert_int_equal(s.roles[ROLE_DATABASE].total.cpu_ns.v, 530 * NS_PER_MS);
	assert_int_equal(s.roles[ROLE_DATABASE].total.context_switches.v, switches);
	sample_release(&s);
	end(m);
}

/* What a thread used that has ended is with the exited; its tid may be another's by then. */
static void test_ended_and_reused(void **state)
{
	static const struct part_row map[] = {{0, 21, PART_CONNECTION}, {0, 22, PART_CONNECTION}};
	struct measure *m = begin("mariadbd");
	struct usage_diff d;
	struct sample a, b;
	size_t ia = 0;

	(void)state;
	put_thread(20, "mariadbd", 100000, 7);
	put_thread(21, "mariadbd", 10000, 8);
	put_thread(22, "mariadbd", 90000, 8);
	read_sample(m, MEASURE_EDGE, &a);
	sample_release(&a);
	measure_set_map(m, map, 2);
	read_sample(m, MEASURE_EDGE, &a);
	end_thread(21);
	put_thread(22, "mariadbd", 4000, 9); /* another one */
	put_stat(SERVER, 0, "mariadbd", 520, 7);
	read_sample(m, MEASURE_EDGE, &b);
	sample_diff(&a, &b, &d);
	assert_false(has_thread(&b, 21));
	assert_int_equal(part_of(&b, 22), PART_BACKGROUND);
	assert_null(sample_row_before(&a, &ia, thread_of(&b, 22)));
	assert_true(measure_wants_map(m));
	assert_int_equal(d.parts[PART_BACKGROUND].cpu_ns.v, 4 * NS_PER_MS);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 16 * NS_PER_MS);
	assert_true(value_known(d.roles[ROLE_DATABASE].context_switches));
	/* 22 again: a thread of so many switches more. */
	assert_int_equal(d.roles[ROLE_DATABASE].context_switches.v, 23);
	sample_release(&a);
	sample_release(&b);
	end(m);
}

/* What was read of a connection that ends stays a connection's; the rest is with the exited. One
 * that nobody knew, and one that had ended before, add nothing. */
static void test_ended_keeps_its_part(void **state)
{
	static const struct part_row map[] = {{0, 21, PART_CONNECTION}, {0, 22, PART_CONNECTION}};
	static const struct part_row late = {0, 23, PART_CONNECTION};
	struct measure *m = begin("mariadbd");
	struct usage_diff d;
	struct sample a, b, c;

	(void)state;
	put_thread(20, "mariadbd", 100000, 7);
	put_thread(21, "mariadbd", 10000, 8);
	put_thread(22, "mariadbd", 90000, 8);
	read_sample(m, MEASURE_EDGE, &a);
	sample_release(&a);
	measure_set_map(m, map, 2);
	read_sample(m, MEASURE_EDGE, &a);
	/* One goes on, one is born, and one that no map knows. */
	put_thread(21, "mariadbd", 15000, 8);
	put_thread(23, "mariadbd", 3000, 9);
	put_stat(SERVER, 0, "mariadbd", 510, 7);
	read_sample(m, 0, &b);
	sample_release(&b);
	measure_set_map(m, &late, 1);
	put_thread(24, "mariadbd", 2000, 9);
	put_stat(SERVER, 0, "mariadbd", 520, 7);
	read_sample(m, 0, &b);
	sample_release(&b);
	end_thread(21);
	end_thread(23);
	end_thread(24);
	put_stat(SERVER, 0, "mariadbd", 530, 7);
	read_sample(m, MEASURE_EDGE, &b);
	sample_diff(&a, &b, &d);
	assert_false(has_thread(&b, 21));
	assert_int_equal(d.roles[ROLE_DATABASE].cpu_ns.v, 30 * NS_PER_MS);
	assert_int_equal(d.parts[PART_CONNECTION].cpu_ns.v, 8 * NS_PER_MS);
	assert_int_equal(d.parts[PART_CONNECTION].processes, 1);
	assert_int_equal(d.parts[PART_CONNECTION].instructions.state, VALUE_NONE);
	assert_int_equal(d.parts[PART_BACKGROUND].cpu_ns.v, 0);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 22 * NS_PER_MS);
	assert_true(value_known(d.parts[PART_CONNECTION].context_switches));
	sample_copy(&c, &b);
	sample_release(&a);
	put_stat(SERVER, 0, "mariadbd", 540, 7);
	read_sample(m, MEASURE_EDGE, &a);
	sample_diff(&c, &a, &d);
	assert_int_equal(d.parts[PART_CONNECTION].cpu_ns.v, 0);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, 10 * NS_PER_MS);
	sample_release(&a);
	sample_release(&b);
	sample_release(&c);
	end(m);
}

/* Only so many are remembered; of the others all is with the exited. */
static void test_many_ended(void **state)
{
	enum { MANY = 600 };
	struct measure *m = begin("mysqld");
	struct usage_diff d;
	struct sample a, b;

	(void)state;
	put_thread(20, "mysqld", 100000, 7);
	read_sample(m, MEASURE_EDGE, &a);
	for (int i = 0; i < MANY; i++)
		put_thread(100 + i, "connection", 1000, 8);
	put_stat(SERVER, 0, "mysqld", 500 + MANY, 7);
	read_sample(m, 0, &b);
	sample_release(&b);
	for (int i = 0; i < MANY; i++)
		end_thread(100 + i);
	read_sample(m, MEASURE_EDGE, &b);
	sample_diff(&a, &b, &d);
	assert_int_equal(b.ended_count, MANY);
	assert_int_equal(d.roles[ROLE_DATABASE].cpu_ns.v, MANY * NS_PER_MS);
	assert_int_equal(d.parts[PART_CONNECTION].cpu_ns.v, b.nended * NS_PER_MS);
	assert_int_equal(d.parts[PART_EXITED].cpu_ns.v, (MANY - b.nended) * NS_PER_MS);
	assert_true(b.nended < MANY);
	sample_release(&a);
	sample_release(&b);
	end(m);
}

/* Where the kernel keeps no account in ns, ticks have to do. */
static void test_without_schedstat(void **state)
{
	struct measure *m = begin("mysqld");
	struct sample s;

	(void)state;
	put_stat(SERVER, 20, "mysqld", 120, 7);
	put_stat(SERVER, 21, "connection", 30, 7);
	put(SERVER, "task/21/schedstat", "0 0 0\n");
	put(SERVER, "task/22/stat", "22 (cut");
	read_sample(m, MEASURE_EDGE, &s);
	assert_int_equal(s.nrows, 3);
	assert_int_equal(thread_of(&s, 20)->usage.cpu_ns.v, 120 * NS_PER_MS);
	assert_int_equal(thread_of(&s, 21)->usage.cpu_ns.v, 30 * NS_PER_MS);
	assert_int_equal(thread_of(&s, 21)->usage.context_switches.state, VALUE_UNREADABLE);
	sample_release(&s);
	end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_mysql),
		cmocka_unit_test(test_mariadb),
		cmocka_unit_test(test_monitor_thread_kept),
		cmocka_unit_test(test_ended_and_reused),
		cmocka_unit_test(test_ended_keeps_its_part),
		cmocka_unit_test(test_many_ended),
		cmocka_unit_test(test_without_schedstat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
