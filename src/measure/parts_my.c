/*
 * MySQL names its threads, each by at most 15 bytes, most with "-N" behind when there are several.
 * MariaDB names a few since version 11, with words of its own.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "measure/parts.h"

struct thread_name {
	const char *name; /* what it begins with */
	enum part part;
};

static const struct thread_name names[] = {
	{"connection", PART_CONNECTION},
	{"one_connection", PART_CONNECTION},
	{"ib_log_writer", PART_LOG_WRITER},
	{"ib_log_wr_notif", PART_LOG_WRITER},
	{"ib_log_flush", PART_LOG_FLUSHER},
	{"ib_log_fl_notif", PART_LOG_FLUSHER},
	{"ib_log_checkpt", PART_CHECKPOINTER},
	{"ib_pg_flush", PART_PAGE_CLEANER},
	{"page_cleaner", PART_PAGE_CLEANER},
	{"ib_srv_purge", PART_PURGE},
	{"ib_srv_wkr", PART_PURGE},
	{"ib_io_", PART_IO},
	{"sig_handler", PART_SIGNAL},
	{"signal_hand", PART_SIGNAL},
};

static const char *const servers[] = {"mysqld", "mariadbd"};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

bool part_from_thread_name(const char *name, enum part *out)
{
	*out = PART_OTHER;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strncmp(name, names[i].name, strlen(names[i].name)) == 0) {
			*out = names[i].part;
			return true;
		}
	}
	return false;
}

bool title_is_thread_server(const char *title)
{
	size_t len = strcspn(title, " "), from = len;

	while (from > 0 && title[from - 1] != '/')
		from--;
	for (size_t i = 0; i < COUNT(servers); i++)
		if (len - from == strlen(servers[i]) &&
		    memcmp(title + from, servers[i], len - from) == 0)
			return true;
	return false;
}
