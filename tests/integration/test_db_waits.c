/* The client for MariaDB and MySQL where the server keeps it waiting: TEST_DIALECT says which. */
#include "config.h"

#include "db/db.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "myserver.h"

#define WAITING  12
#define LIMIT_NS (5 * NS_PER_S) /* less than any time-out of the client's */

static struct pgserver server;

struct fixture {
	uv_loop_t loop;
	struct db_dsn dsn;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	uv_loop_init(&f->loop);
	pgserver_dsn(&server, "", &f->dsn);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	close_all(&f->loop, NULL);
	free(f);
	return 0;
}

/* Many wait for one, which goes on all the same. */
static void test_lock(void **state)
{
	struct fixture *f = *state;
	struct db *holder = open_db(&f->loop, &f->dsn), *db[WAITING];
	struct outcome held, out[WAITING] = {{0}};

	run_sql(&f->loop, holder,
		"drop database if exists cputop_test; create database cputop_test;"
		"create table cputop_test.w (i int); insert into cputop_test.w values (0);"
		"begin; update cputop_test.w set i = 1",
		&held);
	assert_string_equal(held.error, "");
	for (int i = 0; i < WAITING; i++)
		db[i] = open_db(&f->loop, &f->dsn);
	for (int i = 0; i < WAITING; i++)
		db_query(db[i], "update cputop_test.w set i = i + 1", outcome_cb, &out[i]);
	run_sql(&f->loop, holder, "commit", &held);
	assert_string_equal(held.error, "");
	for (int i = 0; i < WAITING; i++) {
		run_until(&f->loop, &out[i].calls);
		assert_string_equal(out[i].error, "");
		db_close(db[i], NULL, NULL);
	}
	assert_int_equal(sql_number(&f->loop, holder, "select i from cputop_test.w"), WAITING + 1);
	db_close(holder, NULL, NULL);
}

/* ---- closing what waits ---- */

static void closed_cb(void *arg)
{
	++*(unsigned *)arg;
}

static void assert_closes(struct fixture *f, struct db *db, const struct outcome *out)
{
	uint64_t begin = clock_now_ns();
	unsigned closed = 0;

	db_close(db, closed_cb, &closed);
	run_until(&f->loop, &closed);
	assert_true(clock_now_ns() - begin < LIMIT_NS);
	assert_int_equal(out->calls, 1);
	assert_int_equal(out->status, DB_BROKEN);
}

/* Until the server has the statement that db runs. */
static void wait_for_sleep(struct fixture *f, struct db *other, const struct db *db)
{
	uint64_t end = clock_now_ns() + LIMIT_NS;
	char sql[200];

	snprintf(sql, sizeof(sql),
		 "select count(*) from information_schema.processlist where id = %lld and state "
		 "like 'User sleep%%'",
		 (long long)db_backend_pid(db));
	while (sql_number(&f->loop, other, sql) == 0)
		assert_true(clock_now_ns() < end);
}

static void test_close_busy(void **state)
{
	struct fixture *f = *state;
	struct db *other = open_db(&f->loop, &f->dsn), *db;
	struct outcome prepared = {0}, out;

	for (int binary = 0; binary < 2; binary++) {
		db = open_db(&f->loop, &f->dsn);
		memset(&out, 0, sizeof(out));
		if (binary) {
			db_prepare(db, "sleep", "select sleep(60)", outcome_cb, &prepared);
			run_until(&f->loop, &prepared.calls);
			db_exec(db, "sleep", 0, NULL, outcome_cb, &out);
		} else {
			db_query(db, "select sleep(60)", outcome_cb, &out);
		}
		wait_for_sleep(f, other, db);
		assert_closes(f, db, &out);
	}
	db_close(other, NULL, NULL);
}

/* ---- a server that falls silent ---- */

static struct sockaddr_in loopback(unsigned port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons((uint16_t)port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int silent_server(struct db_dsn *dsn)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_in a = loopback(0);
	socklen_t size = sizeof(a);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	dsn->port = ntohs(a.sin_port);
	return fd;
}

/* What a real one says first. */
static size_t greeting(char *buf, size_t size)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = loopback(server.port);
	ssize_t n;

	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	n = recv(fd, buf, size, 0);
	assert_true(n > 0);
	close(fd);
	return (size_t)n;
}

static int accept_one(uv_loop_t *loop, int listener)
{
	uint64_t end = clock_now_ns() + LIMIT_NS;
	int fd;

	while ((fd = accept(listener, NULL, NULL)) < 0 && clock_now_ns() < end) {
		uv_run(loop, UV_RUN_NOWAIT);
		usleep(1000);
	}
	assert_true(fd >= 0);
	return fd;
}

static void test_close_connecting(void **state)
{
	struct fixture *f = *state;
	struct outcome out = {0};
	struct err err = {0, ""};
	int listener = silent_server(&f->dsn), fd;
	struct db *db = db_open(&f->loop, &f->dsn, "x", outcome_cb, &out, &err);

	assert_non_null(db);
	fd = accept_one(&f->loop, listener);
	assert_closes(f, db, &out);
	close(fd);
	close(listener);
}

static void test_timeout(void **state)
{
	struct fixture *f = *state;
	struct outcome out = {0};
	struct err err = {0, ""};
	char packet[1000];
	size_t n = greeting(packet, sizeof(packet));
	int listener = silent_server(&f->dsn), fd;
	struct db *db = db_open(&f->loop, &f->dsn, "x", outcome_cb, &out, &err);

	assert_non_null(db);
	fd = accept_one(&f->loop, listener);
	assert_int_equal(send(fd, packet, n, MSG_NOSIGNAL), n);
	run_until(&f->loop, &out.calls);
	assert_non_null(strstr(out.error, "did not answer"));
	assert_true(db_broken(db));
	assert_closes(f, db, &out);
	close(fd);
	close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_lock),
		TEST(test_close_busy),
		TEST(test_close_connecting),
		TEST(test_timeout),
	};
	int failed = 1;

	if (!myserver_find(&server, TEST_DIALECT))
		return 0;
	db_expect(TEST_DIALECT, WAITING + 1);
	if (myserver_start(&server) == 0)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	pgserver_stop(&server);
	return failed;
}
