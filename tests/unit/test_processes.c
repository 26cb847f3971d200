/* The lines of processes: which have figures, and over what time. */
#include "config.h"

#include "result/processes.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/xalloc.h"
#include "measure_help.h"
#include "model/model.h"
#include "sample_help.h"

#define SERVER  "/usr/sbin/mysqld --port=1"
#define THREADS 3
#define BURNT   (100 * NS_PER_MS)
#define ROW_MAX 8

static struct model *model;

static int setup(void **state)
{
	(void)state;
	model = xcalloc(1, sizeof(*model));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(model->processes);
	free(model);
	return 0;
}

/* Reads until the time since a is enough for a rate. */
static void read_later(struct measure *m, const struct sample *a, struct sample *b)
{
	uint64_t deadline = deadline_in(20000);

	for (;;) {
		read_sample(m, 0, b);
		if (sample_rate_ns(a, b))
			return;
		sample_release(b);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

/* ---- a server whose threads become rows after they have run for long ---- */

static void *burn_and_stay(void *arg)
{
	burn_ms(BURNT / NS_PER_MS);
	atomic_fetch_add((_Atomic unsigned *)arg, 1);
	wait_for_ever();
	return NULL;
}

static char **the_argv;

/* It takes the name of a server of threads when it is told to. */
static int be_server(int burnt_fd)
{
	_Atomic unsigned *burnt = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, burnt_fd, 0);
	size_t room = strlen(the_argv[0]) + 1 + strlen(the_argv[1]) + 1;
	pthread_t t;
	sigset_t set;
	int sig;

	if (burnt == MAP_FAILED)
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t, NULL, burn_and_stay, (void *)burnt);
	sigwait(&set, &sig);
	memset(the_argv[0], 0, room);
	snprintf(the_argv[0], room, "%s", SERVER);
	wait_for_ever();
	return 0;
}

static void exec_server(void *arg)
{
	char fd[80];

	snprintf(fd, sizeof(fd), "%d with-room-for-a-longer-title-than-this", *(int *)arg);
	execl(own_path(), "not-yet", fd, (char *)NULL);
	_exit(1);
}

