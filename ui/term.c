/*
 * The terminal is opened by name twice, once for reading and once for writing: the loop makes what
 * it polls non-blocking, and that must neither reach the shell that shares our standard input nor
 * the descriptor that curses writes to.
 *
 * Keys are read raw: Ctrl-C and Ctrl-Z are keys like others. Signals are events of the loop; curses
 * is not allowed to keep the handlers that it installs.
 */
#include "config.h"

#include "ui/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <uv.h>

#include "lib/err.h"
#include "lib/xalloc.h"
#include "ui/keys.h"
#include "ui/restore.h"

#define ESC_DELAY_MS 25

struct term {
	struct term_events events;
	uv_loop_t *loop;
	FILE *in, *out; /* owned */
	SCREEN *screen; /* owned */
	uv_poll_t poll;
	uv_signal_t winch, tstp, cont;
	int open_handles;
	bool utf8, color, mouse, closed;
	int width, height;
};

static const int curses_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define CURSES_SIGNALS (sizeof(curses_signals) / sizeof(curses_signals[0]))

static int open_tty(void)
{
	char name[256];
	int fd = -1;

	if (isatty(STDIN_FILENO) && ttyname_r(STDIN_FILENO, name, sizeof(name)) == 0)
		fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	return fd;
}

static FILE *open_tty_file(const char *mode)
{
	int fd = open_tty(), saved;
	FILE *f;

	if (fd < 0)
		return NULL;
	f = fdopen(fd, mode);
	if (!f) {
		saved = errno;
		close(fd);
		errno = saved;
	}
	return f;
}

static void read_size(struct term *t)
{
	struct winsize ws;

	t->width = COLS;
	t->height = LINES;
	if (ioctl(fileno(t->out), TIOCGWINSZ, &ws) == 0 && ws.ws_col && ws.ws_row) {
		t->width = ws.ws_col;
		t->height = ws.ws_row;
	}
	if (is_term_resized(t->height, t->width))
		resizeterm(t->height, t->width);
}

/* Curses catches signals behind our back; what was there before is put back. */
static SCREEN *new_screen(FILE *out, FILE *in)
{
	struct sigaction old[CURSES_SIGNALS];
	SCREEN *screen;

	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], NULL, &old[i]);
	screen = newterm(NULL, out, in);
	for (size_t i = 0; i < CURSES_SIGNALS; i++)
		sigaction(curses_signals[i], &old[i], NULL);
	/* One that cannot place its cursor ("dumb") is known, and useless. */
	if (screen && !tigetstr("cup")) {
		endwin();
		delscreen(screen);
		screen = NULL;
	}
	return screen;
}

static void set_modes(struct term *t)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	if (t->color) {
		start_color();
		use_default_colors();
	}
	if (t->mouse) {
		mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED,
			  NULL);
		mouseinterval(0);
	}
}

static int special_key(int code)
{
	static const struct {
		int code, key;
	} map[] = {
		{KEY_UP, K_UP},       {KEY_DOWN, K_DOWN},     {KEY_LEFT, K_LEFT},
		{KEY_RIGHT, K_RIGHT}, {KEY_PPAGE, K_PAGE_UP}, {KEY_NPAGE, K_PAGE_DOWN},
		{KEY_HOME, K_HOME},   {KEY_END, K_END},       {KEY_BTAB, K_BACK_TAB},
		{KEY_DC, K_DELETE},   {KEY_ENTER, K_ENTER},   {KEY_BACKSPACE, K_BACKSPACE},
		{KEY_FIND, K_HOME},   {KEY_SELECT, K_END},
	};

	if (code > KEY_F(0) && code <= KEY_F(24))
		return K_F(code - KEY_F(0));
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].code == code)
			return map[i].key;
	}
	return 0;
}

static int plain_key(wint_t wc)
{
	if (wc == '\n')
		return K_ENTER;
	if (wc == '\b')
		return K_BACKSPACE;
	return (int)wc;
}

