/*
 * The file in which the icount tool counts: one for each role (or command), shared by all its
 * processes, written by the tool and read by cputop. Included by both, so only libc-free C.
 *
 *   header: geometry, sums, and the directory: one entry for each slot
 *   slots:  slot I begins at ICOUNT_HEADER_BYTES + I * ICOUNT_SLOT_BYTES
 *
 * A process takes a slot, maps it over the address that its translated code counts at, and has it
 * for its life, exec included. When it has ended the slot is another's to take. A slot's total is
 * never reset: each life remembers where it began. So the sum of the totals of all slots is the
 * count of everything that ever ran, whatever ends, is killed or takes a slot at any moment, and no
 * count has to be moved. Memory is little-endian or not as the machine is: a file never leaves it.
 *
 * The file is sparse: 256 MB long, of which each slot that was ever taken uses 12 KB.
 */
#ifndef CPUTOP_ICOUNT_FILE_H
#define CPUTOP_ICOUNT_FILE_H

#include <stdint.h>

#define ICOUNT_MAGIC   0x31544e55434f4943ULL /* "CICOUNT1" but for the order of its letters */
#define ICOUNT_VERSION 1

#define ICOUNT_SLOTS        4095 /* processes at the same time */
#define ICOUNT_HEADER_BYTES 131072u
#define ICOUNT_SLOT_BYTES   65536u /* the largest page of the machines that are meant */
#define ICOUNT_FILE_BYTES   (ICOUNT_HEADER_BYTES + (uint64_t)ICOUNT_SLOTS * ICOUNT_SLOT_BYTES)
#define ICOUNT_THREADS      512
#define ICOUNT_EXE_MAX      256

/* Who has a slot: pid, generation (grows with each life of the slot), and whether that life has
 * ended. 0: it was never taken. Changed by compare and exchange only. */
#define ICOUNT_ENDED                   (1ULL << 63)
#define ICOUNT_OWNER_PID(owner)        ((uint32_t)(owner))
#define ICOUNT_OWNER_GENERATION(owner) ((uint32_t)((owner) >> 32) & 0x7fffffffu)

struct icount_entry {
	uint64_t owner;
	uint64_t start; /* start time of the process, in clock ticks since boot; its identity
			   together with the pid */
};

struct icount_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes, slot_bytes, slots; /* must be those above */
	uint32_t used;                            /* slots from here on were never taken */
	uint32_t reserved;                        /* 0 */
	uint64_t lives;                           /* how many processes ever took a slot */
	uint64_t turned_away; /* how many found none: what they run is not counted */
	char valgrind[32];    /* version of the one that counts; empty before the first life */
	struct icount_entry entry[ICOUNT_SLOTS];
};

struct icount_thread {
	uint64_t instructions; /* up to when it last stopped running */
	uint32_t tid;          /* as the kernel has it; 0: none */
	uint32_t reserved;
};

struct icount_slot {
	uint64_t total;      /* instructions of all its lives; the translated code counts here */
	uint64_t begin;      /* total when the present life began */
	uint64_t mark;       /* total when the running thread began to run */
	uint32_t running;    /* its index below plus 1; 0: none runs */
	uint32_t generation; /* of the life that all this is about: written last */
	uint32_t pid, ppid;
	uint32_t execs; /* programs that this process has become */
	uint32_t reserved;
	uint64_t threads_gone;    /* of threads that ended, and whose place another took */
	char exe[ICOUNT_EXE_MAX]; /* the program, as it was asked for; ends with NUL */
	/* By Valgrind's number of the thread; [0] has those with larger numbers, together. */
	struct icount_thread thread[ICOUNT_THREADS];
};

#endif
