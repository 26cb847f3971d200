/* Samples of measure in tests: beginning, reading and looking at them. */
#include "config.h"

#include "sample_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/err.h"
#include "measure_help.h"

const char *own_path(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

struct measure *measure_begin(enum cpu_source cpu, struct keeper *k, enum role role,
			      void (*program)(void *), void *arg)
{
	const struct measure_options options = {COUNTERS_AUTO, cpu, "/proc", "/sys", {0}};
	struct err err = {0};
	struct measure *m = measure_new(&options, &err);

	assert_non_null(m);
	keeper_start(k, program, arg);
	if (measure_add_role(m, role, k->pid, &err) != 0)
		print_error("%s\n", err.text);
	assert_int_equal(err.code, 0);
	keeper_release(k);
	return m;
}

void measure_end(struct measure *m, struct keeper *k)
{
	keeper_end(k);
	measure_free(m);
}

void read_sample(struct measure *m, unsigned flags, struct sample *s)
{
	struct err err = {0};

	assert_int_equal(measure_sample(m, flags, s, &err), 0);
	for (size_t i = 1; i < s->nrows; i++)
		assert_true(s->rows[i - 1].role < s->rows[i].role ||
			    s->rows[i - 1].pid < s->rows[i].pid ||
			    (s->rows[i - 1].pid == s->rows[i].pid &&
			     s->rows[i - 1].tid < s->rows[i].tid));
}

const struct proc_row *row_titled(const struct sample *s, const char *title)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (s->rows[i].title && strcmp(s->rows[i].title, title) == 0)
			return &s->rows[i];
	return NULL;
}

const struct proc_row *row_of(const struct sample *s, pid_t pid)
{
	size_t i = 0;

	while (i < s->nrows && s->rows[i].pid != pid)
		i++;
	assert_true(i < s->nrows);
	return &s->rows[i];
}

bool has_row(const struct sample *s, pid_t pid)
{
	for (size_t i = 0; i < s->nrows; i++)
		if (s->rows[i].pid == pid)
			return true;
	return false;
}

pid_t pid_titled(const struct sample *s, const char *title)
{
	const struct proc_row *row = row_titled(s, title);

	return row ? row->pid : -1;
}

int part_titled(const struct sample *s, const char *title)
{
	const struct proc_row *row = row_titled(s, title);

	return row ? (int)row->part : -1;
}

/* Reads until a row with this title is there. */
void wait_for_title(struct measure *m, const char *title)
{
	uint64_t deadline = deadline_in(10000);
	bool found = false;

	while (!found) {
		struct sample s;

		read_sample(m, 0, &s);
		found = row_titled(&s, title) != NULL;
		sample_release(&s);
		assert_false(deadline_passed(deadline));
		poll_pause();
	}
}

const struct usage *total_of(const struct sample *s, enum role role)
{
	assert_true(s->roles[role].present);
	return &s->roles[role].total;
}
