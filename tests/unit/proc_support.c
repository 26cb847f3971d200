#include "config.h"

#include "proc_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"

void support_find_libexec(void)
{
	char self[4096], path[4200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (getenv("CPUTOP_LIBEXEC") || n <= 0)
		return;
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	snprintf(path, sizeof(path), "%s/../..", self);
	setenv("CPUTOP_LIBEXEC", path, 1);
}

const char *support_new_mark(void)
{
	static char mark[64];
	static unsigned n;

	snprintf(mark, sizeof(mark), "CPUTOP_TEST_MARK=%d.%u", (int)getpid(), ++n);
	return mark;
}

static bool is_marked(const char *pid, const char *mark)
{
	static char text[65536];
	char path[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(text + i) + 1) {
		if (strcmp(text + i, mark) == 0)
			return true;
	}
	return false;
}

unsigned support_count_marked(const char *mark)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	unsigned count = 0;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_marked(e->d_name, mark))
			count++;
	}
	if (d)
		closedir(d);
	return count;
}

static void pause_ms(unsigned ms)
{
	struct timespec t = {.tv_sec = 0, .tv_nsec = (long)ms * 1000000};

	nanosleep(&t, NULL);
}

bool support_wait_marked(const char *mark, unsigned wanted, unsigned limit_ms)
{
	uint64_t end = clock_now_ns() + limit_ms * NS_PER_MS;

	while (support_count_marked(mark) != wanted) {
		if (clock_now_ns() > end)
			return false;
		pause_ms(5);
	}
	return true;
}

enum { TICK_MS = 20 };

static void tick_cb(uv_timer_t *timer)
{
	(void)timer;
}

bool support_run_until(uv_loop_t *loop, const bool *flag, unsigned limit_ms)
{
	uint64_t end = uv_hrtime() + limit_ms * NS_PER_MS;
	uv_timer_t timer;

	uv_timer_init(loop, &timer);
	/* What sets the flag may be a timer that is due at once: UV_RUN_ONCE then still waits for
	 * something else to happen, so let that be soon. */
	uv_timer_start(&timer, tick_cb, limit_ms < TICK_MS ? limit_ms : TICK_MS, TICK_MS);
	while (!*flag && uv_hrtime() < end)
		uv_run(loop, UV_RUN_ONCE);
	uv_close((uv_handle_t *)&timer, NULL);
	uv_run(loop, UV_RUN_NOWAIT);
	return *flag;
}

bool support_loop_close(uv_loop_t *loop)
{
	for (int i = 0; i < 100 && uv_run(loop, UV_RUN_NOWAIT); i++)
		pause_ms(1);
	return uv_loop_close(loop) == 0;
}

const char *support_read_file(const char *path)
{
	static char text[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

void support_write_file(const char *path, const char *text, unsigned mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, mode) < 0)
		abort();
	close(fd);
}
