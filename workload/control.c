#include "config.h"

#include "workload/control.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "db/db.h"
#include "lib/err.h"
#include "lib/format.h"
#include "lib/strbuf.h"

/* Takes whole lines off the buffer. The callback may close. */
static void take_lines(struct control *c)
{
	char *end;

	while (c->fd >= 0 && (end = memchr(c->buf, '\n', c->len)) != NULL) {
		size_t n = (size_t)(end - c->buf) + 1;

		*end = '\0';
		c->line(c->arg, c->buf);
		c->len -= n;
		memmove(c->buf, c->buf + n, c->len);
		explicit_bzero(c->buf + c->len, n);
	}
}

static void poll_cb(uv_poll_t *handle, int status, int events)
{
	struct control *c = handle->data;
	ssize_t n;

	(void)events;
	if (status == 0) {
		n = recv(c->fd, c->buf + c->len, sizeof(c->buf) - c->len, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n > 0) {
			c->len += (size_t)n;
			take_lines(c);
		}
		/* a line that fills the buffer is no line of ours */
		if (n > 0 && c->len < sizeof(c->buf))
			return;
	}
	if (c->fd >= 0)
		c->line(c->arg, NULL);
}

int control_init(struct control *c, uv_loop_t *loop, int fd, void (*line)(void *arg, char *line),
		 void *arg, struct err *err)
{
	int rc;

	memset(c, 0, sizeof(*c));
	c->fd = -1;
	c->line = line;
	c->arg = arg;
	rc = uv_poll_init_socket(loop, &c->poll, fd);
	if (rc < 0)
		return err_set(err, rc,
			       "descriptor %d is no control socket: %s; start it from cputop", fd,
			       uv_strerror(rc));
	c->fd = fd;
	c->poll.data = c;
	return uv_poll_start(&c->poll, UV_READABLE, poll_cb);
}

void control_send(struct control *c, const char *word, const char *text)
{
	struct strbuf sb;

	if (c->fd < 0)
		return;
	strbuf_init(&sb);
	strbuf_addstr(&sb, word);
	if (text)
		strbuf_addf(&sb, " %s", text);
	strbuf_addch(&sb, '\n');
	control_write(c, &sb);
	strbuf_release(&sb);
}

void control_write(struct control *c, const struct strbuf *lines)
{
	/* what a run has to say fits into the socket's buffer; nobody must wait for a reader */
	if (c->fd >= 0)
		(void)send(c->fd, lines->buf, lines->len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void control_close(struct control *c)
{
	if (c->fd < 0)
		return;
	uv_poll_stop(&c->poll);
	uv_close((uv_handle_t *)&c->poll, NULL);
	explicit_bzero(c->buf, sizeof(c->buf));
	c->fd = -1;
}

/* Copies the next word of *text into out. */
static bool take_word(char **text, char *out, size_t size)
{
	size_t n = strcspn(*text, " ");

	if (n >= size)
		return false;
	memcpy(out, *text, n);
	out[n] = '\0';
	*text += n;
	if (**text == ' ')
		++*text;
	return true;
}

bool control_parse_dsn(char *text, struct db_dsn *dsn)
{
	char port[8];
	uint64_t number;

	if (!take_word(&text, dsn->host, sizeof(dsn->host)) ||
	    !take_word(&text, port, sizeof(port)) ||
	    !take_word(&text, dsn->user, sizeof(dsn->user)) ||
	    !take_word(&text, dsn->password, sizeof(dsn->password)) ||
	    !take_word(&text, dsn->database, sizeof(dsn->database)) ||
	    !take_word(&text, dsn->schema, sizeof(dsn->schema)))
		return false;
	if (!dsn->host[0] || !dsn->user[0] || !dsn->database[0] || *text)
		return false;
	if (!parse_u64(port, &number) || number == 0 || number > 65535)
		return false;
	dsn->port = (unsigned)number;
	return true;
}
