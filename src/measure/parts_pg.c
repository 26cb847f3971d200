/*
 * A title is "postgres: [CLUSTER: ]WHAT". Auxiliary processes have fixed words there, some with
 * more behind; all else is "USER DATABASE HOST(PORT) ACTIVITY", or "[local]" for the host. User,
 * database and cluster are free text, so titles cannot be parsed, only recognised: fixed words
 * must be the whole of what is left, or stand right behind the start or a cluster name.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "measure/parts.h"

#define TITLE_PREFIX "postgres: "

struct part_words {
	const char *words;
	enum part part;
};

/* These are the whole title (before PostgreSQL 11 with " process" behind). */
static const struct part_words whole[] = {
	{"checkpointer", PART_CHECKPOINTER},
	{"background writer", PART_BGWRITER},
	{"writer", PART_BGWRITER}, /* 10 and older */
	{"walwriter", PART_WALWRITER},
	{"wal writer", PART_WALWRITER},
	{"autovacuum launcher", PART_AV_LAUNCHER},
	{"autovacuum worker", PART_AV_WORKER},
	{"logical replication launcher", PART_LR_LAUNCHER},
	{"bgworker: logical replication launcher", PART_LR_LAUNCHER},
	{"logger", PART_OTHER},
	{"archiver", PART_OTHER},
	{"startup", PART_OTHER},
	{"stats collector", PART_OTHER},
	{"walreceiver", PART_OTHER},
	{"walsummarizer", PART_OTHER},
	{"slotsync worker", PART_OTHER},
};

/* Behind these comes more. */
static const struct part_words begins[] = {
	{"autovacuum worker ", PART_AV_WORKER},
	{"parallel worker for PID ", PART_PARALLEL},
	{"bgworker: parallel worker for PID ", PART_PARALLEL},
	{"bgworker: ", PART_OTHER},
	{"logical replication ", PART_OTHER},
	{"io worker ", PART_OTHER},
	{"archiver ", PART_OTHER},
	{"startup recovering ", PART_OTHER},
	{"startup waiting ", PART_OTHER},
	{"walsender ", PART_OTHER},
	{"walreceiver ", PART_OTHER},
	{"slotsync worker ", PART_OTHER},
};

/* backend_type of pg_stat_activity */
static const struct part_words types[] = {
	{"client backend", PART_BACKEND},
	{"parallel worker", PART_PARALLEL},
	{"checkpointer", PART_CHECKPOINTER},
	{"background writer", PART_BGWRITER},
	{"walwriter", PART_WALWRITER},
	{"autovacuum launcher", PART_AV_LAUNCHER},
	{"autovacuum worker", PART_AV_WORKER},
	{"logical replication launcher", PART_LR_LAUNCHER},
	{"logical replication worker", PART_OTHER},
	{"logical replication apply worker", PART_OTHER},
	{"logical replication parallel worker", PART_OTHER},
	{"logical replication tablesync worker", PART_OTHER},
	{"background worker", PART_OTHER},
	{"archiver", PART_OTHER},
	{"startup", PART_OTHER},
	{"walreceiver", PART_OTHER},
	{"walsender", PART_OTHER},
	{"walsummarizer", PART_OTHER},
	{"slotsync worker", PART_OTHER},
	{"io worker", PART_OTHER},
	{"standalone backend", PART_OTHER},
	{"logger", PART_OTHER},
	/* what the map of a server of threads says */
	{"connection", PART_CONNECTION},
	{"monitor", PART_MONITOR},
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static size_t trimmed_length(const char *s)
{
	static const char process[] = " process";
	size_t len = strlen(s), cut = sizeof(process) - 1;

	while (len > 0 && s[len - 1] == ' ')
		len--;
	if (len > cut && memcmp(s + len - cut, process, cut) == 0)
		len -= cut;
	return len;
}

/* The words are all that is behind the prefix, or behind a cluster's name. */
static bool is_whole(const char *rest, size_t len, const char *words)
{
	size_t n = strlen(words);

	if (len < n || memcmp(rest + len - n, words, n) != 0)
		return false;
	return len == n || (len >= n + 2 && memcmp(rest + len - n - 2, ": ", 2) == 0);
}

static bool is_begin(const char *rest, const char *words)
{
	size_t n = strlen(words);
	const char *at = rest;

	if (strncmp(rest, words, n) == 0)
		return true;
	while ((at = strstr(at, ": "))) {
		at += 2;
		if (strncmp(at, words, n) == 0)
			return true;
	}
	return false;
}

/* " [local]" or " HOST(PORT)" somewhere. */
static bool is_client(const char *rest)
{
	const char *at = rest;

	if (strstr(rest, " [local]"))
		return true;
	while ((at = strchr(at, '('))) {
		size_t digits = strspn(at + 1, "0123456789");

		if (at > rest && at[-1] != ' ' && digits > 0 && at[1 + digits] == ')')
			return true;
		at++;
	}
	return false;
}

bool part_from_title(const char *title, enum part *out)
{
	const char *rest = title + strlen(TITLE_PREFIX);
	size_t len;

	*out = PART_OTHER;
	if (strncmp(title, TITLE_PREFIX, strlen(TITLE_PREFIX)) != 0)
		return false;
	len = trimmed_length(rest);
	for (size_t i = 0; i < COUNT(whole); i++) {
		if (is_whole(rest, len, whole[i].words)) {
			*out = whole[i].part;
			return true;
		}
	}
	for (size_t i = 0; i < COUNT(begins); i++) {
		if (is_begin(rest, begins[i].words)) {
			*out = begins[i].part;
			return true;
		}
	}
	if (!is_client(rest))
		return false;
	*out = PART_BACKEND;
	return true;
}

bool title_is_postmaster(const char *title)
{
	static const char *const names[] = {"postgres", "postmaster"};
	size_t len = strcspn(title, " ");
	size_t from = len;

	if (strncmp(title, TITLE_PREFIX, strlen(TITLE_PREFIX)) == 0)
		return false;
	while (from > 0 && title[from - 1] != '/')
		from--;
	for (size_t i = 0; i < COUNT(names); i++)
		if (len - from == strlen(names[i]) &&
		    memcmp(title + from, names[i], len - from) == 0)
			return true;
	return false;
}

bool part_from_backend_type(const char *backend_type, enum part *out)
{
	*out = PART_OTHER;
	for (size_t i = 0; i < COUNT(types); i++) {
		if (strcmp(backend_type, types[i].words) == 0) {
			*out = types[i].part;
			return true;
		}
	}
	return false;
}
