#include "config.h"

#include "loadproc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"

#define DEADLINE_NS (30 * NS_PER_S)
#define ARGS_MAX    32

static const char *program(void)
{
	static char path[4096];
	const char *builddir = getenv("top_builddir");

	snprintf(path, sizeof(path), "%s/cputop-load", builddir ? builddir : ".");
	return path;
}

void loadproc_variants(void)
{
	const char *srcdir = getenv("top_srcdir");
	char dir[4200];

	snprintf(dir, sizeof(dir), "%s/workload", srcdir ? srcdir : ".");
	setenv("CPUTOP_DATADIR", dir, 1);
}

static void exec_load(const char *const *argv, int control, int page_fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* out of the way of 3 and 4 first */
	control = fcntl(control, F_DUPFD, 10);
	page_fd = fcntl(page_fd, F_DUPFD, 10);
	dup2(control, 3);
	dup2(page_fd, 4);
	close(control);
	close(page_fd);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

void loadproc_start(struct loadproc *l, const char *role, int page_fd, const char *variant,
		    const char *const *args)
{
	const char *argv[ARGS_MAX] = {program(),   role, "--control-fd", "3",
				      "--page-fd", "4",  "--variant",    variant};
	unsigned n = 8;
	int pair[2];

	memset(l, 0, sizeof(*l));
	for (; *args && n < ARGS_MAX - 1; args++)
		argv[n++] = *args;
	argv[n] = NULL;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	l->pid = fork();
	assert_true(l->pid >= 0);
	if (l->pid == 0)
		exec_load(argv, pair[1], page_fd);
	close(pair[1]);
	l->control = pair[0];
}

void loadproc_send(struct loadproc *l, const char *line)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s\n", line);

	assert_int_equal(send(l->control, text, (size_t)n, MSG_NOSIGNAL), n);
}

void loadproc_dsn(struct loadproc *l, const struct db_dsn *dsn)
{
	char line[500];

	snprintf(line, sizeof(line), "dsn %s %u %s %s %s %s", dsn->host, dsn->port, dsn->user,
		 dsn->password, dsn->database, dsn->schema);
	loadproc_send(l, line);
}

/* Takes a line off the buffer, reading more when there is none. False at the end. */
static bool next_line(struct loadproc *l, char *out, size_t size, uint64_t end)
{
	for (;;) {
		char *newline = memchr(l->buf, '\n', l->len);
		struct pollfd p = {.fd = l->control, .events = POLLIN};
		ssize_t n;

		if (newline) {
			*newline = '\0';
			snprintf(out, size, "%.1000s", l->buf);
			l->len -= (size_t)(newline + 1 - l->buf);
			memmove(l->buf, newline + 1, l->len);
			return true;
		}
		if (clock_now_ns() > end)
			return false;
		if (poll(&p, 1, 100) <= 0)
			continue;
		n = read(l->control, l->buf + l->len, sizeof(l->buf) - l->len);
		if (n <= 0)
			return false;
		l->len += (size_t)n;
	}
}

void loadproc_expect(struct loadproc *l, const char *word, char *out, size_t size)
{
	uint64_t end = clock_now_ns() + DEADLINE_NS;
	char line[1024];

	while (next_line(l, line, sizeof(line), end)) {
		if (strncmp(line, word, strlen(word)) == 0) {
			if (out)
				snprintf(out, size, "%s", line);
			return;
		}
		if (strncmp(line, "error", 5) == 0)
			fail_msg("instead of %s: %s", word, line);
		if (strncmp(line, "note ", 5) == 0) {
			l->notes++;
			snprintf(l->note, sizeof(l->note), "%.500s", line + 5);
		}
	}
	fail_msg("no line \"%s\" came", word);
}