/* Reads until the server is so many rows. */
static void read_rows(struct measure *m, size_t rows, struct sample *s)
{
	uint64_t deadline = deadline_in(20000);

	for (;;) {
		read_sample(m, MEASURE_TITLES, s);
		if (s->nrows == rows && s->rows[0].title &&
		    (rows > 1 || strncmp(s->rows[0].title, "not-yet", 7) == 0))
			return;
		sample_release(s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

/* Nothing is known of what they did since the tick before, nor of the first of them, which was the
 * row of all; then they have figures, and not those since they began. */
static void test_new_threads_have_no_figures(void **state)
{
	uint64_t deadline = deadline_in(20000);
	int fd = memfd_create("burnt", 0);
	_Atomic unsigned *burnt;
	struct sample a, b, c;
	struct measure *m;
	struct keeper k;

	(void)state;
	assert_int_equal(ftruncate(fd, 4096), 0);
	burnt = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(burnt, MAP_FAILED);
	m = measure_begin(CPU_CLOCKS, &k, ROLE_DATABASE, exec_server, &fd);
	while (atomic_load(burnt) < THREADS) {
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	read_rows(m, 1, &a);
	processes_fill(model, NULL, &a);
	assert_int_equal(model->nprocesses, 1);
	assert_int_equal(model->processes[0].cpu_ns_s.state, VALUE_NONE);
	assert_int_equal(kill(a.rows[0].pid, SIGUSR1), 0);
	read_rows(m, THREADS + 2, &b);
	sample_release(&b);
	read_later(m, &a, &b);
	processes_fill(model, &a, &b);
	assert_int_equal(model->nprocesses, THREADS + 2);
	for (size_t i = 0; i < model->nprocesses; i++) {
		assert_int_equal(b.rows[i].tid == 0, i == 0);
		assert_true(value_known(b.rows[i].usage.cpu_ns));
		assert_int_equal(model->processes[i].cpu_ns_s.state, VALUE_NONE);
	}
	read_later(m, &b, &c);
	processes_fill(model, &b, &c);
	for (size_t i = 0; i < model->nprocesses; i++) {
		uint64_t length = c.taken_ns - b.taken_ns;

		assert_true(figure_known(model->processes[i].cpu_ns_s));
		assert_true(model->processes[i].cpu_ns_s.v * (double)length / 1e9 < BURNT / 2);
	}
	sample_release(&a);
	sample_release(&b);
	sample_release(&c);
	measure_end(m, &k);
	munmap((void *)burnt, 4096);
	close(fd);
}

/* ---- one reading, one time ---- */

static void spinners(void *arg)
{
	(void)arg;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < THREADS; i++) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			burn_ms(60000);
		}
	}
	wait_for_ever();
}

static uint64_t cpu_clock_ns(pid_t pid)
{
	struct timespec t;

	assert_int_equal(clock_gettime((clockid_t)(~(unsigned)pid << 3 | 2u), &t), 0);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* A reading with what the clocks were just before and after it. */
struct bracket {
	struct sample s;
	uint64_t time[2], cpu[2][THREADS + 1];
};

static void read_bracket(struct measure *m, const struct sample *rows, struct bracket *b)
{
	b->time[0] = monotonic_ns();
	for (size_t i = 0; i < rows->nrows; i++)
		b->cpu[0][i] = cpu_clock_ns(rows->rows[i].pid);
	read_sample(m, 0, &b->s);
	for (size_t i = 0; i < rows->nrows; i++)
		b->cpu[1][i] = cpu_clock_ns(rows->rows[i].pid);
	b->time[1] = monotonic_ns();
	assert_int_equal(b->s.nrows, rows->nrows);
	assert_true(b->s.taken_ns >= b->time[0] && b->s.taken_ns <= b->time[1]);
}

/* Each row is read in each reading, and its rate is what it used between the two over the one time
 * between them, on the monotonic clock. */
static void test_rows_share_the_time_of_their_reading(void **state)
{
	uint64_t deadline = deadline_in(20000);
	struct bracket a, b;
	struct sample rows;
	struct measure *m;
	struct keeper k;

	(void)state;
	m = measure_begin(CPU_CLOCKS, &k, ROLE_WORKER, spinners, NULL);
	read_sample(m, 0, &rows);
	while (rows.nrows < THREADS + 1) {
		assert_false(deadline_passed(deadline));
		poll_pause();
		sample_release(&rows);
		read_sample(m, 0, &rows);
	}
	for (int round = 0; round < 5; round++) {
		read_bracket(m, &rows, &a);
		read_later(m, &a.s, &b.s);
		sample_release(&b.s);
		read_bracket(m, &rows, &b);
		processes_fill(model, &a.s, &b.s);
		for (size_t i = 0; sample_rate_ns(&a.s, &b.s) && i < rows.nrows; i++) {
			double ns = model->processes[i].cpu_ns_s.v *
				    (double)(b.s.taken_ns - a.s.taken_ns) / 1e9;

			assert_true(ns >= (double)b.cpu[0][i] - (double)a.cpu[1][i] - 1e3);
			assert_true(ns <= (double)b.cpu[1][i] - (double)a.cpu[0][i] + 1e3);
		}
		sample_release(&a.s);
		sample_release(&b.s);
	}
	sample_release(&rows);
	measure_end(m, &k);
}

/* ---- on made-up samples ---- */

static void add_row(struct sample *s, pid_t pid, pid_t tid, uint64_t start, int64_t cpu_ns)
{
	if (!s->rows)
		s->rows = xcalloc(ROW_MAX, sizeof(*s->rows));
	s->rows[s->nrows] = (struct proc_row){.pid = pid,
					      .tid = tid,
					      .start = start,
					      .role = ROLE_DATABASE,
					      .thread = tid != pid,
					      .comm = "x"};
	s->rows[s->nrows++].usage.cpu_ns = value_of(cpu_ns);
}

/* A rate needs a tenth of a second, and readings that are short against it. */
static void test_time_of_a_rate(void **state)
{
	static const struct {
		uint64_t length_ms, cost_a_ms, cost_b_ms;
		bool known;
	} cases[] = {
		{0, 0, 0, false},    {1, 0, 0, false},    {94, 1, 1, false},
		{95, 1, 1, true},    {1000, 1, 1, true},  {100, 25, 25, true},
		{100, 26, 1, false}, {100, 1, 26, false}, {60000, 9, 26, true},
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		struct sample a = {.taken_ns = NS_PER_S, .wall_ns = 5 * NS_PER_S}, b = a;
		struct figure f;

		a.cost_ns = cases[n].cost_a_ms * NS_PER_MS;
		b.cost_ns = cases[n].cost_b_ms * NS_PER_MS;
		b.taken_ns += cases[n].length_ms * NS_PER_MS;
		b.wall_ns = 1; /* set back: it measures nothing */
		add_row(&a, 7, 7, 1, 1000000);
		add_row(&b, 7, 7, 1, 3000000);
		processes_fill(model, &a, &b);
		f = model->processes[0].cpu_ns_s;
		assert_int_equal(f.state, cases[n].known ? VALUE_OK : VALUE_NONE);
		if (cases[n].known)
			assert_true(f.v > 0.999e9 * 2 / (double)cases[n].length_ms &&
				    f.v < 1.001e9 * 2 / (double)cases[n].length_ms);
		/* The later one before the earlier one. */
		processes_fill(model, &b, &a);
		assert_int_equal(model->processes[0].cpu_ns_s.state, VALUE_NONE);
		sample_release(&a);
		sample_release(&b);
	}
}

static void test_who_is_new(void **state)
{
	struct sample a = {.taken_ns = 1}, b = {.taken_ns = 1 + NS_PER_S};
	const struct process_line *p;

	(void)state;
	add_row(&a, 7, 7, 1, 5000);
	add_row(&a, 8, 9, 1, 5000);
	add_row(&b, 6, 6, 3, 300); /* a process that began after the first reading */
	add_row(&b, 7, 7, 2, 200); /* another life of the pid */
	add_row(&b, 8, 0, 1, 100); /* it has threads now */
	b.rows[2].thread = false;
	add_row(&b, 8, 9, 2, 100);  /* another life of the tid */
	add_row(&b, 8, 10, 1, 100); /* a new thread */
	processes_fill(model, &a, &b);
	p = model->processes;
	assert_int_equal(p[0].cpu_ns_s.state, VALUE_OK);
	assert_true(p[0].cpu_ns_s.v > 299 && p[0].cpu_ns_s.v < 301);
	assert_int_equal(p[1].cpu_ns_s.state, VALUE_OK);
	assert_true(p[1].cpu_ns_s.v > 199 && p[1].cpu_ns_s.v < 201);
	for (int i = 2; i < 5; i++)
		assert_int_equal(p[i].cpu_ns_s.state, VALUE_NONE);
	sample_release(&a);
	sample_release(&b);
}

/* Bytes of another encoding and escapes are written out; a long title ends with a whole letter. */
static void test_titles(void **state)
{
	struct sample s = {.taken_ns = 1};
	char title[400];
	size_t len;

	(void)state;
	add_row(&s, 7, 7, 1, 0);
	s.rows[0].title = xstrdup("postgres: gar\xe7on caf\xe9 \x1b[2J");
	for (size_t shift = 0; shift < 2; shift++) {
		add_row(&s, (pid_t)(8 + shift), (pid_t)(8 + shift), 1, 0);
		memset(title, 'x', sizeof(title));
		for (size_t i = shift; i + 2 < sizeof(title); i += 2)
			memcpy(title + i, "\xc3\xa7", 2);
		title[sizeof(title) - 1] = '\0';
		s.rows[1 + shift].title = xstrdup(title);
	}
	processes_fill(model, NULL, &s);
	assert_string_equal(model->processes[0].title, "postgres: gar\\xe7on caf\\xe9 \\x1b[2J");
	for (size_t i = 1; i < 3; i++) {
		len = strlen(model->processes[i].title);
		assert_true(len >= 126);
		assert_int_equal((unsigned char)model->processes[i].title[len - 1], 0xa7);
	}
	sample_release(&s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_new_threads_have_no_figures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows_share_the_time_of_their_reading, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_time_of_a_rate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_who_is_new, setup, teardown),
		cmocka_unit_test_setup_teardown(test_titles, setup, teardown),
	};

	the_argv = argv;
	if (strcmp(argv[0], "not-yet") == 0)
		return argc < 2 ? 1 : be_server((int)strtol(argv[1], NULL, 10));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
