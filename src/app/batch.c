/* Batch: progress and messages on standard error, one line each, no escapes. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "app/session_internal.h"
#include "lib/clock.h"
#include "lib/format.h"

/* Lines are whole: one write each, so that a reader (or a test) never sees half of one. */
static void put_line(const char *line)
{
	fprintf(stderr, "%s\n", line);
	fflush(stderr);
}

void batch_phase(struct session *s, const char *detail)
{
	const struct model *m = &s->model;
	char line[512], where[160] = "", since[FORMAT_CELL_MAX] = "";
	uint64_t took = clock_now_ns() - m->phase_since_ns;

	if (m->phase == PHASE_IDLE)
		return;
	if (m->phase != PHASE_SERVER && s->run)
		snprintf(where, sizeof(where), "[%u/%u] %s %s: ", m->plan_done + 1, m->plan_total,
			 dialect_name(m->dialect), m->variant.name);
	else
		snprintf(where, sizeof(where), "%s: ", dialect_name(s->want_dialect));
	/* said again */
	if (m->phase == PHASE_SERVER && took >= NS_PER_S / 2)
		snprintf(since, sizeof(since), ", %.1f s", (double)took / NS_PER_S);
	snprintf(line, sizeof(line), "cputop: %s%s%s%s%s", where, phase_name(m->phase),
		 detail ? ": " : "", detail ? detail : "", since);
	put_line(line);
}

void batch_message(struct session *s, enum message_level level, const char *text)
{
	static const char *const prefix[] = {
		[MESSAGE_INFO] = "",
		[MESSAGE_WARNING] = "warning: ",
		[MESSAGE_ERROR] = "error: ",
	};
	char line[512];

	(void)s;
	snprintf(line, sizeof(line), "cputop: %s%s", prefix[level], text);
	put_line(line);
}
