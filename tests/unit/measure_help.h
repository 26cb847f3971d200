/* Processes for the tests of measure: a keeper (subreaper that waits, forks, reaps) and burners. */
#ifndef CPUTOP_TEST_MEASURE_HELP_H
#define CPUTOP_TEST_MEASURE_HELP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct keeper {
	pid_t pid;
	int control; /* closing it ends the keeper */
	int report;
	int hold;
};

/* Forks a keeper that is held; once released it forks a child that runs program(arg) and reaps
 * everything below it. */
void keeper_start(struct keeper *k, void (*program)(void *), void *arg);
void keeper_release(struct keeper *k);
/* Waits until it has no child left; the CPU time of all of them by getrusage. The keeper stays. */
uint64_t keeper_wait(struct keeper *k);
/* Kills its process group and reaps it. */
void keeper_end(struct keeper *k);

/* Uses so much CPU time of this thread. */
void burn_ms(unsigned ms);
/* Forks a child that burns and ends; does not wait. */
pid_t fork_burner(unsigned ms);

/* A moment of the monotonic clock and whether it has passed; pause_ms waits between two polls. */
uint64_t deadline_in(unsigned ms);
bool deadline_passed(uint64_t deadline);
void poll_pause(void);

/* A temporary directory, files in it, and the end of all that. */
char *make_dir(void);
void put_file(const char *dir, const char *name, const char *text); /* makes folders */
void remove_dir(char *dir);

/* Half a millisecond each, so that each is a context switch. */
void sleep_often(unsigned n);
void wait_for_ever(void);

/* A page that this process shares with its children; munmap it. */
void *shared_page(void);

#endif
