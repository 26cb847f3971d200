/* Why a server failed, in one line: the last error of its log and what to do about it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "server/engine.h"

enum { LOG_TAIL = 32768, LINE_MAX_SHOWN = 220 };

/* Appends the end of what the present step wrote to the log. */
static void read_tail(const struct server *s, struct strbuf *out)
{
	char buf[4096];
	off_t end = s->log_fd >= 0 ? lseek(s->log_fd, 0, SEEK_END) : 0;
	off_t at = s->log_from;
	ssize_t n;

	if (end - at > LOG_TAIL)
		at = end - LOG_TAIL;
	while (at < end && (n = pread(s->log_fd, buf, sizeof(buf), at)) > 0) {
		strbuf_add(out, buf, (size_t)n);
		at += n;
	}
}

bool server_log_has(const struct server *s, const char *text)
{
	struct strbuf tail;
	bool has;

	strbuf_init(&tail);
	read_tail(s, &tail);
	has = strstr(tail.buf, text) != NULL;
	strbuf_release(&tail);
	return has;
}

/* The last line with one of the severities, with a text (NULL: any) and without another one, from
 * the severity on; NULL when there is none. The text is cut at its end. */
static char *last_error(char *text, const char *const *severities, const char *with,
			const char *without)
{
	char *last = NULL, *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		if ((with && !strstr(line, with)) || (without && strstr(line, without)))
			continue;
		for (const char *const *p = severities; *p; p++) {
			char *found = strstr(line, *p);

			if (found) {
				last = found;
				break;
			}
		}
	}
	return last;
}

/* The error that the hint is about says more than the last one. */
static const char *known_error(struct strbuf *tail, const char *hint, const char *const *severities,
			       const char *noise)
{
	char *copy = xstrdup(tail->buf);
	char *line = hint ? last_error(copy, severities, hint, noise) : NULL;

	if (line) {
		strbuf_reset(tail);
		strbuf_addstr(tail, line);
		line = tail->buf;
	} else {
		line = last_error(tail->buf, severities, NULL, noise);
	}
	free(copy);
	return line;
}

/* NULL: the settings given are not to blame, as far as one can see. The caller frees it. */
static char *advice_on_settings(const struct server *s, const char *line, bool hinted)
{
	const char *engine = dialect_name(s->ops->dialect);

	for (size_t i = 0; i < s->nsettings; i++) {
		const struct server_setting *set = &s->settings[i];

		if (server_names_setting(s->ops, line, set->name))
			return xasprintf("correct --set %s:%s=%s or leave it out", engine,
					 set->name, set->value);
	}
	if (hinted || !s->nsettings)
		return NULL;
	return xasprintf("try without --set %s:%s=%s%s, or see its log, which --keep leaves: %s",
			 engine, s->settings[0].name, s->settings[0].value,
			 s->nsettings > 1 ? " and the others" : "", s->log);
}

void server_explain(const struct server *s, const char *what, const char *reason, bool only_fatal,
		    struct err *err)
{
	const char *const *severities = only_fatal ? s->ops->fatal : s->ops->severities;
	const struct server_hint *hint = s->ops->hints;
	struct strbuf tail;
	const char *line;
	char *advice;

	strbuf_init(&tail);
	read_tail(s, &tail);
	/* A hint may stand on another line than the last error. */
	while (hint->text && !strstr(reason ? reason : tail.buf, hint->text))
		hint++;
	line = reason ? reason : known_error(&tail, hint->text, severities, s->ops->noise);
	advice = only_fatal ? NULL : advice_on_settings(s, line ? line : "", hint->text != NULL);
	if (!advice && !hint->text)
		advice = xasprintf("its log, which --keep leaves, is %s", s->log);
	err_set(err, -EIO, "%s %s%s%.*s; %s", s->ops->title, what, line ? ": " : "", LINE_MAX_SHOWN,
		line ? line : "", advice ? advice : hint->advice);
	free(advice);
	strbuf_release(&tail);
}