int loadproc_wait(struct loadproc *l)
{
	uint64_t end = clock_now_ns() + DEADLINE_NS;
	int status = -1;
	pid_t pid;

	while ((pid = waitpid(l->pid, &status, WNOHANG)) == 0 && clock_now_ns() < end)
		poll(NULL, 0, 10);
	assert_int_equal(pid, l->pid);
	l->pid = 0;
	if (l->control >= 0)
		close(l->control);
	l->control = -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void loadproc_kill(struct loadproc *l)
{
	if (l->pid <= 0)
		return;
	kill(l->pid, SIGKILL);
	waitpid(l->pid, NULL, 0);
	if (l->control >= 0)
		close(l->control);
	l->pid = 0;
}

static void done(struct rig *r, const char *sql)
{
	struct outcome out;

	run_sql(&r->loop, r->db, sql, &out);
	assert_string_equal(out.error, "");
}

void rig_open(struct rig *r, const struct pgserver *server, const char *variant, const char *names)
{
	const char *params[] = {names};
	struct err err = {0, ""};
	struct outcome out = {0};

	memset(r, 0, sizeof(*r));
	r->server = server;
	uv_loop_init(&r->loop);
	pgserver_dsn(server, "cputop_test", &r->dsn);
	r->page = jobs_page_create(&r->page_fd, &err);
	assert_non_null(r->page);
	if (variant_load(&r->variant, variant, &err) < 0 ||
	    variant_load_sql(&r->sql, &r->variant, server->dialect, &err) < 0)
		fail_msg("%s", err.text);
	r->db = open_db(&r->loop, &r->dsn);
	done(r, server->dialect == DIALECT_POSTGRES
			? "drop schema if exists cputop_test cascade; create schema cputop_test"
			: "drop database if exists cputop_test; create database cputop_test; "
			  "use cputop_test");
	done(r, r->sql.text[SQL_SETUP]);
	db_query_params(r->db, r->sql.text[SQL_PREFILL], 1, params, outcome_cb, &out);
	run_until(&r->loop, &out.calls);
	assert_string_equal(out.error, "");
	if (r->sql.text[SQL_INDEX])
		done(r, r->sql.text[SQL_INDEX]);
	done(r, r->sql.text[SQL_SETTLE]);
}

static void with_params(struct rig *r, enum statement s, int n, const char *const *params)
{
	struct outcome out = {0};

	if (!r->sql.text[s])
		return;
	db_query_params(r->db, r->sql.text[s], n, params, outcome_cb, &out);
	run_until(&r->loop, &out.calls);
	assert_string_equal(out.error, "");
}

void rig_keys(struct rig *r, const char *blocked, const char *queued)
{
	const char *const hold[] = {"blocked"};
	const char *const block[] = {blocked, "10", "blocked"}, *const queue[] = {queued, "10",
										  "queue"};

	with_params(r, SQL_ROUTINE_CLAIM, 0, NULL);
	with_params(r, SQL_ROUTINE_COMPLETE, 0, NULL);
	with_params(r, SQL_HOLD, 1, hold);
	if (blocked)
		with_params(r, SQL_KEYED, 3, block);
	if (queued)
		with_params(r, SQL_KEYED, 3, queue);
	r->page->queued = queued ? strtoul(queued, NULL, 10) : 0;
}

/* The rate is no option of cputop-load: it goes to the page. */
static void set_rate(struct rig *r, const char *text)
{
	bool max = strcmp(text, "max") == 0;

	atomic_store(&r->page->rate_mjobs,
		     max ? JOBS_PAGE_RATE_MAX : strtoul(text, NULL, 10) * 1000);
}

void rig_loads(struct rig *r, unsigned workers, const char *rate, const char *const *args)
{
	char dialect[32];
	const char *all[ARGS_MAX] = {dialect};
	unsigned n = 1;

	assert_true(workers < RIG_LOADS);
	r->n = workers + 1;
	set_rate(r, rate);
	assert_true(snprintf(dialect, sizeof(dialect), "--dialect=%s",
			     dialect_name(r->server->dialect)) > 0);
	for (; *args && n < ARGS_MAX - 1; args++)
		all[n++] = *args;
	for (unsigned i = 0; i < r->n; i++) {
		loadproc_start(&r->loads[i], i < workers ? "worker" : "producer", r->page_fd,
			       r->variant.dir, all);
		loadproc_dsn(&r->loads[i], &r->dsn);
	}
	for (unsigned i = 0; i < r->n; i++)
		loadproc_expect(&r->loads[i], "ready", NULL, 0);
}

void rig_start(struct rig *r)
{
	for (unsigned i = 0; i < r->n; i++)
		loadproc_send(&r->loads[i], "start");
}

void rig_wait(struct rig *r, const _Atomic uint64_t *counter, uint64_t n)
{
	uint64_t end = clock_now_ns() + DEADLINE_NS;

	(void)r;
	while (atomic_load(counter) < n && clock_now_ns() < end)
		poll(NULL, 0, 5);
	assert_true(atomic_load(counter) >= n);
}

void rig_drain(struct rig *r)
{
	struct loadproc *producer = &r->loads[r->n - 1];

	loadproc_send(producer, "stop");
	loadproc_expect(producer, "stopped", NULL, 0);
	/* what was queued beforehand is not the producer's */
	rig_wait(r, &r->page->completed,
		 atomic_load(&r->page->enqueued) + atomic_load(&r->page->queue_completed));
	for (unsigned i = 0; i + 1 < r->n; i++) {
		loadproc_send(&r->loads[i], "stop");
		loadproc_expect(&r->loads[i], "stopped", NULL, 0);
	}
}

struct checked {
	long jobs[3];
	unsigned calls;
};

static void check_cb(struct db *db, const struct db_result *result, void *arg)
{
	struct checked *c = arg;

	(void)db;
	assert_int_equal(result->status, DB_OK);
	for (unsigned i = 0; i < 3; i++) {
		const char *text = result->field(result, 0, i);

		c->jobs[i] = text ? strtol(text, NULL, 10) : -1;
	}
	c->calls++;
}

void rig_check(struct rig *r, long out[3])
{
	struct checked c = {0};

	db_query(r->db, r->sql.text[SQL_CHECK], check_cb, &c);
	run_until(&r->loop, &c.calls);
	memcpy(out, c.jobs, sizeof(c.jobs));
}

uint64_t page_get(const _Atomic uint64_t *counter)
{
	return atomic_load(counter);
}

void rig_assert_once(struct rig *r)
{
	const struct jobs_page *p = r->page;
	uint64_t enqueued = atomic_load(&p->enqueued);
	long check[3];

	rig_check(r, check);
	assert_int_equal(check[0], 0);
	assert_int_equal(check[1], 0);
	if (check[2] >= 0) {
		assert_int_equal(check[2], enqueued);
		assert_int_equal(sql_number(&r->loop, r->db, "select max(seq) from job"), enqueued);
	} else {
		assert_int_equal(sql_number(&r->loop, r->db, "select count(seq) from job"), 0);
	}
	assert_int_equal(atomic_load(&p->completed) - atomic_load(&p->queue_completed), enqueued);
	assert_int_equal(atomic_load(&p->mutex_overlaps), 0);
	assert_int_equal(atomic_load(&p->mutex_wrong_keys), 0);
	assert_int_equal(atomic_load(&p->duplicates), 0);
	assert_int_equal(atomic_load(&p->failed), 0);
	assert_int_equal(atomic_load(&p->enqueue_failed), 0);
	assert_int_equal(atomic_load(&p->running), 0);
}

void rig_burst(struct rig *r, const struct pgserver *server, const char *variant,
	       const char *const *args, uint64_t jobs)
{
	const char *all[ARGS_MAX] = {"--names=20", "--backlog=200", "--pool=4",
				     "--poll-interval=0.05"};
	unsigned n = 4;

	for (; *args && n < ARGS_MAX - 1; args++)
		all[n++] = *args;
	rig_open(r, server, variant, "20");
	if (r->variant.keys)
		rig_keys(r, NULL, NULL);
	rig_loads(r, 2, "max", all);
	rig_start(r);
	rig_wait(r, &r->page->completed, jobs);
	rig_drain(r);
	rig_assert_once(r);
	rig_quit(r);
}

void rig_quit(struct rig *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		loadproc_send(&r->loads[i], "quit");
		assert_int_equal(loadproc_wait(&r->loads[i]), 0);
	}
}

void rig_close(struct rig *r)
{
	for (unsigned i = 0; i < r->n; i++)
		loadproc_kill(&r->loads[i]);
	if (r->db)
		close_all(&r->loop, r->db);
	variant_sql_release(&r->sql);
	jobs_page_unmap(r->page);
	if (r->page_fd > 0)
		close(r->page_fd);
	memset(r, 0, sizeof(*r));
}
