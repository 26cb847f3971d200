/* cgroups: finding the hierarchy in texts, counters that fall, and real ones where this user may.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/err.h"
#include "measure/cgroup.h"
#include "measure/measure.h"
#include "measure_help.h"

static void check_base(const char *mounts, const char *own, const char *expected)
{
	char *dir = make_dir(), base[CGROUP_PATH_MAX];
	struct err err = {0};
	int r;

	if (mounts)
		put_file(dir, "mounts", mounts);
	if (own)
		put_file(dir, "self/cgroup", own);
	r = cgroup_base(base, dir, &err);
	if (expected) {
		assert_int_equal(r, 0);
		assert_string_equal(base, expected);
	} else {
		assert_true(r < 0);
		assert_true(err.text[0] != '\0');
	}
	remove_dir(dir);
}

static void test_base(void **state)
{
	const char *v2 = "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n";
	const char *hybrid = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
			     "none /sys/fs/cgroup/uni\\040fied\\134 cgroup2 rw 0 0\n";

	(void)state;
	check_base(v2, "0::/user.slice/a b\n", "/sys/fs/cgroup/user.slice/a b");
	check_base(v2, "0::/\n", "/sys/fs/cgroup");
	check_base(hybrid, "2:cpu:/x\n0::/y:z\n", "/sys/fs/cgroup/uni fied\\/y:z");
	check_base(v2, "4:cpu:/x\n", NULL);
	check_base(v2, "0::/../other\n", NULL);
	check_base("cgroup /c cgroup rw 0 0\n", "0::/\n", NULL);
	check_base("", "0::/\n", NULL);
	check_base(NULL, "0::/\n", NULL);
	check_base(v2, NULL, NULL);
	check_base("cgroup2\n\n   \n", "0::/\n", NULL);
}

/* A plain directory stands for a cgroup: its counter may do what it likes. */
static void test_usage(void **state)
{
	char *dir = make_dir();
	struct cgroup c = {.last_ns = 0};
	uint64_t ns;

	(void)state;
	snprintf(c.path, sizeof(c.path), "%s", dir);
	put_file(dir, "cpu.stat", "usage_usec 1500\nuser_usec 900\n");
	assert_int_equal(cgroup_usage_ns(&c, &ns), 0);
	assert_int_equal(ns, 1500000);
	put_file(dir, "cpu.stat", "nr 1\nusage_usec 1501\n");
	assert_int_equal(cgroup_usage_ns(&c, &ns), 0);
	assert_int_equal(ns, 1501000);
	/* It fell: it is another counter, and stays unreadable. */
	put_file(dir, "cpu.stat", "usage_usec 2\n");
	assert_int_equal(cgroup_usage_ns(&c, &ns), -EIO);
	put_file(dir, "cpu.stat", "usage_usec 9000\n");
	assert_int_equal(cgroup_usage_ns(&c, &ns), -EIO);
	remove_dir(dir);
}

static void test_usage_missing(void **state)
{
	static const char *const texts[] = {"",
					    "usage_usec\n",
					    "user_usec 3\n",
					    "usage_usec x\n",
					    "not_usage_usec 5\n",
					    "usage_usec 99999999999999999999999\n"};
	char *dir = make_dir();
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct cgroup c = {.last_ns = 0};

		snprintf(c.path, sizeof(c.path), "%s", dir);
		put_file(dir, "cpu.stat", texts[i]);
		assert_int_equal(cgroup_usage_ns(&c, &ns), -EIO);
	}
	struct cgroup none = {.path = "/nonexistent/cgroup"};
	assert_int_equal(cgroup_usage_ns(&none, &ns), -EIO);
	remove_dir(dir);
}

static void make_folder(const char *dir, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%.500s/%.200s", dir, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static bool has_folder(const char *dir, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%.500s/%.200s", dir, name);
	return access(path, F_OK) == 0;
}

