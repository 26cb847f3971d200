#include "config.h"

#include "app/session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session_internal.h"
#include "lib/clock.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"
#include "measure/icount_run.h"
#include "proc/child.h"
#include "variant/variant.h"

static const int signal_numbers[SESSION_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

void session_changed(struct session *s)
{
	s->model.generation++;
	if (s->screen)
		s->front->changed(s->screen);
}

void session_say(struct session *s, enum message_level level, const char *fmt, ...)
{
	const struct message *last;
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	messages_add(&s->model.messages, level, "%s", text);
	free(text);
	last = messages_at(&s->model.messages, s->model.messages.len - 1);
	if (!s->live && last)
		batch_message(s, level, last->text);
	session_changed(s);
}

/* Those that nobody has named and that cannot do what the workload asks for. */
static void leave_out(struct session *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->nvariants; i++) {
		const char *option,
			*cannot = variant_cannot(&s->variants[i], &s->opt->workload, &option);

		if (cannot)
			session_say(s, MESSAGE_INFO, "variant %s is left out with %s: it %s",
				    s->variants[i].name, option, cannot);
		else
			s->variants[n++] = s->variants[i];
	}
	s->nvariants = n;
}

static int load_variants(struct session *s, struct err *err)
{
	const struct app_options *o = s->opt;
	static const char *const batch_default[] = {"pername", "skiplocked"};

	if (!o->variants.len && s->live) {
		s->nvariants = (unsigned)variant_builtin(s->variants, SESSION_VARIANTS_MAX, err);
		leave_out(s);
		snprintf(s->base, sizeof(s->base), "%s", o->base ? o->base : "pername");
		return s->nvariants ? 0 : -ENOENT;
	}
	for (size_t i = 0; i < (o->variants.len ? o->variants.len : 2); i++) {
		const char *name = o->variants.len ? o->variants.items[i] : batch_default[i];

		if (s->nvariants == SESSION_VARIANTS_MAX)
			return err_set(err, -EINVAL, "more than %d variants; name fewer",
				       SESSION_VARIANTS_MAX);
		if (variant_load(&s->variants[s->nvariants], name, err) < 0)
			return -EINVAL;
		for (unsigned k = 0; k < s->nvariants; k++) {
			if (!strcmp(s->variants[k].name, s->variants[s->nvariants].name))
				return err_set(err, -EINVAL,
					       "variant '%s' is named twice; give "
					       "the folder of one of them another name",
					       name);
		}
		s->nvariants++;
	}
	if (!o->variants.len)
		leave_out(s);
	snprintf(s->base, sizeof(s->base), "%s", o->base ? o->base : s->variants[0].name);
	return 0;
}

static int check_base(const struct session *s, struct err *err)
{
	for (unsigned i = 0; i < s->nvariants; i++) {
		if (!strcmp(s->variants[i].name, s->base))
			return 0;
	}
	if (!s->opt->base && s->live)
		return 0;
	return err_set(err, -EINVAL,
		       "--base: '%s' is none of the variants that run; name it with "
		       "--variant, too",
		       s->base);
}

static int find_users(struct session *s, struct err *err)
{
	const char *name = s->opt->user ? s->opt->user : getenv("SUDO_USER");

	if (geteuid() != 0) {
		if (s->opt->user || s->opt->server_user)
			return err_set(err, -EPERM,
				       "--user and --server-user need root; leave "
				       "them out, everything then runs as you");
		return 0;
	}
	if (s->opt->server_user) {
		uid_t uid;
		gid_t gid;

		if (child_find_user(s->opt->server_user, &uid, &gid, err) < 0) {
			err_prefix(err, "--server-user");
			return -ENOENT;
		}
		if (uid == 0)
			return err_set(err, -EPERM,
				       "--server-user: servers do not run as root; name another "
				       "user");
	}
	if (!name || !*name || !strcmp(name, "root"))
		return 0;
	s->drop = true;
	return child_find_user(name, &s->uid, &s->gid, err);
}

void session_server_options(const struct session *s, enum dialect d, struct server_options *out)
{
	*out = (struct server_options){
		.dialect = d,
		.bin_dir = s->opt->server_bin[d],
		.bin_variable = s->opt->server_bin_variable[d],
		.port = s->opt->server_port[d],
		.port_asked = s->opt->server_port_asked[d],
		.user = s->opt->server_user,
		.settings = s->opt->settings[d].items,
		.nsettings = s->opt->settings[d].len,
	};
}

