/* cputop-load with a real MariaDB or MySQL: TEST_DIALECT says which. */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "loadproc.h"
#include "myserver.h"

#define INSERTING \
	"select count(*) from information_schema.processlist where info like 'insert into job%'"

static struct pgserver server;
static struct rig rig;

static int teardown(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

/* No poll comes: each job is heard of by its hint. */
static void test_hints(void **state)
{
	struct jobs_counts c;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "1000");
	rig_loads(&rig, 1, "100", ARGS("--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 300);
	rig_drain(&rig);
	rig_assert_once(&rig);
	jobs_page_read(rig.page, &c);
	assert_int_equal(c.polls, 0);
	assert_true(c.notifications >= 200);
	assert_true(histogram_quantile(&c.latency, 0.9) < 20 * NS_PER_S);
	rig_quit(&rig);
}

/* Enqueue, claim, what it took, completion; an idle claim now and then. */
static void test_statements(void **state)
{
	struct jobs_counts c;
	double statements;

	(void)state;
	rig_open(&rig, &server, "skiplocked", "1000");
	rig_loads(&rig, 1, "20", ARGS("--names=1000"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 60);
	rig_drain(&rig);
	rig_assert_once(&rig);
	jobs_page_read(rig.page, &c);
	statements = (double)(c.worker_statements + c.producer_statements);
	assert_true(statements / (double)c.completed > 3.5);
	assert_true(statements / (double)c.completed < 4.3);
	assert_true(c.claims - c.claims_empty <= c.completed);
	rig_quit(&rig);
}

/* As many claims for a wake-up as there are names. */
static void test_pername(void **state)
{
	struct jobs_counts c;

	(void)state;
	rig_open(&rig, &server, "pername", "200");
	rig_loads(&rig, 1, "5", ARGS("--names=200", "--poll-interval=60"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 10);
	rig_drain(&rig);
	rig_assert_once(&rig);
	jobs_page_read(rig.page, &c);
	/* the last sweeps are cut short; two wake-ups may have been one */
	assert_true(c.claims >= 60 * c.completed);
	assert_true(c.claims <= 200 * (c.notifications + 1));
	rig_quit(&rig);
}

/* A port of loopback that nobody reads. */
static int deaf_port(unsigned *port)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memset(&a, 0, sizeof(a));
	a.sin_family = AF_INET;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

/* Hints that get lost cost a poll interval at most. */
static void test_lost_hints(void **state)
{
	struct jobs_counts c;
	unsigned port;
	int fd = deaf_port(&port);

	(void)state;
	rig_open(&rig, &server, "skiplocked", "100");
	rig_loads(&rig, 1, "20", ARGS("--names=100", "--poll-interval=0.5"));
	atomic_store(&rig.page->hint_ports[0], port);
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 60);
	rig_drain(&rig);
	rig_assert_once(&rig);
	jobs_page_read(rig.page, &c);
	assert_int_equal(c.notifications, 0);
	assert_true(c.polls >= 3);
	assert_true(histogram_quantile(&c.latency, 0.5) > 100 * NS_PER_MS);
	assert_true(c.latency.max_ns < 2 * NS_PER_S);
	rig_quit(&rig);
	close(fd);
}

static void run(const char *sql)
{
	struct outcome out;

	run_sql(&rig.loop, rig.db, sql, &out);
	assert_string_equal(out.error, "");
}

static unsigned datagrams(int fd)
{
	unsigned n = 0;
	char byte;

	while (recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) >= 0)
		n++;
	return n;
}

static void wait_until_it_is(const char *sql, long n)
{
	uint64_t end = clock_now_ns() + 20 * NS_PER_S;

	while (sql_number(&rig.loop, rig.db, sql) != n) {
		assert_true(clock_now_ns() < end);
		usleep(10000);
	}
}

/* Jobs that are acknowledged in the same instant are one hint. */
static void test_one_hint_for_many(void **state)
{
	struct loadproc *worker = &rig.loads[0], *producer = &rig.loads[1];
	unsigned port;
	int fd = deaf_port(&port);

	(void)state;
	rig_open(&rig, &server, "skiplocked", "100");
	rig_loads(&rig, 1, "max",
		  ARGS("--names=100", "--backlog=4", "--pool=4", "--poll-interval=0.2"));
	atomic_store(&rig.page->hint_ports[0], port);
	run("lock tables job write");
	rig_start(&rig);
	/* all are sent, and later all are answered */
	wait_until_it_is(INSERTING, 4);
	assert_int_equal(kill(producer->pid, SIGSTOP), 0);
	run("unlock tables");
	wait_until_it_is("select count(*) from job where seq is not null", 4);
	wait_until_it_is(INSERTING, 0);
	loadproc_send(producer, "stop");
	assert_int_equal(kill(producer->pid, SIGCONT), 0);
	loadproc_expect(producer, "stopped", NULL, 0);
	assert_int_equal(page_get(&rig.page->enqueued), 4);
	rig_wait(&rig, &rig.page->completed, 4);
	loadproc_send(worker, "stop");
	loadproc_expect(worker, "stopped", NULL, 0);
	rig_assert_once(&rig);
	rig_quit(&rig);
	assert_int_equal(datagrams(fd), 1);
	close(fd);
}

/* Hints that have piled up are one wake-up. */
static void test_many_hints_are_one(void **state)
{
	struct loadproc *worker = &rig.loads[0];
	struct sockaddr_in a;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)state;
	rig_open(&rig, &server, "skiplocked", "100");
	rig_loads(&rig, 1, "0", ARGS("--names=100", "--poll-interval=60"));
	rig_start(&rig);
	memset(&a, 0, sizeof(a));
	a.sin_family = AF_INET;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)page_get(&rig.page->hint_ports[0]));
	assert_int_equal(kill(worker->pid, SIGSTOP), 0);
	for (int i = 0; i < 20; i++)
		assert_int_equal(sendto(fd, "", 1, 0, (struct sockaddr *)&a, sizeof(a)), 1);
	assert_int_equal(kill(worker->pid, SIGCONT), 0);
	rig_wait(&rig, &rig.page->claims_empty, 1);
	rig_drain(&rig);
	assert_int_equal(page_get(&rig.page->notifications), 1);
	assert_int_equal(page_get(&rig.page->claims), 1);
	rig_quit(&rig);
	close(fd);
}

/* A lock that comes too late is no failure: 1205, again. */
static void test_lock_timeout(void **state)
{
	(void)state;
	rig_open(&rig, &server, "skiplocked", "100");
	run("set global lock_wait_timeout = 1");
	rig_loads(&rig, 1, "50", ARGS("--names=100", "--poll-interval=0.5"));
	rig_start(&rig);
	rig_wait(&rig, &rig.page->completed, 20);
	run("lock tables job write");
	rig_wait(&rig, &rig.page->retried, 1);
	rig_wait(&rig, &rig.page->enqueue_retried, 1);
	run("unlock tables; set global lock_wait_timeout = 86400");
	rig_wait(&rig, &rig.page->completed, 60);
	rig_drain(&rig);
	rig_assert_once(&rig);
	rig_quit(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
		TEST(test_hints),
		TEST(test_statements),
		TEST(test_pername),
		TEST(test_lost_hints),
		TEST(test_lock_timeout),
		TEST(test_one_hint_for_many),
		TEST(test_many_hints_are_one),
	};
	int failed = 1;

	if (!myserver_find(&server, TEST_DIALECT))
		return 0;
	loadproc_variants();
	if (myserver_start(&server) == 0)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	pgserver_stop(&server);
	return failed;
}
