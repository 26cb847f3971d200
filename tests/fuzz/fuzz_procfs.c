/* The files of /proc: each parser gets the same bytes, as a file that was cut short or is another.
 */
#include "config.h"

#include "fuzz/fuzz.h"
#include "measure/procfs.h"

static void check_stat(const char *text, size_t size)
{
	struct procstat stat;

	if (procfs_parse_stat(text, size, &stat) < 0)
		return;
	FUZZ_CHECK(stat.pid >= 0 && stat.ppid >= 0 && stat.threads >= 0);
	FUZZ_CHECK(memchr(stat.comm, '\0', sizeof(stat.comm)));
	FUZZ_CHECK(memchr(text, '(', size) && memrchr(text, ')', size));
	FUZZ_CHECK((char *)memchr(text, '(', size) < (char *)memrchr(text, ')', size));
}

static void check_pids(const char *text, size_t size)
{
	char *whole = xstrndup(text, size);
	const char *at = whole, *before = whole;
	pid_t pid;

	while (procfs_next_pid(&at, &pid)) {
		FUZZ_CHECK(pid > 0 && at > before && at <= whole + strlen(whole));
		before = at;
	}
	free(whole);
}

static void check_title(const char *text, size_t size)
{
	char *title = xmalloc(size + 1);
	size_t len;

	if (size)
		memcpy(title, text, size);
	len = procfs_title(title, size);
	FUZZ_CHECK(len <= size && strlen(title) == len);
	free(title);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct procmachine machine;
	struct procio io;
	uint64_t switches;
	char *text;

	if (size > FUZZ_MAX)
		return 0;
	text = fuzz_copy(data, size);
	check_stat(text, size);
	procfs_parse_switches(text, size, &switches);
	procfs_parse_io(text, size, &io);
	procfs_parse_machine(text, size, &machine);
	check_pids(text, size);
	check_title(text, size);
	free(text);
	return 0;
}
