/*
 * Reading the file in which the icount tool counts (contrib/icount/icount_file.h). It is read with
 * pread and believed only as far as it makes sense: whoever the tool runs as may write anything
 * into it, or cut it short.
 */
#ifndef CPUTOP_ICOUNT_READ_H
#define CPUTOP_ICOUNT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct icount_reader;

/* A process that counts, or counted. */
struct icount_life {
	pid_t pid, ppid;
	uint64_t start;        /* in clock ticks since boot */
	uint64_t instructions; /* in user mode, of all its threads */
	unsigned execs;
	bool ended;
	char exe[256]; /* its program, not escaped */
};

struct icount_thread_count {
	pid_t tid; /* 0: those that ended, and those beyond the table */
	uint64_t instructions;
};

/* Makes the file, 0600. It must not be there. Returns 0 or a negative errno with err. */
int icount_create(const char *path, struct err *err);
/* NULL with err when it is not there or is none of this version. */
struct icount_reader *icount_open(const char *path, struct err *err);
void icount_close(struct icount_reader *r); /* NULL is fine */

/* Reads all of it anew; the following functions then speak of that moment. Returns 0, or -EIO with
 * err when it is damaged: what was read before stays. */
int icount_update(struct icount_reader *r, struct err *err);
uint64_t icount_total(const struct icount_reader *r); /* of everything that ever ran; never falls */
uint64_t icount_lives(const struct icount_reader *r);
/* Processes that found no room: what they ran is missing in the total. */
uint64_t icount_turned_away(const struct icount_reader *r);
const char *icount_valgrind(const struct icount_reader *r); /* its version; may be empty */
/* The process with this number (and this start, unless 0), the one that lives if there are several.
 * False when there is none. exe is left empty. */
bool icount_find(const struct icount_reader *r, pid_t pid, uint64_t start, struct icount_life *out);

/* What a thread of that process had run at the last update, and a little less than that: threads
 * are read before their process, so they never come to more than it. They are read from the first
 * question about their process on; false, and *out as it was, when this one was not. */
bool icount_thread(struct icount_reader *r, pid_t pid, uint64_t start, pid_t tid, uint64_t *out);

/* Slots, for who wants to see all: the life that slot i has or had last, with its exe. */
unsigned icount_slots(const struct icount_reader *r);
bool icount_slot(const struct icount_reader *r, unsigned i, struct icount_life *out);
/* The threads of that life, read now. Returns how many, at most max. */
size_t icount_threads(const struct icount_reader *r, unsigned i, struct icount_thread_count *out,
		      size_t max);

#endif
