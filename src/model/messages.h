/* The messages of a session: what happened, for the messages screen and for stderr in batch. A
 * ring: the oldest go. */
#ifndef CPUTOP_MESSAGES_H
#define CPUTOP_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#define MESSAGES_MAX 512

enum message_level { MESSAGE_INFO, MESSAGE_WARNING, MESSAGE_ERROR };

struct message {
	uint64_t wall_ns;
	enum message_level level;
	char text[256]; /* one line, escaped, UTF-8 */
};

struct messages {
	struct message ring[MESSAGES_MAX];
	size_t len;     /* how many are in the ring */
	size_t next;    /* where the next one goes */
	uint64_t total; /* how many there ever were */
};

void messages_add(struct messages *m, enum message_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The i-th oldest message that is still there, NULL beyond the end. */
const struct message *messages_at(const struct messages *m, size_t i);

#endif
