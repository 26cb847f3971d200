/* No counters: everything that would be counted does not apply. */
#include "config.h"

#include "measure/counters.h"

#include <stddef.h>
#include <string.h>

struct counters {
	int unused;
};

static struct counters nothing;

static struct counters *none_open(const struct counter_roots *roots, struct counters_info *info,
				  struct err *err)
{
	(void)roots;
	(void)err;
	info->user_only = false;
	info->instructions.available = false;
	info->cycles.available = false;
	info->parts = false;
	return &nothing;
}

static void none_close(struct counters *c)
{
	(void)c;
}

static struct counter_set *none_set_open(struct counters *c, pid_t pid, bool family,
					 struct err *err)
{
	(void)c;
	(void)pid;
	(void)family;
	(void)err;
	return NULL;
}

static void none_set_read(struct counter_set *s, bool edge, struct counter_reading *out)
{
	(void)s;
	(void)edge;
	memset(out, 0, sizeof(*out));
}

static void none_set_close(struct counter_set *s)
{
	(void)s;
}

const struct counter_ops counters_none = {
	.name = "none",
	.open = none_open,
	.close = none_close,
	.set_open = none_set_open,
	.set_read = none_set_read,
	.set_close = none_set_close,
};