static void read_mouse(struct term *t)
{
	MEVENT ev;

	if (getmouse(&ev) != OK)
		return;
	if (ev.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		t->events.mouse(t->events.arg, MOUSE_CLICK, ev.x, ev.y);
	else if (ev.bstate & BUTTON4_PRESSED)
		t->events.mouse(t->events.arg, MOUSE_WHEEL_UP, ev.x, ev.y);
	else if (ev.bstate & BUTTON5_PRESSED)
		t->events.mouse(t->events.arg, MOUSE_WHEEL_DOWN, ev.x, ev.y);
}

/* The mouse as "\033[<BUTTON;X;YM" reports it, for terminals of which curses knows another way. */
static void sgr_mouse(struct term *t, const char *s)
{
	int button, x, y;
	char end;

	if (sscanf(s, "<%d;%d;%d%c", &button, &x, &y, &end) != 4 || end != 'M')
		return;
	if (button == 0)
		t->events.mouse(t->events.arg, MOUSE_CLICK, x - 1, y - 1);
	else if (button == 64 || button == 65)
		t->events.mouse(t->events.arg, button == 64 ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN,
				x - 1, y - 1);
}

/* After Esc: a control sequence that curses does not know must not be taken for keys. */
static bool read_sequence(struct term *t)
{
	char text[32] = "";
	size_t len = 0;
	wint_t wc;

	if (get_wch(&wc) != OK)
		return false;
	if (wc != '[' && wc != 'O') {
		unget_wch((wchar_t)wc);
		return false;
	}
	while (get_wch(&wc) == OK && wc < 0x7f) {
		if (len + 1 < sizeof(text))
			text[len++] = (char)wc;
		if (wc >= 0x40)
			break;
	}
	if (text[0] == '<' && t->mouse)
		sgr_mouse(t, text);
	return true;
}

/* One key; false when there is none. */
static bool read_key(struct term *t)
{
	wint_t wc;
	int key, rc = get_wch(&wc);

	if (rc == ERR)
		return false;
	if (rc == OK && wc == K_ESC && read_sequence(t))
		return true;
	if (rc == KEY_CODE_YES && wc == KEY_MOUSE) {
		read_mouse(t);
		return true;
	}
	key = rc == KEY_CODE_YES ? special_key((int)wc) : plain_key(wc);
	if (key > 0)
		t->events.key(t->events.arg, key);
	return true;
}

static bool hung_up(const struct term *t)
{
	struct pollfd p = {.fd = fileno(t->in), .events = POLLIN};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static void poll_cb(uv_poll_t *handle, int status, int events)
{
	struct term *t = handle->data;
	bool any = false;

	(void)events;
	while (!t->closed && read_key(t))
		any = true;
	/* A terminal that is gone is readable for ever. */
	if (!t->closed && !any && (status < 0 || hung_up(t))) {
		uv_poll_stop(&t->poll);
		t->events.hangup(t->events.arg);
	}
}

static void winch_cb(uv_signal_t *handle, int signum)
{
	struct term *t = handle->data;

	(void)signum;
	if (t->closed)
		return;
	read_size(t);
	t->events.resized(t->events.arg);
}

static void tstp_cb(uv_signal_t *handle, int signum)
{
	struct term *t = handle->data;

	(void)signum;
	if (!t->closed)
		t->events.stop(t->events.arg);
}

/* After a SIGSTOP nobody could give the terminal back: whoever had it meanwhile changed it. */
static void cont_cb(uv_signal_t *handle, int signum)
{
	struct term *t = handle->data;

	(void)signum;
	if (t->closed)
		return;
	reset_prog_mode();
	term_repaint(t);
	read_size(t);
	t->events.resized(t->events.arg);
}

static void start_signal(struct term *t, uv_signal_t *handle, uv_signal_cb cb, int signum)
{
	uv_signal_init(t->loop, handle);
	handle->data = t;
	uv_signal_start(handle, cb, signum);
	t->open_handles++;
}

static int start_handles(struct term *t, struct err *err)
{
	int rc = uv_poll_init(t->loop, &t->poll, fileno(t->in));

	if (rc < 0)
		return err_set(err, rc, "the terminal cannot be watched: %s", uv_strerror(rc));
	t->poll.data = t;
	t->open_handles++;
	uv_poll_start(&t->poll, UV_READABLE | UV_DISCONNECT, poll_cb);
	start_signal(t, &t->winch, winch_cb, SIGWINCH);
	start_signal(t, &t->tstp, tstp_cb, SIGTSTP);
	start_signal(t, &t->cont, cont_cb, SIGCONT);
	return 0;
}

static void close_files(struct term *t)
{
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	t->in = t->out = NULL;
}

static void close_screen(struct term *t)
{
	restore_disarm();
	endwin();
	/* What was typed while everything stopped is not the shell's. */
	tcflush(fileno(t->in), TCIFLUSH);
	delscreen(t->screen);
	t->screen = NULL;
}

static int open_screen(struct term *t, const struct term_options *options, struct err *err)
{
	const char *type = getenv("TERM"), *no_color = getenv("NO_COLOR");

	t->in = open_tty_file("r");
	t->out = t->in ? open_tty_file("w") : NULL;
	if (!t->out)
		return err_set(err, -errno,
			       "no terminal to draw on: %s; -b prints the table without one",
			       strerror(errno));
	restore_arm(fileno(t->out));
	t->screen = new_screen(t->out, t->in);
	if (!t->screen) {
		restore_disarm();
		return err_set(err, -EINVAL,
			       "the terminal type '%s' is not known here, or cannot be drawn on; "
			       "try TERM=xterm, or -b",
			       type ? type : "");
	}
	set_term(t->screen);
	set_escdelay(ESC_DELAY_MS);
	t->mouse = options->mouse;
	t->color = options->color && !(no_color && *no_color) && has_colors();
	set_modes(t);
	read_size(t);
	return 0;
}

struct term *term_open(uv_loop_t *loop, const struct term_options *options,
		       const struct term_events *events, struct err *err)
{
	struct term *t = xcalloc(1, sizeof(*t));

	t->loop = loop;
	t->events = *events;
	setlocale(LC_CTYPE, "");
	t->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (open_screen(t, options, err) < 0)
		goto fail;
	if (start_handles(t, err) < 0) {
		close_screen(t);
		goto fail;
	}
	return t;
fail:
	close_files(t);
	free(t);
	return NULL;
}

static void closed_cb(uv_handle_t *handle)
{
	struct term *t = handle->data;
	struct term_events events = t->events;

	if (--t->open_handles > 0)
		return;
	close_files(t);
	free(t);
	events.closed(events.arg);
}

void term_close(struct term *t)
{
	if (t->closed)
		return;
	t->closed = true;
	close_screen(t);
	uv_close((uv_handle_t *)&t->poll, closed_cb);
	uv_close((uv_handle_t *)&t->winch, closed_cb);
	uv_close((uv_handle_t *)&t->tstp, closed_cb);
	uv_close((uv_handle_t *)&t->cont, closed_cb);
}

bool term_utf8(const struct term *t)
{
	return t->utf8;
}

bool term_color(const struct term *t)
{
	return t->color;
}

void term_size(const struct term *t, int *width, int *height)
{
	*width = t->width;
	*height = t->height;
}

void term_suspend(struct term *t, bool group)
{
	def_prog_mode();
	endwin();
	/* Without a handle for it the signal does what it does by default. */
	uv_signal_stop(&t->tstp);
	if (group)
		kill(0, SIGTSTP);
	else
		raise(SIGTSTP);
	uv_signal_start(&t->tstp, tstp_cb, SIGTSTP);
	reset_prog_mode();
	term_repaint(t);
	read_size(t);
}

void term_repaint(struct term *t)
{
	(void)t;
	clearok(curscr, TRUE);
}

void term_send(struct term *t, const char *bytes, size_t len)
{
	fwrite(bytes, 1, len, t->out);
	fflush(t->out);
}
