/*
 * The directory is read first, then each slot whose life goes on or has changed. A count of eight
 * bytes is read while it grows, and a copy by the kernel may in theory be half old and half new; so
 * it is read twice, and must have grown by what is possible.
 */
#include "config.h"

#include "measure/icount_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/icount/icount_file.h"
#include "lib/err.h"
#include "lib/vec.h"
#include "lib/xalloc.h"

#define READ_TRIES 5
#define GROWTH_MAX (1ULL << 32)                          /* between two readings in a row */
#define SLOT_HEAD  offsetof(struct icount_slot, exe)     /* the counts */
#define FILE_HEAD  offsetof(struct icount_header, entry) /* the sums */

/* What is known of a slot. */
struct seen {
	uint64_t total;
	uint64_t owner; /* when total was read */
	uint64_t start;
	uint64_t begin;
	pid_t ppid;
	unsigned execs;
	bool valid; /* the life that owner names has begun, and begin is its */
};

/* The threads of one life, as of the last update. */
struct followed {
	unsigned slot;
	uint64_t owner;
	struct icount_thread_count *threads; /* owned, of ICOUNT_THREADS */
	size_t n;
};

struct icount_reader {
	int fd;
	struct icount_header header; /* its directory is not used beyond header.used */
	struct seen *slots;          /* owned, of ICOUNT_SLOTS */
	struct vec_of(struct followed) followed;
	uint64_t total;
	char valgrind[sizeof(((struct icount_header *)0)->valgrind)];
};

static bool read_all(int fd, void *buf, size_t size, uint64_t offset)
{
	return pread(fd, buf, size, (off_t)offset) == (ssize_t)size;
}

static uint64_t slot_offset(unsigned i)
{
	return ICOUNT_HEADER_BYTES + (uint64_t)i * ICOUNT_SLOT_BYTES;
}

int icount_create(const char *path, struct err *err)
{
	struct icount_header h = {
		.magic = ICOUNT_MAGIC,
		.version = ICOUNT_VERSION,
		.header_bytes = ICOUNT_HEADER_BYTES,
		.slot_bytes = ICOUNT_SLOT_BYTES,
		.slots = ICOUNT_SLOTS,
	};
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = 0;

	if (fd < 0)
		return err_set(err, -errno, "cannot make %s: %s", path, strerror(errno));
	if (ftruncate(fd, (off_t)ICOUNT_FILE_BYTES) < 0)
		r = -errno;
	else if (pwrite(fd, &h, FILE_HEAD, 0) != (ssize_t)FILE_HEAD)
		r = -ENOSPC;
	close(fd);
	if (r) {
		unlink(path);
		err_set(err, r, "cannot write %s: %s", path, strerror(-r));
	}
	return r;
}

static bool header_ok(const struct icount_header *h)
{
	return h->magic == ICOUNT_MAGIC && h->version == ICOUNT_VERSION &&
	       h->header_bytes == ICOUNT_HEADER_BYTES && h->slot_bytes == ICOUNT_SLOT_BYTES &&
	       h->slots == ICOUNT_SLOTS && h->used <= ICOUNT_SLOTS;
}

struct icount_reader *icount_open(const char *path, struct err *err)
{
	struct icount_reader *r = xcalloc(1, sizeof(*r));

	r->fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (r->fd < 0) {
		err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
		free(r);
		return NULL;
	}
	r->slots = xcalloc(ICOUNT_SLOTS, sizeof(*r->slots));
	if (read_all(r->fd, &r->header, FILE_HEAD, 0) && header_ok(&r->header))
		return r;
	err_set(err, -EPROTO, "%s is not a file of instruction counts of this version of cputop",
		path);
	icount_close(r);
	return NULL;
}

void icount_close(struct icount_reader *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r->slots);
	for (size_t i = 0; i < r->followed.len; i++)
		free(r->followed.items[i].threads);
	vec_release(&r->followed);
	free(r);
}

/* Reads the counts of a slot; false when they make no sense. */
static bool read_slot(const struct icount_reader *r, unsigned i, struct icount_slot *out)
{
	struct icount_slot again;

	for (int try = 0; try < READ_TRIES; try++) {
		if (!read_all(r->fd, out, SLOT_HEAD, slot_offset(i)) ||
		    !read_all(r->fd, &again, SLOT_HEAD, slot_offset(i)))
			return false;
		if (again.total >= out->total && again.total - out->total < GROWTH_MAX)
			return true;
	}
	return false;
}

static bool update_slot(const struct icount_reader *r, unsigned i, struct seen *s)
{
	const struct icount_entry *e = &r->header.entry[i];
	struct icount_slot slot;

	/* Ended then and now: nobody counts there. */
	if (s->owner == e->owner && (e->owner & ICOUNT_ENDED) && s->valid)
		return true;
	if (!read_slot(r, i, &slot) || slot.total < s->total || slot.begin > slot.total)
		return false;
	s->total = slot.total;
	s->owner = e->owner;
	s->start = e->start;
	s->begin = slot.begin;
	s->ppid = (pid_t)slot.ppid;
	s->execs = slot.execs;
	s->valid = slot.generation == ICOUNT_OWNER_GENERATION(e->owner) &&
		   slot.pid == ICOUNT_OWNER_PID(e->owner);
	return true;
}

/* Only what can be printed anywhere. */
static void take_version(struct icount_reader *r)
{
	for (size_t i = 0; i + 1 < sizeof(r->valgrind); i++) {
		char c = r->header.valgrind[i];

		r->valgrind[i] = !c || (c > ' ' && c < 127) ? c : '?';
		if (!c)
			break;
	}
}

static int damaged(struct err *err, const char *what)
{
	return err_set(err, -EIO, "the file of instruction counts is damaged (%s); start again",
		       what);
}

