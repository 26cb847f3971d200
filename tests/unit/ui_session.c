/* The session that only writes down. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "ui_session.h"

static void ask(struct session *s, const char *what)
{
	size_t len = strlen(s->asked);

	snprintf(s->asked + len, sizeof(s->asked) - len, "%s;", what);
}

static void op_window(struct session *s)
{
	ask(s, "window");
}

static void op_dialect(struct session *s, int step)
{
	ask(s, step > 0 ? "dialect+" : "dialect-");
}

static void op_variant(struct session *s, int step)
{
	ask(s, step > 0 ? "variant+" : "variant-");
}

static void op_all(struct session *s)
{
	ask(s, "all");
}

static void op_rate(struct session *s, double step)
{
	ask(s, step > 0 ? "rate+" : "rate-");
}

static void op_delay(struct session *s, double seconds)
{
	char text[32];

	snprintf(text, sizeof(text), "delay %d", (int)(seconds * 1000));
	ask(s, text);
}

static void op_restart(struct session *s)
{
	ask(s, "restart");
}

static int op_dump(struct session *s, char *name, size_t size, struct err *err)
{
	(void)err;
	ask(s, "dump");
	snprintf(name, size, "/tmp/a-name.json");
	return 0;
}

static int op_rc(struct session *s, char *name, size_t size, struct err *err)
{
	(void)name;
	(void)size;
	ask(s, "rc");
	return err_set(err, -EACCES, "no rc file today");
}

static void op_suspended(struct session *s, bool begin)
{
	ask(s, begin ? "suspend" : "resume");
}

static void op_quit(struct session *s)
{
	ask(s, "quit");
}

const struct session_ops ui_session_ops = {
	.window = op_window,
	.next_dialect = op_dialect,
	.next_variant = op_variant,
	.run_all = op_all,
	.rate = op_rate,
	.delay = op_delay,
	.restart = op_restart,
	.dump = op_dump,
	.write_rc = op_rc,
	.suspended = op_suspended,
	.quit = op_quit,
};