/* The statements of all that will run on d, before anything does. */
static int check_sql(const struct session *s, enum dialect d, struct err *err)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		struct variant_sql sql = {.file = ""};
		int rc = variant_load_sql(&sql, &s->variants[v], d, err);

		if (rc == 0)
			rc = variant_fits(&s->variants[v], &sql, &s->opt->workload, err);
		variant_sql_release(&sql);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Whether d has all that it takes: a client, a server, SQL; -ENOENT or -ENOSYS with err when not. A
 * place that was given and has no server and SQL that is wrong are usage errors (-EINVAL), whoever
 * asked. */
static int try_dialect(const struct session *s, enum dialect d, struct err *err, int *status)
{
	struct server_options so;
	char path[4096];
	int rc;

	*status = 1;
	session_server_options(s, d, &so);
	if (!db_ops_for(d))
		return db_missing(d, err);
	if (!server_find(d, &so, path, sizeof(path), err)) {
		if (!so.bin_dir || !*so.bin_dir)
			return -ENOENT;
		*status = 2;
		return -EINVAL;
	}
	rc = check_sql(s, d, err);
	if (rc < 0)
		*status = 2;
	return rc;
}

static int nothing_there(char why[DIALECT_COUNT][sizeof(((struct err *)0)->text)], struct err *err)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (int d = 0; d < DIALECT_COUNT; d++)
		strbuf_addf(&sb, "%s%s: %s", d ? "; " : "", dialect_name((enum dialect)d), why[d]);
	err_set(err, -ENOENT, "no database is there to measure: %s", sb.buf);
	strbuf_release(&sb);
	return -ENOENT;
}

static bool has_dialect(const struct session *s, enum dialect d)
{
	for (unsigned i = 0; i < s->ndialects; i++)
		if (s->dialects[i] == d)
			return true;
	return false;
}

/* A setting of a server that will not run would change nothing. */
static int check_settings(const struct session *s, struct err *err)
{
	for (int d = 0; d < DIALECT_COUNT; d++) {
		const struct server_setting *set = s->opt->settings[d].items;
		const char *name = dialect_name((enum dialect)d);

		if (s->opt->settings[d].len && !has_dialect(s, (enum dialect)d))
			return err_set(err, -EINVAL,
				       "--set %s:%s=%s: %s is none of the databases that run; "
				       "leave it out or name %s with --dialect",
				       name, set->name, set->value, name, name);
	}
	return 0;
}

/* The databases to use: exactly those asked for, or all that are there; the others are named. */
static int find_servers(struct session *s, struct err *err, int *status)
{
	char why[DIALECT_COUNT][sizeof(err->text)] = {""};

	for (size_t i = 0; i < (s->opt->ndialects ? s->opt->ndialects : DIALECT_COUNT); i++) {
		enum dialect d = s->opt->ndialects ? s->opt->dialects[i] : (enum dialect)i;
		int rc = try_dialect(s, d, err, status);

		if (rc == 0)
			s->dialects[s->ndialects++] = d;
		else if (s->opt->ndialects || (rc != -ENOENT && rc != -ENOSYS))
			return rc;
		else
			text_copy(why[d], sizeof(why[d]), err->text);
	}
	*status = 2;
	if (s->ndialects && check_settings(s, err) < 0)
		return -EINVAL;
	*status = 1;
	if (!s->ndialects)
		return nothing_there(why, err);
	for (int d = 0; d < DIALECT_COUNT; d++) {
		if (why[d][0])
			session_say(s, MESSAGE_WARNING, "%s is left out: %s",
				    dialect_name((enum dialect)d), why[d]);
	}
	return 0;
}

static int check_all(struct session *s, struct err *err, int *status)
{
	struct measure_options mo = {
		.counters = s->opt->counters,
		.cpu = s->opt->cpu,
		.proc_root = "/proc",
		.sys_root = "/sys",
	};
	char program[4096], tool[4096];

	*status = 2;
	if (load_variants(s, err) < 0 || check_base(s, err) < 0 || find_users(s, err) < 0)
		return -EINVAL;
	*status = 1;
	if (child_find_program("cputop-keeper", program, sizeof(program), err) < 0 ||
	    child_find_program("cputop-load", program, sizeof(program), err) < 0 ||
	    find_servers(s, err, status) < 0)
		return -ENOENT;
	*status = 2;
	if (output_prepare(s, err) < 0)
		return -EINVAL;
	*status = 1;
	measure_sweep_cgroups("/proc");
	if (tmpdir_create(&s->tmp, err) < 0)
		return -EACCES;
	s->tmp.keep = s->opt->keep;
	mo.icount.roles = s->opt->icount_roles;
	mo.icount.dir = s->tmp.path;
	if (child_find_program(ICOUNT_TOOL, tool, sizeof(tool), NULL) == 0)
		mo.icount.tool = tool;
	s->measure = measure_new(&mo, err);
	return s->measure ? 0 : -EIO;
}

