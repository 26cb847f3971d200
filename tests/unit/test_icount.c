/* The file of instruction counts: lives, slots that are taken again, and files that are damaged;
 * and the icount source that is made of it. The tool itself: tests/integration/icount.sh. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "contrib/icount/icount_file.h"
#include "lib/err.h"
#include "lib/xalloc.h"
#include "measure/build_id.h"
#include "measure/counters.h"
#include "measure/icount_read.h"
#include "measure/icount_run.h"
#include "measure/measure.h"
#include "measure_help.h"
#include "model/run_prefix.h"

/* A file that the test writes as the tool would. */
struct file {
	char *dir, *path;
	int fd;
	struct icount_reader *r;
};

static int begin(void **state)
{
	struct file *f = xcalloc(1, sizeof(*f));
	struct err err = {0};

	f->dir = make_dir();
	f->path = xasprintf("%s/counts", f->dir);
	assert_int_equal(icount_create(f->path, &err), 0);
	f->fd = open(f->path, O_RDWR | O_CLOEXEC);
	assert_true(f->fd >= 0);
	f->r = icount_open(f->path, &err);
	assert_non_null(f->r);
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct file *f = *state;

	icount_close(f->r);
	close(f->fd);
	remove_dir(f->dir);
	free(f->path);
	free(f);
	return 0;
}

static void put(const struct file *f, const void *data, size_t size, uint64_t offset)
{
	assert_int_equal(pwrite(f->fd, data, size, (off_t)offset), (ssize_t)size);
}

#define PUT_HEAD(f, field, type, value)                                               \
	do {                                                                          \
		type put_v = (value);                                                 \
		put(f, &put_v, sizeof(put_v), offsetof(struct icount_header, field)); \
	} while (0)

/* Slot i: its life number generation is pid's, began at begin and is at total now. */
static void put_life(const struct file *f, unsigned i, uint32_t generation, uint32_t pid,
		     uint64_t begin_at, uint64_t total)
{
	struct icount_entry e = {(uint64_t)generation << 32 | pid, 1000 + pid};
	struct icount_slot s = {.total = total,
				.begin = begin_at,
				.generation = generation,
				.pid = pid,
				.ppid = 1,
				.exe = "/bin/\033x"};

	put(f, &e, sizeof(e), offsetof(struct icount_header, entry) + i * sizeof(e));
	put(f, &s, sizeof(s), ICOUNT_HEADER_BYTES + (uint64_t)i * ICOUNT_SLOT_BYTES);
}

static void put_ended(const struct file *f, unsigned i, uint32_t generation, uint32_t pid)
{
	struct icount_entry e = {ICOUNT_ENDED | (uint64_t)generation << 32 | pid, 1000 + pid};

	put(f, &e, sizeof(e), offsetof(struct icount_header, entry) + i * sizeof(e));
}

