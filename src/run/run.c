#include "config.h"

#include "run/run.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "lib/xalloc.h"
#include "run/run_internal.h"

/* How long a lost connection waits for the news that its server has died, the better reason. */
#define FAIL_SOON_MS 300

struct run *run_new(const struct run_config *config, const struct run_callbacks *cb, void *arg)
{
	struct run *r = xcalloc(1, sizeof(*r));

	r->cfg = *config;
	r->cb = *cb;
	r->arg = arg;
	r->admin = admin_sql(server_dialect(config->server));
	r->dsn = *server_dsn(config->server);
	r->page_fd = -1;
	r->window_wanted = true;
	for (int i = 0; i < RUN_ROLES; i++)
		r->log_fd[i] = -1;
	uv_timer_init(config->loop, &r->timer);
	r->timer.data = r;
	r->timer_open = true;
	return r;
}

/* The table in run_internal.h. */
static bool may_follow(enum phase from, enum phase to)
{
	static const unsigned next[PHASE_COUNT] = {
		[PHASE_IDLE] = 1U << PHASE_TABLES,
		[PHASE_TABLES] = 1U << PHASE_FILLING,
		[PHASE_FILLING] = 1U << PHASE_SETTLING,
		[PHASE_SETTLING] = 1U << PHASE_STARTING,
		[PHASE_STARTING] = 1U << PHASE_WARMUP,
		[PHASE_WARMUP] = 1U << PHASE_WARMUP | 1U << PHASE_ALIGN | 1U << PHASE_LIVE,
		[PHASE_ALIGN] = 1U << PHASE_WARMUP | 1U << PHASE_WINDOW | 1U << PHASE_LIVE,
		[PHASE_WINDOW] = 1U << PHASE_WARMUP | 1U << PHASE_LIVE,
		[PHASE_LIVE] = 1U << PHASE_WARMUP | 1U << PHASE_ALIGN,
		[PHASE_STOPPING] = 1U << PHASE_IDLE,
	};

	return (to == PHASE_STOPPING && from != to) || next[from] & 1U << to;
}

void run_enter(struct run *r, enum phase phase, const char *detail)
{
	bool right = may_follow(r->phase, phase);

	assert(right);
	(void)right; /* without assertions */
	r->phase = phase;
	if (phase == PHASE_IDLE)
		return;
	r->cb.phase(r, phase, detail, -1, r->arg);
}

void run_say(struct run *r, enum message_level level, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	r->cb.message(r, level, text, r->arg);
	free(text);
}

bool run_ending(const struct run *r)
{
	return r->stopping || r->failing;
}

static void fail_soon_cb(uv_timer_t *t)
{
	struct run *r = t->data;

	run_fail(r, &r->err);
}

void run_fail_soon(struct run *r, const struct err *err)
{
	if (r->stopping)
		run_fail(r, err);
	if (run_ending(r))
		return;
	r->failing = true;
	r->err = *err;
	if (r->window)
		run_window_drop(r, err->text);
	uv_update_time(r->cfg.loop);
	uv_timer_start(&r->timer, fail_soon_cb, FAIL_SOON_MS, 0);
}

void run_fail(struct run *r, const struct err *err)
{
	if (!r->failed && !r->finished) {
		r->failed = true;
		r->err = *err;
	}
	if (r->window)
		run_window_drop(r, r->err.text);
	r->quick = true;
	if (!r->stopping)
		run_end_begin(r);
	else
		run_end_step(r);
}

void run_failf(struct run *r, const char *fmt, ...)
{
	struct err err = {0};
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	err_set(&err, -EIO, "%s", text);
	free(text);
	run_fail(r, &err);
}

void run_timer(struct run *r, uint64_t ms, uv_timer_cb cb)
{
	if (r->failing && !r->stopping)
		return; /* the timer is that of run_fail_soon */
	uv_update_time(r->cfg.loop);
	uv_timer_start(&r->timer, cb, ms, 0);
}

/* A server's complaint about a variant's statement, with the line of the file it is about. */
static void fail_statement(struct run *r, const struct db_result *res, enum statement s)
{
	struct err err = {0};

	variant_sql_error(&err, &r->sql, s, r->sql.text[s] ? r->sql.text[s] : "",
			  res->error_position, res->error);
	run_fail(r, &err);
}