/* Those of the dead go; those of the living and everything that is not ours stays. */
static void test_sweep(void **state)
{
	char *dir = make_dir(), live[64], dead[64];
	pid_t gone = fork();

	(void)state;
	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	snprintf(live, sizeof(live), "cputop-%d-worker-1", (int)getpid());
	snprintf(dead, sizeof(dead), "cputop-%d-worker-1", (int)gone);
	make_folder(dir, live);
	make_folder(dir, dead);
	make_folder(dir, "cputop-");
	make_folder(dir, "cputop-x-1");
	make_folder(dir, "cputop-999999999");
	make_folder(dir, "other");
	assert_int_equal(cgroup_sweep(dir, "/proc"), 1);
	assert_true(has_folder(dir, live));
	assert_false(has_folder(dir, dead));
	assert_true(has_folder(dir, "cputop-"));
	assert_true(has_folder(dir, "cputop-x-1"));
	assert_true(has_folder(dir, "cputop-999999999"));
	assert_true(has_folder(dir, "other"));
	assert_int_equal(cgroup_sweep("/nonexistent", "/proc"), 0);
	remove_dir(dir);
}

static void test_probe_refused(void **state)
{
	char *dir = make_dir();
	struct err err = {0};

	(void)state;
	/* No cgroup at all: nothing to move processes with. */
	assert_true(cgroup_probe(dir, &err) < 0);
	assert_non_null(strstr(err.text, dir));
	put_file(dir, "cgroup.procs", "");
	assert_true(cgroup_probe(dir, &err) < 0);
	assert_non_null(strstr(err.text, "no CPU time"));
	assert_int_equal(rmdir(dir) == 0, false);
	remove_dir(dir);
}

static void burner(void *arg)
{
	(void)arg;
	burn_ms(30);
	signal(SIGCHLD, SIG_IGN);
	fork_burner(60);
	for (;;)
		pause();
}

/* The whole life of a real one: even children that nobody reaps are in it. */
static void test_real(void **state)
{
	uint64_t ns = 0, deadline = deadline_in(10000);
	char base[CGROUP_PATH_MAX];
	struct err err = {0};
	struct keeper k;
	struct cgroup c;

	(void)state;
	if (cgroup_base(base, "/proc", &err) != 0 || cgroup_probe(base, &err) != 0) {
		print_message("no cgroup here: %s\n", err.text);
		return;
	}
	keeper_start(&k, burner, NULL);
	assert_int_equal(cgroup_create(&c, base, "worker", k.pid, &err), 0);
	keeper_release(&k);
	while (ns < 90 * NS_PER_MS) {
		assert_int_equal(cgroup_usage_ns(&c, &ns), 0);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	assert_int_equal(cgroup_remove(&c), -EBUSY);
	cgroup_sweep(base, "/proc");
	assert_int_equal(access(c.path, F_OK), 0);
	keeper_end(&k);
	while (cgroup_remove(&c) != 0) {
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
	assert_int_equal(c.path[0], '\0');
	assert_int_equal(cgroup_usage_ns(&c, &ns), -EIO);
	assert_true(cgroup_create(&c, base, "worker", k.pid, &err) < 0);
	assert_int_equal(c.path[0], '\0');
}

/* Is one there that this pid made? */
static bool has_cgroup_of(const char *base, pid_t pid)
{
	char prefix[64];
	struct dirent *e;
	bool found = false;
	DIR *d = opendir(base);

	assert_non_null(d);
	snprintf(prefix, sizeof(prefix), "cputop-%d-", (int)pid);
	while ((e = readdir(d)))
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
			found = true;
	closedir(d);
	return found;
}

/* What a cputop that was killed left behind is removed by the next one. */
static void test_sweep_real(void **state)
{
	uint64_t deadline = deadline_in(5000);
	char base[CGROUP_PATH_MAX];
	struct err err = {0};
	int status = -1;
	pid_t pid;

	(void)state;
	if (cgroup_base(base, "/proc", &err) != 0 || cgroup_probe(base, &err) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		struct cgroup c;

		_exit(cgroup_create(&c, base, "database", getpid(), NULL) != 0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	/* It may still be leaving its cgroup. */
	while (has_cgroup_of(base, pid)) {
		measure_sweep_cgroups("/proc");
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base),          cmocka_unit_test(test_usage),
		cmocka_unit_test(test_usage_missing), cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_probe_refused), cmocka_unit_test(test_real),
		cmocka_unit_test(test_sweep_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