static void update(const struct file *f)
{
	struct err err = {0};

	if (icount_update(f->r, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_made(void **state)
{
	struct file *f = *state;
	struct err err = {0};
	struct stat st;

	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true((uint64_t)st.st_size == ICOUNT_FILE_BYTES);
	assert_true(st.st_blocks * 512 < 65536); /* sparse */
	update(f);
	assert_int_equal(icount_total(f->r), 0);
	assert_int_equal(icount_lives(f->r), 0);
	assert_int_equal(icount_slots(f->r), 0);
	assert_string_equal(icount_valgrind(f->r), "");
	assert_int_equal(icount_create(f->path, &err), -EEXIST);
}

static void test_lives(void **state)
{
	struct file *f = *state;
	struct icount_life l;

	put_life(f, 0, 1, 10, 0, 500);
	put_life(f, 1, 1, 11, 0, 70);
	PUT_HEAD(f, used, uint32_t, 2);
	PUT_HEAD(f, lives, uint64_t, 2);
	put(f, "3.19.0", 7, offsetof(struct icount_header, valgrind));
	update(f);
	assert_int_equal(icount_total(f->r), 570);
	assert_string_equal(icount_valgrind(f->r), "3.19.0");
	assert_true(icount_find(f->r, 11, 0, &l));
	assert_int_equal(l.instructions, 70);
	assert_int_equal(l.start, 1011);
	assert_false(l.ended);
	assert_true(icount_find(f->r, 11, 1011, &l));
	assert_false(icount_find(f->r, 11, 1012, &l)); /* another life of the number */
	assert_false(icount_find(f->r, 12, 0, &l));
	assert_true(icount_slot(f->r, 0, &l));
	assert_string_equal(l.exe, "/bin/\033x");
	assert_false(icount_slot(f->r, 2, &l));

	/* A slot that another takes: the sum keeps what the first one had. */
	put_ended(f, 1, 1, 11);
	update(f);
	assert_true(icount_find(f->r, 11, 0, &l));
	assert_true(l.ended);
	put_life(f, 1, 2, 12, 70, 75);
	update(f);
	assert_int_equal(icount_total(f->r), 575);
	assert_false(icount_find(f->r, 11, 0, &l));
	assert_true(icount_find(f->r, 12, 0, &l));
	assert_int_equal(l.instructions, 5);
}

/* Taken in the directory, but the slot still speaks of the life before. */
static void test_between_two_lives(void **state)
{
	struct file *f = *state;
	struct icount_entry e = {2ULL << 32 | 12, 1012};
	struct icount_life l;

	put_life(f, 0, 1, 11, 0, 70);
	put(f, &e, sizeof(e), offsetof(struct icount_header, entry));
	PUT_HEAD(f, used, uint32_t, 1);
	update(f);
	assert_int_equal(icount_total(f->r), 70);
	assert_false(icount_find(f->r, 12, 0, &l));
	assert_false(icount_find(f->r, 11, 0, &l));
}

/* The living one counts when an ended one had the same number. */
static void test_same_number(void **state)
{
	struct file *f = *state;
	struct icount_life l;

	put_life(f, 0, 1, 11, 0, 70);
	put_life(f, 1, 1, 11, 0, 9);
	put_life(f, 2, 1, 11, 0, 8);
	put_ended(f, 0, 1, 11);
	put_ended(f, 2, 1, 11);
	PUT_HEAD(f, used, uint32_t, 3);
	update(f);
	assert_true(icount_find(f->r, 11, 0, &l));
	assert_int_equal(l.instructions, 9);
}

static void test_threads(void **state)
{
	struct file *f = *state;
	struct icount_slot s = {.total = 100, .begin = 10, .mark = 90, .running = 3};
	struct icount_thread_count t[8];

	put_life(f, 0, 1, 10, 10, 100);
	s.generation = 1;
	s.pid = 10;
	s.threads_gone = 7;
	s.thread[0].instructions = 3;
	s.thread[1] = (struct icount_thread){.instructions = 50, .tid = 10};
	s.thread[2] = (struct icount_thread){.instructions = 20, .tid = 12};
	put(f, &s, sizeof(s), ICOUNT_HEADER_BYTES);
	PUT_HEAD(f, used, uint32_t, 1);
	update(f);
	assert_int_equal(icount_threads(f->r, 0, t, 8), 3);
	assert_int_equal(t[0].tid, 10);
	assert_int_equal(t[0].instructions, 50);
	assert_int_equal(t[1].tid, 12);
	assert_int_equal(t[1].instructions, 30); /* with what it runs just now */
	assert_int_equal(t[2].tid, 0);
	assert_int_equal(t[2].instructions, 10);
	assert_int_equal(icount_threads(f->r, 0, t, 1), 1);
	assert_int_equal(icount_threads(f->r, 0, t, 0), 0);
	assert_int_equal(icount_threads(f->r, 1, t, 8), 0);
	s.running = 100000;
	put(f, &s, sizeof(s), ICOUNT_HEADER_BYTES);
	assert_int_equal(icount_threads(f->r, 0, t, 8), 3);
}

/* Threads one by one: as of the last update, from the first question on. */
static void test_one_thread(void **state)
{
	struct file *f = *state;
	struct icount_slot s = {.total = 100, .generation = 1, .pid = 10};
	struct icount_entry other = {2ULL << 32 | 11, 1011};
	uint64_t n = 5;

	put_life(f, 0, 1, 10, 0, 100);
	s.thread[1] = (struct icount_thread){.instructions = 60, .tid = 10};
	s.thread[2] = (struct icount_thread){.instructions = 20, .tid = 12};
	put(f, &s, sizeof(s), ICOUNT_HEADER_BYTES);
	PUT_HEAD(f, used, uint32_t, 1);
	assert_false(icount_thread(f->r, 10, 1010, 12, &n)); /* nothing was read */
	update(f);
	assert_false(icount_thread(f->r, 10, 1010, 12, &n));
	assert_int_equal(n, 5);
	update(f);
	assert_true(icount_thread(f->r, 10, 1010, 12, &n));
	assert_int_equal(n, 20);
	s.thread[2].instructions = 30;
	s.total = 110;
	put(f, &s, sizeof(s), ICOUNT_HEADER_BYTES);
	assert_true(icount_thread(f->r, 10, 1010, 12, &n));
	assert_int_equal(n, 20);
	update(f);
	assert_true(icount_thread(f->r, 10, 1010, 12, &n));
	assert_int_equal(n, 30);
	assert_true(icount_thread(f->r, 10, 1010, 10, &n));
	assert_int_equal(n, 60);
	assert_false(icount_thread(f->r, 10, 1010, 13, &n));
	assert_false(icount_thread(f->r, 10, 999, 12, &n)); /* another with its number */
	/* The slot is another's: its threads are not the old ones'. */
	put(f, &other, sizeof(other), offsetof(struct icount_header, entry));
	s.generation = 2;
	s.pid = 11;
	put(f, &s, sizeof(s), ICOUNT_HEADER_BYTES);
	update(f);
	assert_false(icount_thread(f->r, 10, 1010, 12, &n));
	assert_false(icount_thread(f->r, 11, 1011, 12, &n));
	update(f);
	assert_true(icount_thread(f->r, 11, 1011, 12, &n));
}

static void not_opened(const struct file *f)
{
	struct err err = {0};

	assert_null(icount_open(f->path, &err));
	assert_non_null(strstr(err.text, "not a file of instruction counts"));
}

static void not_updated(const struct file *f)
{
	struct err err = {0};

	assert_int_equal(icount_update(f->r, &err), -EIO);
	assert_non_null(strstr(err.text, "damaged"));
	assert_int_equal(icount_total(f->r), 570); /* what was read before stays */
}

static void test_damaged(void **state)
{
	struct file *f = *state;

	put_life(f, 0, 1, 10, 0, 500);
	put_life(f, 1, 1, 11, 0, 70);
	PUT_HEAD(f, used, uint32_t, 2);
	PUT_HEAD(f, lives, uint64_t, 2);
	update(f);
	put_life(f, 1, 1, 11, 0, 69); /* a count that fell */
	not_updated(f);
	put_life(f, 1, 1, 11, 90, 80); /* a life that began later than now */
	not_updated(f);
	put_life(f, 1, 1, 11, 0, 70);
	PUT_HEAD(f, used, uint32_t, 1);
	not_updated(f);
	PUT_HEAD(f, used, uint32_t, ICOUNT_SLOTS + 1);
	not_updated(f);
	not_opened(f);
	PUT_HEAD(f, used, uint32_t, 2);
	PUT_HEAD(f, lives, uint64_t, 1);
	not_updated(f);
	PUT_HEAD(f, lives, uint64_t, 2);
	update(f);
	PUT_HEAD(f, version, uint32_t, ICOUNT_VERSION + 1);
	not_updated(f);
	not_opened(f);
	PUT_HEAD(f, version, uint32_t, ICOUNT_VERSION);
	PUT_HEAD(f, slot_bytes, uint32_t, 4096);
	not_opened(f);
	PUT_HEAD(f, slot_bytes, uint32_t, ICOUNT_SLOT_BYTES);
	PUT_HEAD(f, magic, uint64_t, 1);
	not_opened(f);
	PUT_HEAD(f, magic, uint64_t, ICOUNT_MAGIC);
	update(f);
	assert_int_equal(ftruncate(f->fd, ICOUNT_HEADER_BYTES + ICOUNT_SLOT_BYTES), 0);
	not_updated(f); /* the second slot is gone */
	assert_int_equal(ftruncate(f->fd, 20), 0);
	not_updated(f);
	not_opened(f);
}

/* The source: the family is the file, the processes are slots of it. */
static void test_source(void **state)
{
	struct file *f = *state;
	const struct icount_options o = {1u << ROLE_DATABASE, f->dir, "/bin/sh"};
	const struct counter_roots roots = {"/proc", "/sys", &o};
	struct counters_info info = {0};
	struct counters *c, *database;
	struct counter_set *family, *mine;
	struct counter_reading r;
	struct err err = {0};

	c = counters_icount.open(&roots, &info, &err);
	if (!c)
		fail_msg("%s", err.text);
	assert_true(info.user_only && info.parts && info.instructions.available);
	assert_false(info.cycles.available);
	assert_int_equal(info.icount.roles, 1u << ROLE_DATABASE);
	assert_true(info.no_cpu_reason[0] && info.cycles.reason[0] && info.icount.libc[0]);
	assert_null(counters_icount.of_role(c, ROLE_WORKER));
	database = counters_icount.of_role(c, ROLE_DATABASE);
	assert_non_null(database);
	close(f->fd);
	f->fd = open(counters_icount.prefix(database)->file, O_RDWR | O_CLOEXEC);
	assert_true(f->fd >= 0);

	family = counters_icount.set_open(database, 1, true, &err);
	mine = counters_icount.set_open(database, getpid(), false, &err);
	counters_icount.set_read(family, false, &r);
	assert_int_equal(r.enabled_ns, 0); /* nothing was ever counted */
	counters_icount.set_read(mine, false, &r);
	assert_int_equal(r.instructions.v, 0);

	/* Somebody else had our number before: that is not us. */
	put_life(f, 0, 1, (uint32_t)getpid(), 0, 500);
	PUT_HEAD(f, used, uint32_t, 1);
	PUT_HEAD(f, lives, uint64_t, 1);
	put(f, "3.19.0", 7, offsetof(struct icount_header, valgrind));
	counters_icount.set_read(family, false, &r);
	assert_int_equal(r.instructions.v, 500);
	assert_int_equal(r.instructions.state, VALUE_OK);
	assert_true(r.enabled_ns > 0);
	assert_string_equal(info.icount.valgrind, "3.19.0");
	counters_icount.set_read(mine, false, &r);
	assert_int_equal(r.instructions.v, 0);

	PUT_HEAD(f, turned_away, uint64_t, 1);
	counters_icount.set_read(family, false, &r);
	assert_int_equal(r.instructions.state, VALUE_AT_LEAST);
	PUT_HEAD(f, magic, uint64_t, 7);
	counters_icount.set_read(family, false, &r);
	assert_int_equal(r.instructions.state, VALUE_UNREADABLE);
	counters_icount.set_read(mine, false, &r);
	assert_int_equal(r.instructions.state, VALUE_UNREADABLE);
	counters_icount.set_close(family);
	counters_icount.set_close(mine);
	counters_icount.close(c);
}

static void test_prefix(void **state)
{
	struct file *f = *state;
	char *argv[] = {(char[]){"prog"}, (char[]){"arg"}, NULL};
	char *env[] = {(char[]){"A=1"}, NULL};
	char **all, *old = xstrdup(getenv("PATH"));
	struct err err = {0};
	struct run_prefix *p;

	all = run_prefix_argv(NULL, argv);
	assert_string_equal(all[0], "prog");
	assert_null(all[2]);
	free(all);
	assert_int_equal(run_prefix_give(NULL, 0, 0), 0);
	assert_null(icount_prefix_new(NULL, f->path, &err));
	assert_non_null(strstr(err.text, "apt-get install valgrind"));

	put_file(f->dir, "bin/valgrind", "#!/bin/sh\n");
	setenv("PATH", "relative:/nonexistent", 1);
	assert_null(icount_prefix_new("/a/b/icount-x", f->path, &err));
	assert_non_null(strstr(err.text, "apt-get install valgrind"));
	all = NULL;
	free(f->path);
	f->path = xasprintf("%s/bin/valgrind", f->dir);
	assert_int_equal(chmod(f->path, 0755), 0);
	char *path = xasprintf("/nonexistent:%s/bin", f->dir);
	setenv("PATH", path, 1);
	p = icount_prefix_new("/a/b/icount-x", "/c", &err);
	assert_non_null(p);
	all = run_prefix_argv(p, argv);
	assert_string_equal(all[0], f->path);
	for (size_t i = 0;; i++) {
		assert_non_null(all[i]);
		if (strcmp(all[i], "--") != 0)
			continue;
		assert_string_equal(all[i - 1], "--file=/c");
		assert_string_equal(all[i + 1], "prog");
		assert_string_equal(all[i + 2], "arg");
		assert_null(all[i + 3]);
		break;
	}
	free(all);
	all = run_prefix_env(p, env);
	assert_string_equal(all[0], "VALGRIND_LIB=/a/b");
	assert_string_equal(all[2], "A=1");
	assert_null(all[3]);
	free(all);
	run_prefix_free(p);
	setenv("PATH", old, 1);
	free(old);
	free(path);
}

static void test_build_id(void **state)
{
	struct file *f = *state;
	char id[132] = "", path[512];

	if (build_id_read("/proc/self/exe", id, sizeof(id)) == 0) {
		assert_true(strlen(id) >= 16 && strlen(id) % 2 == 0);
		assert_int_equal(strspn(id, "0123456789abcdef"), strlen(id));
	}
	put_file(f->dir, "text",
		 "no program at all, but longer than the head of one would be: "
		 "sixty-four bytes and some more\n");
	snprintf(path, sizeof(path), "%s/text", f->dir);
	assert_int_equal(build_id_read(path, id, sizeof(id)), -ENOEXEC);
	assert_int_equal(build_id_read("/nonexistent", id, sizeof(id)), -ENOENT);
	assert_true(build_id_read("/proc/self/exe", id, 4) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_made, begin, end),
		cmocka_unit_test_setup_teardown(test_lives, begin, end),
		cmocka_unit_test_setup_teardown(test_between_two_lives, begin, end),
		cmocka_unit_test_setup_teardown(test_same_number, begin, end),
		cmocka_unit_test_setup_teardown(test_threads, begin, end),
		cmocka_unit_test_setup_teardown(test_one_thread, begin, end),
		cmocka_unit_test_setup_teardown(test_damaged, begin, end),
		cmocka_unit_test_setup_teardown(test_source, begin, end),
		cmocka_unit_test_setup_teardown(test_prefix, begin, end),
		cmocka_unit_test_setup_teardown(test_build_id, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