struct session *session_new(uv_loop_t *loop, const struct app_options *options, struct err *err,
			    int *status)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->loop = loop;
	s->opt = options;
	s->live = !options->batch;
	s->tmp.lock_fd = -1;
	if (check_all(s, err, status) < 0) {
		session_free(s);
		return NULL;
	}
	plan_build(&s->plan, s->dialects, s->ndialects, s->nvariants, options->workload.repeat);
	s->plan_running = !s->live;
	s->want_dialect = s->dialects[0];
	measure_host(&s->host, "/proc", "/sys", s->tmp.path);
	s->model.workload = options->workload;
	s->model.rate = options->workload.rate_max ? -1 : options->workload.rate;
	s->model.delay_s = options->delay_s;
	s->model.plan_total = (unsigned)s->plan.len;
	s->model.counters = measure_counters(s->measure);
	s->model.progress = -1;
	s->model.variant = s->variants[0];
	snprintf(s->model.base, sizeof(s->model.base), "%s", s->base);
	return s;
}

static void signal_cb(uv_signal_t *h, int number)
{
	struct session *s = h->data;

	if (s->signal)
		return;
	s->signal = number;
	session_say(s, MESSAGE_WARNING, "%s: stopping",
		    number == SIGINT    ? "interrupted"
		    : number == SIGTERM ? "terminated"
					: "hung up");
	session_end_begin(s, 1);
}

int session_start(struct session *s, const struct frontend *frontend, struct err *err)
{
	struct frontend_options fo = {.mouse = !s->opt->no_mouse};

	for (int i = 0; i < SESSION_SIGNALS; i++) {
		uv_signal_init(s->loop, &s->signals[i]);
		s->signals[i].data = s;
		uv_signal_start(&s->signals[i], signal_cb, signal_numbers[i]);
	}
	s->signals_open = true;
	uv_timer_init(s->loop, &s->tick);
	s->tick.data = s;
	s->tick_open = true;
	session_fill_facts(s);
	if (frontend) {
		s->front = frontend;
		s->screen = frontend->open(s->loop, &s->model, &live_ops, s, &fo, err);
		if (!s->screen) {
			s->front = NULL;
			session_end_begin(s, 1);
			return -EIO;
		}
		uv_timer_start(&s->tick, live_tick_cb, 0, (uint64_t)(s->opt->delay_s * 1000));
	}
	session_next(s);
	return 0;
}

void session_end_begin(struct session *s, int status)
{
	if (s->ending)
		return;
	s->ending = true;
	s->status = status;
	session_end_step(s);
}

static void close_handles(struct session *s)
{
	if (s->screen) {
		s->front->close(s->screen);
		s->screen = NULL;
	}
	if (s->tick_open)
		uv_close((uv_handle_t *)&s->tick, NULL);
	for (int i = 0; s->signals_open && i < SESSION_SIGNALS; i++)
		uv_close((uv_handle_t *)&s->signals[i], NULL);
	for (int i = 0; i < SESSION_SIGNALS; i++)
		signal(signal_numbers[i], SIG_IGN); /* what is left is saving and clearing up */
	s->tick_open = s->signals_open = false;
}

void session_end_step(struct session *s)
{
	if (!s->ending || s->ended)
		return;
	if (s->run) {
		run_stop(s->run, true);
		return;
	}
	if (session_servers_up(s)) {
		session_next(s); /* stops them */
		return;
	}
	s->ended = true;
	close_handles(s);
}

struct session_end session_finish(struct session *s)
{
	struct session_end end;

	output_finish(s);
	if (s->tmp.keep)
		fprintf(stderr, "cputop: kept %s\n", s->tmp.path);
	end.status = s->status;
	end.signal = s->signal;
	return end;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->windows.len; i++) {
		window_release(s->windows.items[i]);
		free(s->windows.items[i]);
	}
	vec_release(&s->windows);
	vec_release(&s->relations);
	for (int d = 0; d < DIALECT_COUNT; d++)
		vec_release(&s->facts[d].settings);
	live_release(s);
	free(s->model.results);
	free(s->model.processes);
	plan_release(&s->plan);
	measure_free(s->measure);
	tmpdir_remove(&s->tmp);
	free(s);
}
