#include "config.h"

#include "lib/vec.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/xalloc.h"

struct pair {
	int a;
	char b[20];
};

static void pushes(void **state)
{
	struct vec_of(int) v = VEC_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		*vec_push(&v) = i;
		assert_int_equal(v.len, i + 1);
		assert_true(v.cap >= v.len);
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.items[i], i);
	vec_release(&v);
	assert_null(v.items);
	assert_int_equal(v.len, 0);
	assert_int_equal(v.cap, 0);
	vec_release(&v);
}

static void new_items_are_zero(void **state)
{
	static const struct pair zero;
	struct vec_of(struct pair) v = VEC_INIT;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct pair *p = vec_push(&v);

		assert_memory_equal(p, &zero, sizeof(zero));
		memset(p, 0xff, sizeof(*p));
	}
	v.len = 3;
	assert_memory_equal(vec_push(&v), &zero, sizeof(zero));
	vec_release(&v);
}

static void copies_strings(void **state)
{
	char *s;

	(void)state;
	s = xstrdup("hello");
	assert_string_equal(s, "hello");
	free(s);
	s = xstrndup("hello", 3);
	assert_string_equal(s, "hel");
	free(s);
	s = xstrndup("hi", 30);
	assert_string_equal(s, "hi");
	free(s);
	s = xasprintf("%d/%s", 5, "x");
	assert_string_equal(s, "5/x");
	free(s);
	s = xcalloc(3, 2);
	assert_memory_equal(s, "\0\0\0\0\0", 6);
	free(s);
	s = xmalloc(0);
	assert_non_null(s);
	free(s);
	s = xcalloc(0, 5);
	assert_non_null(s);
	free(s);
}

static void say_goodbye(void)
{
	if (write(STDOUT_FILENO, "hook", 4) != 4)
		_exit(9);
}

/* An overflow aborts, after the hook. */
static void runs_the_hook(void **state)
{
	static const struct rlimit no_core;
	size_t n = SIZE_MAX / 2;
	int fds[2], status;
	char text[8] = {0};
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		dup2(fds[1], STDOUT_FILENO);
		close(STDERR_FILENO);
		xalloc_set_hook(say_goodbye);
		free(xreallocarray(NULL, n, 4));
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_int_equal(read(fds[0], text, sizeof(text) - 1), 4);
	assert_string_equal(text, "hook");
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes),
		cmocka_unit_test(new_items_are_zero),
		cmocka_unit_test(copies_strings),
		cmocka_unit_test(runs_the_hook),
	};

	return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}