/* Of a life that has ended what it ran stays as it was. */
static void read_followed(struct icount_reader *r)
{
	for (size_t i = 0; i < r->followed.len; i++) {
		struct followed *f = &r->followed.items[i];

		if (r->header.entry[f->slot].owner == f->owner)
			f->n = icount_threads(r, f->slot, f->threads, ICOUNT_THREADS);
	}
}

int icount_update(struct icount_reader *r, struct err *err)
{
	struct icount_header *h = &r->header;
	struct icount_header head;
	uint64_t total = 0;

	if (!read_all(r->fd, &head, FILE_HEAD, 0) || !header_ok(&head) || head.used < h->used ||
	    head.lives < h->lives)
		return damaged(err, "its head");
	if (!read_all(r->fd, h->entry, head.used * sizeof(h->entry[0]), FILE_HEAD))
		return damaged(err, "its directory");
	memcpy(h, &head, FILE_HEAD);
	take_version(r);
	read_followed(r);
	for (unsigned i = 0; i < h->used; i++) {
		if (!update_slot(r, i, &r->slots[i]))
			return damaged(err, "a slot");
		total += r->slots[i].total;
	}
	r->total = total;
	return 0;
}

uint64_t icount_total(const struct icount_reader *r)
{
	return r->total;
}

uint64_t icount_lives(const struct icount_reader *r)
{
	return r->header.lives;
}

uint64_t icount_turned_away(const struct icount_reader *r)
{
	return r->header.turned_away;
}

const char *icount_valgrind(const struct icount_reader *r)
{
	return r->valgrind;
}

static bool life_of(const struct icount_reader *r, unsigned i, struct icount_life *out)
{
	const struct seen *s = &r->slots[i];

	if (!s->valid)
		return false;
	*out = (struct icount_life){
		.pid = (pid_t)ICOUNT_OWNER_PID(s->owner),
		.ppid = s->ppid,
		.start = s->start,
		.instructions = s->total - s->begin,
		.execs = s->execs,
		.ended = (s->owner & ICOUNT_ENDED) != 0,
	};
	return true;
}

/* Its slot, or -1. */
static int find(const struct icount_reader *r, pid_t pid, uint64_t start, struct icount_life *out)
{
	int found = -1;

	for (unsigned i = 0; i < r->header.used; i++) {
		struct icount_life l;

		if ((pid_t)ICOUNT_OWNER_PID(r->slots[i].owner) != pid || !life_of(r, i, &l))
			continue;
		if ((start && l.start != start) || (found >= 0 && l.ended))
			continue;
		*out = l;
		found = (int)i;
	}
	return found;
}

bool icount_find(const struct icount_reader *r, pid_t pid, uint64_t start, struct icount_life *out)
{
	return find(r, pid, start, out) >= 0;
}

/* The threads of the life in a slot, followed from now on. */
static const struct followed *follow(struct icount_reader *r, unsigned slot)
{
	uint64_t owner = r->slots[slot].owner;
	struct followed *f;

	for (size_t i = 0; i < r->followed.len; i++) {
		f = &r->followed.items[i];
		if (f->slot == slot) {
			f->n = f->owner == owner ? f->n : 0;
			f->owner = owner;
			return f;
		}
	}
	f = vec_push(&r->followed);
	f->slot = slot;
	f->owner = owner;
	f->threads = xcalloc(ICOUNT_THREADS, sizeof(*f->threads));
	return f;
}

bool icount_thread(struct icount_reader *r, pid_t pid, uint64_t start, pid_t tid, uint64_t *out)
{
	struct icount_life l;
	int slot = find(r, pid, start, &l);
	const struct followed *f;

	if (slot < 0)
		return false;
	f = follow(r, (unsigned)slot);
	for (size_t i = 0; i < f->n; i++) {
		if (f->threads[i].tid == tid) {
			*out = f->threads[i].instructions;
			return true;
		}
	}
	return false;
}

unsigned icount_slots(const struct icount_reader *r)
{
	return r->header.used;
}

bool icount_slot(const struct icount_reader *r, unsigned i, struct icount_life *out)
{
	if (i >= r->header.used || !life_of(r, i, out))
		return false;
	if (!read_all(r->fd, out->exe, sizeof(out->exe), slot_offset(i) + SLOT_HEAD))
		return false;
	out->exe[sizeof(out->exe) - 1] = '\0';
	return true;
}

/* Not while a thread that stops has added what it ran and has yet to say so. */
static bool read_threads(const struct icount_reader *r, unsigned i, struct icount_slot *out)
{
	struct icount_slot again;

	for (int try = 0; try < READ_TRIES; try++) {
		if (!read_all(r->fd, &again, SLOT_HEAD, slot_offset(i)) ||
		    !read_all(r->fd, out, sizeof(*out), slot_offset(i)))
			return false;
		if (out->mark == again.mark && out->running == again.running)
			break;
	}
	return true;
}

size_t icount_threads(const struct icount_reader *r, unsigned i, struct icount_thread_count *out,
		      size_t max)
{
	struct icount_slot slot;
	size_t n = 0;
	uint64_t rest;

	if (i >= r->header.used || !max || !read_threads(r, i, &slot))
		return 0;
	if (slot.running && slot.running <= ICOUNT_THREADS && slot.total >= slot.mark)
		slot.thread[slot.running - 1].instructions += slot.total - slot.mark;
	rest = slot.threads_gone + slot.thread[0].instructions;
	for (unsigned k = 1; k < ICOUNT_THREADS && n < max; k++)
		if (slot.thread[k].tid)
			out[n++] = (struct icount_thread_count){(pid_t)slot.thread[k].tid,
								slot.thread[k].instructions};
	if (rest && n < max)
		out[n++] = (struct icount_thread_count){0, rest};
	return n;
}