bool run_result_ok(struct run *r, const struct db_result *res, enum statement s, const char *what)
{
	r->db_pending--;
	if (r->stopping && !r->checking) {
		run_end_step(r);
		return false;
	}
	if (r->failing && !r->stopping)
		return false;
	if (res->status == DB_OK)
		return true;
	if (res->status == DB_BROKEN)
		run_failf(r, "cputop's own connection to the server broke: %s", res->error);
	else if (s < STATEMENT_COUNT)
		fail_statement(r, res, s);
	else
		run_failf(r, "%s failed: %s", what, res->error);
	return false;
}

void run_start(struct run *r)
{
	run_setup_begin(r);
}

void run_window(struct run *r)
{
	if (run_ending(r))
		return;
	switch (r->phase) {
	case PHASE_WINDOW:
		if (r->window && !r->window->done) {
			r->window->left = true;
			run_window_finish(r, "cancelled");
		}
		break;
	case PHASE_LIVE:
		r->window_wanted = true;
		run_align_begin(r);
		break;
	case PHASE_ALIGN:
		r->window_wanted = false;
		uv_timer_stop(&r->timer);
		run_enter(r, PHASE_LIVE, NULL);
		break;
	case PHASE_WARMUP:
		r->window_wanted = !r->window_wanted;
		run_enter(r, PHASE_WARMUP, r->window_wanted ? NULL : "no window follows");
		break;
	case PHASE_IDLE:
	case PHASE_SERVER:
	case PHASE_TABLES:
	case PHASE_FILLING:
	case PHASE_SETTLING:
	case PHASE_STARTING:
	case PHASE_STOPPING:
	case PHASE_COUNT:
	default:
		break;
	}
}

/* Ends it because somebody wants something else. */
static void leave_window(struct run *r, const char *reason)
{
	if (!r->window->done && !r->window->invalid_reason[0])
		r->window->left = true;
	run_window_drop(r, reason);
}

void run_set_rate(struct run *r, double rate)
{
	r->cfg.workload.rate_max = rate < 0;
	r->cfg.workload.rate = rate < 0 ? 0 : rate;
	if (!r->page || run_ending(r))
		return;
	atomic_store_explicit(&r->page->rate_mjobs,
			      rate < 0 ? JOBS_PAGE_RATE_MAX : (uint64_t)(rate * 1000 + 0.5),
			      memory_order_relaxed);
	if (r->phase < PHASE_WARMUP || r->phase > PHASE_LIVE)
		return;
	load_send(r->load[ROLE_PRODUCER], "rate");
	if (r->window) {
		leave_window(r, "the rate was changed");
		r->window_wanted = true;
	} else if (r->phase == PHASE_LIVE) {
		r->window_wanted = false;
	}
	run_warmup_begin(r);
}

void run_spoil_window(struct run *r, const char *reason)
{
	struct window *w = r->window;

	if (!w || w->invalid_reason[0])
		return;
	w->valid = false;
	text_copy(w->invalid_reason, sizeof(w->invalid_reason), reason);
}

void run_stop(struct run *r, bool quick)
{
	if (r->finished)
		return;
	r->quick = r->quick || quick;
	if (r->window)
		leave_window(r, "stopped before its end");
	if (!r->stopping)
		run_end_begin(r);
	else
		run_end_step(r);
}

void run_abort(struct run *r, const struct err *err)
{
	if (r->finished)
		return;
	if (r->window)
		run_window_drop(r, err->text);
	run_fail(r, err);
}

enum phase run_phase(const struct run *r)
{
	return r->phase;
}

const struct jobs_page *run_page(const struct run *r)
{
	return r->page;
}

const struct window *run_open_window(const struct run *r)
{
	return r->window;
}

uint64_t run_started_ns(const struct run *r)
{
	return r->started_ns;
}

void run_free(struct run *r)
{
	if (!r)
		return;
	for (int i = 0; i < RUN_ROLES; i++) {
		load_free(r->load[i]);
		if (r->log_fd[i] >= 0)
			close(r->log_fd[i]);
	}
	run_counts_release(r);
	jobs_page_unmap(r->page);
	if (r->page_fd >= 0)
		close(r->page_fd);
	variant_sql_release(&r->sql);
	db_dsn_release(&r->dsn);
	free(r);
}
