/*
 * Only directories that this file made, or that carry its name and the pid of a dead process, are
 * ever removed, and only with rmdir, which refuses those that are in use.
 */
#include "config.h"

#include "measure/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "measure/procfs.h"

#define PREFIX    "cputop-"
#define TEXT_MAX  (1u << 20)
#define USAGE_KEY "usage_usec "

static bool join(char out[CGROUP_PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(out, CGROUP_PATH_MAX, "%s/%s", dir, name);

	return n > 0 && n < CGROUP_PATH_MAX;
}

/* /proc/mounts writes space, tab, newline and backslash of a path in octal. */
static void unescape_octal(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Splits off the text up to the delimiter; NULL at the end. */
static char *next_word(char **text, char delimiter)
{
	char *from = *text, *end;

	if (!*from)
		return NULL;
	end = strchr(from, delimiter);
	if (end)
		*end++ = '\0';
	*text = end ? end : from + strlen(from);
	return from;
}

static bool find_mount(char out[CGROUP_PATH_MAX], const char *proc_root)
{
	struct strbuf sb;
	char *text, *line;
	bool found = false;

	strbuf_init(&sb);
	if (join(out, proc_root, "mounts") && strbuf_read_file(&sb, out, TEXT_MAX) == 0) {
		text = sb.buf;
		while (!found && (line = next_word(&text, '\n'))) {
			char *dir, *type;

			next_word(&line, ' ');
			dir = next_word(&line, ' ');
			type = next_word(&line, ' ');
			if (!dir || !type || strcmp(type, "cgroup2") != 0 ||
			    strlen(dir) >= CGROUP_PATH_MAX)
				continue;
			unescape_octal(dir);
			snprintf(out, CGROUP_PATH_MAX, "%s", dir);
			found = true;
		}
	}
	strbuf_release(&sb);
	return found;
}

/* The line "0::PATH" of /proc/self/cgroup, without a slash at the end. */
static bool find_own(struct strbuf *out, const char *proc_root)
{
	char path[CGROUP_PATH_MAX];
	struct strbuf sb;
	char *text, *line;
	bool found = false;

	strbuf_init(&sb);
	if (join(path, proc_root, "self/cgroup") && strbuf_read_file(&sb, path, TEXT_MAX) == 0) {
		text = sb.buf;
		while ((line = next_word(&text, '\n'))) {
			if (strncmp(line, "0::/", 4) != 0)
				continue;
			strbuf_addstr(out, strcmp(line, "0::/") == 0 ? "" : line + 3);
			found = true;
			break;
		}
	}
	strbuf_release(&sb);
	return found;
}

int cgroup_base(char out[CGROUP_PATH_MAX], const char *proc_root, struct err *err)
{
	struct strbuf own;
	size_t len;
	int r = 0;

	strbuf_init(&own);
	if (!find_mount(out, proc_root))
		r = err_set(err, -ENOENT, "no cgroup v2 hierarchy is mounted");
	else if (!find_own(&own, proc_root))
		r = err_set(err, -ENOENT, "cputop is in no cgroup of the v2 hierarchy");
	else if (strstr(own.buf, "/.."))
		r = err_set(err, -ENOENT, "cputop's cgroup is outside of what is mounted here");
	len = r == 0 ? strlen(out) : 0;
	if (r == 0 && len + own.len >= CGROUP_PATH_MAX)
		r = err_set(err, -ENAMETOOLONG, "the path of cputop's cgroup is too long");
	if (r == 0)
		memcpy(out + len, own.buf, own.len + 1);
	else
		out[0] = '\0';
	strbuf_release(&own);
	return r;
}

static int read_usage(const char *dir, uint64_t *out)
{
	char path[CGROUP_PATH_MAX], text[4096];
	const char *at;
	ssize_t n;
	uint64_t v = 0;

	if (!join(path, dir, "cpu.stat"))
		return -ENAMETOOLONG;
	n = procfs_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	at = strstr(text, USAGE_KEY);
	if (!at || (at != text && at[-1] != '\n'))
		return -ENOENT;
	at += strlen(USAGE_KEY);
	if (*at < '0' || *at > '9')
		return -EINVAL;
	for (; *at >= '0' && *at <= '9'; at++) {
		if (v > UINT64_MAX / 20000)
			return -ERANGE;
		v = v * 10 + (uint64_t)(*at - '0');
	}
	*out = v * 1000;
	return 0;
}

static int make(struct cgroup *c, const char *base, const char *name)
{
	static unsigned serial;
	char leaf[96];

	int r;

	memset(c, 0, sizeof(*c));
	/* A name may be left over from a cputop that had this pid. */
	do {
		snprintf(leaf, sizeof(leaf), PREFIX "%d-%.40s-%u", (int)getpid(), name, serial++);
		if (!join(c->path, base, leaf))
			r = -ENAMETOOLONG;
		else
			r = mkdir(c->path, 0755) == 0 ? 0 : -errno;
	} while (r == -EEXIST);
	if (r)
		c->path[0] = '\0';
	return r;
}

int cgroup_probe(const char *base, struct err *err)
{
	char procs[CGROUP_PATH_MAX];
	struct cgroup c;
	uint64_t usage;
	int r;

	/* Moving a process needs the right to write at the common ancestor, too. */
	if (!join(procs, base, "cgroup.procs") || faccessat(AT_FDCWD, procs, W_OK, AT_EACCESS) != 0)
		return err_set(err, -EACCES, "no right to move processes in %s: %s", base,
			       strerror(errno));
	r = make(&c, base, "probe");
	if (r)
		return err_set(err, r, "cannot make a cgroup in %s: %s", base, strerror(-r));
	r = read_usage(c.path, &usage);
	if (r)
		err_set(err, r, "the cgroups in %s have no CPU time: %s", base, strerror(-r));
	cgroup_remove(&c);
	return r;
}

static int put_in(const struct cgroup *c, pid_t member)
{
	char path[CGROUP_PATH_MAX], text[16];
	int fd, r = 0, n;

	if (!join(path, c->path, "cgroup.procs"))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%d", (int)member);
	if (write(fd, text, (size_t)n) != n)
		r = -errno;
	close(fd);
	return r;
}

int cgroup_create(struct cgroup *c, const char *base, const char *name, pid_t member,
		  struct err *err)
{
	int r = make(c, base, name);

	if (r)
		return err_set(err, r, "cannot make a cgroup in %s: %s", base, strerror(-r));
	r = read_usage(c->path, &c->last_ns);
	if (r == 0)
		r = put_in(c, member);
	if (r) {
		err_set(err, r, "cannot put the %s in cgroup %s: %s", name, c->path, strerror(-r));
		cgroup_remove(c);
	}
	return r;
}

int cgroup_usage_ns(struct cgroup *c, uint64_t *out)
{
	uint64_t now;

	if (c->broken || read_usage(c->path, &now) != 0 || now < c->last_ns) {
		c->broken = true;
		return -EIO;
	}
	c->last_ns = now;
	*out = now;
	return 0;
}

int cgroup_remove(struct cgroup *c)
{
	if (c->path[0] && rmdir(c->path) != 0 && errno != ENOENT)
		return -errno;
	c->path[0] = '\0';
	return 0;
}

/* Is it one of ours, of a cputop that is dead? */
static bool is_left_over(const char *name, const char *proc_root)
{
	char path[PROCFS_PATH_MAX];
	const char *at = name + strlen(PREFIX);
	pid_t pid;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || !procfs_next_pid(&at, &pid) || *at != '-')
		return false;
	procfs_path(path, proc_root, pid, "stat");
	return access(path, F_OK) != 0 && errno == ENOENT;
}

unsigned cgroup_sweep(const char *base, const char *proc_root)
{
	char path[CGROUP_PATH_MAX];
	struct dirent *e;
	unsigned n = 0;
	DIR *d = opendir(base);

	if (!d)
		return 0;
	while ((e = readdir(d)))
		if (is_left_over(e->d_name, proc_root) && join(path, base, e->d_name) &&
		    rmdir(path) == 0)
			n++;
	closedir(d);
	return n;
}
