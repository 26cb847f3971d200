#include "config.h"

#include "measure/build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MAX    65536
#define HEADERS_MAX  64
#define ID_BYTES_MAX 64

static bool read_at(int fd, void *buf, size_t size, uint64_t offset)
{
	return offset < INT64_MAX && pread(fd, buf, size, (off_t)offset) == (ssize_t)size;
}

static int write_hex(const uint8_t *id, size_t n, char *out, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	if (n == 0 || n > ID_BYTES_MAX || 2 * n + 1 > size)
		return -ENOENT;
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[id[i] >> 4];
		out[2 * i + 1] = digits[id[i] & 15];
	}
	out[2 * n] = '\0';
	return 0;
}

static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Walks the notes of a segment. */
static int find_note(const uint8_t *notes, size_t len, char *out, size_t size)
{
	size_t at = 0;
	ElfW(Nhdr) h;

	while (at + sizeof(h) <= len) {
		size_t name = at + sizeof(h), data, end;

		memcpy(&h, notes + at, sizeof(h));
		if (h.n_namesz > len || h.n_descsz > len)
			break;
		data = name + aligned(h.n_namesz);
		end = data + aligned(h.n_descsz);
		if (data + h.n_descsz > len)
			break;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0)
			return write_hex(notes + data, h.n_descsz, out, size);
		at = end;
	}
	return -ENOENT;
}

static int search(int fd, char *out, size_t size)
{
	static uint8_t notes[NOTES_MAX];
	ElfW(Ehdr) e;
	ElfW(Phdr) p;

	if (!read_at(fd, &e, sizeof(e), 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_phentsize != sizeof(p))
		return -ENOEXEC;
	for (unsigned i = 0; i < e.e_phnum && i < HEADERS_MAX; i++) {
		if (!read_at(fd, &p, sizeof(p), e.e_phoff + i * sizeof(p)))
			return -ENOEXEC;
		if (p.p_type == PT_NOTE && p.p_filesz <= sizeof(notes) &&
		    read_at(fd, notes, p.p_filesz, p.p_offset) &&
		    find_note(notes, p.p_filesz, out, size) == 0)
			return 0;
	}
	return -ENOENT;
}

int build_id_read(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int r;

	if (fd < 0)
		return -errno;
	r = search(fd, out, size);
	close(fd);
	return r;
}
