/*
 * The texts of /proc, read bounded and parsed without trust: names hold any bytes, files may be cut
 * short, and everything may vanish between two calls. The parsers take text and length, so they
 * need no file; numbers are read without regard to the locale.
 */
#ifndef CPUTOP_PROCFS_H
#define CPUTOP_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCFS_PATH_MAX 320
#define PROCFS_STAT_MAX 2048

/* What is used of /proc/PID/stat. Times are in clock ticks. */
struct procstat {
	pid_t pid;
	char comm[64]; /* raw, cut to fit */
	char state;
	pid_t ppid;
	uint64_t utime, stime;
	uint64_t cutime, cstime; /* of reaped children, recursively */
	long threads;
	uint64_t start; /* ticks since boot */
};

/* The counters of /proc/PID/io that are bytes at the device. */
struct procio {
	uint64_t read_bytes, write_bytes;
};

/* The first line of /proc/stat, in clock ticks. */
struct procmachine {
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

/* The name is what stands between the first '(' and the last ')' of the whole text. All parsers
 * return 0 or -EINVAL. */
int procfs_parse_stat(const char *text, size_t len, struct procstat *out);
/* voluntary and involuntary context switches together. */
int procfs_parse_switches(const char *text, size_t len, uint64_t *out);
int procfs_parse_io(const char *text, size_t len, struct procio *out);
/* The same of a file, of a process or a thread; 0 or a negative errno. */
int procfs_read_switches(const char *path, uint64_t *out);
int procfs_read_io(const char *path, struct procio *out);
int procfs_parse_machine(const char *text, size_t len, struct procmachine *out);
/* Next pid of a "12 34 " list. Moves *text; false at its end or at anything that is no pid. */
bool procfs_next_pid(const char **text, pid_t *out);
/* Makes the bytes of a cmdline file printable as one line of arguments: separators become spaces,
 * the padding at the end goes. Returns the new length; text[length] is NUL, so it needs len + 1
 * bytes. */
size_t procfs_title(char *text, size_t len);

/* Reads at most size - 1 bytes from the start and ends them with NUL. Returns the length or a
 * negative errno. */
ssize_t procfs_pread(int fd, char *buf, size_t size);
ssize_t procfs_read(const char *path, char *buf, size_t size);
/* Path of a file of a process: "ROOT/PID/NAME". */
void procfs_path(char out[PROCFS_PATH_MAX], const char *root, pid_t pid, const char *name);

uint64_t procfs_ticks_ns(uint64_t ticks);

#endif
