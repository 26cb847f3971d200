/* What the tests of processes share. */
#ifndef CPUTOP_TESTS_PROC_SUPPORT_H
#define CPUTOP_TESTS_PROC_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

/* Points CPUTOP_LIBEXEC at the top of the build tree, unless it is set. */
void support_find_libexec(void);
/* "CPUTOP_TEST_MARK=...", different for every call: put it into the environment of a tree. */
const char *support_new_mark(void);
/* How many live processes carry the mark in their environment (zombies do not). */
unsigned support_count_marked(const char *mark);
/* Waits until that is so; false after limit_ms. */
bool support_wait_marked(const char *mark, unsigned wanted, unsigned limit_ms);
/* Runs the loop until *flag; false after limit_ms. */
bool support_run_until(uv_loop_t *loop, const bool *flag, unsigned limit_ms);
/* Runs what is left on the loop and closes it; false if something stays open. */
bool support_loop_close(uv_loop_t *loop);
/* The whole file as text, static; empty when it cannot be read. */
const char *support_read_file(const char *path);
void support_write_file(const char *path, const char *text, unsigned mode);

#endif
