#include "config.h"

#include "model/messages.h"

#include <stdarg.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/strbuf.h"

void messages_add(struct messages *m, enum message_level level, const char *fmt, ...)
{
	struct message *message = &m->ring[m->next];
	struct strbuf text, safe;
	va_list ap;

	strbuf_init(&text);
	strbuf_init(&safe);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	escape_text(&safe, text.buf, text.len, true);

	message->wall_ns = clock_wall_ns();
	message->level = level;
	text_copy(message->text, sizeof(message->text), safe.buf);
	m->next = (m->next + 1) % MESSAGES_MAX;
	if (m->len < MESSAGES_MAX)
		m->len++;
	m->total++;

	strbuf_release(&safe);
	strbuf_release(&text);
}

const struct message *messages_at(const struct messages *m, size_t i)
{
	if (i >= m->len)
		return NULL;
	return &m->ring[(m->next + MESSAGES_MAX - m->len + i) % MESSAGES_MAX];
}
