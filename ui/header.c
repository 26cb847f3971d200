/* The two lines at the top: what runs, where it stands, and what is counted. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

#define BAR_MAX 10
#define BAR_MIN 3

/* The right end of the first line: words, and a bar or a spinner. */
struct standing {
	char text[160];
	double bar; /* < 0: none */
	bool spin;
	enum style style;
};

static const char *spinner(const struct view *v)
{
	static const char *const nice[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
	static const char *const ascii[] = {"|", "/", "-", "\\"};
	size_t turn = (size_t)(view_now_ns(v) / (100 * NS_PER_MS));

	return v->utf8 ? nice[turn % 10] : ascii[turn % 4];
}

static void seconds(char out[FORMAT_CELL_MAX], uint64_t ns)
{
	format_fixed(out, (double)(ns / NS_PER_S), 0);
}

/* "window 14/20 s" */
static void of_length(struct standing *st, const char *name, uint64_t elapsed, uint64_t length)
{
	char a[FORMAT_CELL_MAX], b[FORMAT_CELL_MAX];

	seconds(a, elapsed);
	format_fixed(b, (double)length / (double)NS_PER_S, length % NS_PER_S ? 1 : 0);
	snprintf(st->text, sizeof(st->text), "%s %s/%s s", name, a, b);
	st->bar = length ? (double)elapsed / (double)length : -1;
}

static uint64_t phase_elapsed_ns(const struct view *v, const struct model *m)
{
	uint64_t now = view_now_ns(v);

	return now > m->phase_since_ns ? now - m->phase_since_ns : 0;
}

static void setting_up(const struct view *v, const struct model *m, struct standing *st)
{
	char cell[FORMAT_CELL_MAX];

	if (m->progress >= 0) {
		format_fixed(cell, m->progress * 100, 0);
		snprintf(st->text, sizeof(st->text), "%s %s%%", phase_name(m->phase), cell);
		st->bar = m->progress;
		return;
	}
	view_elapsed(cell, phase_elapsed_ns(v, m));
	snprintf(st->text, sizeof(st->text), "%s %s", phase_name(m->phase), cell);
	st->spin = true;
}

static void describe(const struct view *v, const struct model *m, struct standing *st)
{
	char cell[FORMAT_CELL_MAX];
	uint64_t elapsed = phase_elapsed_ns(v, m);

	*st = (struct standing){.bar = -1, .style = STYLE_STRONG};
	if (m->window_open) {
		of_length(st, "window", m->window_elapsed_ns, m->window_length_ns);
	} else if (m->phase == PHASE_LIVE) {
		seconds(cell, m->basis_ns + NS_PER_S / 2);
		snprintf(st->text, sizeof(st->text), "last %s s", cell);
	} else if (m->phase == PHASE_IDLE) {
		snprintf(st->text, sizeof(st->text), "%s", m->failure[0] ? "stopped" : "idle");
		st->style = m->failure[0] ? STYLE_BAD : STYLE_DIM;
	} else if (m->phase == PHASE_WARMUP && m->workload.warmup_ns) {
		if (elapsed > m->workload.warmup_ns)
			elapsed = m->workload.warmup_ns;
		of_length(st, phase_name(m->phase), elapsed, m->workload.warmup_ns);
	} else {
		setting_up(v, m, st);
	}
	if (m->plan_running) {
		struct standing run = *st;

		snprintf(st->text, sizeof(st->text), "plan %u/%u  %.120s", m->plan_done,
			 m->plan_total, run.text);
	}
}

static void rate_text(const struct model *m, char *out, size_t size)
{
	char cell[FORMAT_CELL_MAX];

	if (m->rate < 0) {
		snprintf(out, size, "as many jobs as it takes");
		return;
	}
	if (m->rate > 0) {
		format_fixed(cell, m->rate, m->rate < 1 ? 2 : 0);
		snprintf(out, size, "%s jobs/s", cell);
		return;
	}
	snprintf(out, size, "idle queue");
}

/* "15.18 (Debian ...)": the first word is enough here. */
static void database_text(const struct model *m, char *out, size_t size)
{
	int len = (int)strcspn(m->server_version, " ");

	snprintf(out, size, "%s%s%.*s", dialect_name(m->dialect), len ? " " : "", len,
		 m->server_version);
}

/* Draws one fact after a separator, if all of it fits before end. */
static int add_fact(struct canvas *c, int x, int end, enum style style, const char *text)
{
	const struct glyphs *g = glyphs_get(c->utf8);

	if (!text[0] || x + 3 + canvas_measure(c, text) > end)
		return x;
	x += canvas_printf(c, x, 0, STYLE_DIM, " %s ", g->dot);
	return x + canvas_text(c, x, 0, -1, style, text);
}

static int left_width(const struct canvas *c, const char *database, const char *variant,
		      const char *rate)
{
	return 8 + canvas_measure(c, database) + 3 + canvas_measure(c, variant) + 3 +
	       canvas_measure(c, rate);
}

static void draw_left(struct canvas *c, int end, const char *database, const char *variant,
		      const char *rate)
{
	int x = 0;

	if (end >= 8 + canvas_measure(c, database) + 3 + canvas_measure(c, variant))
		x = 2 + canvas_text(c, 0, 0, end, STYLE_TITLE, "cputop");
	x += canvas_fit(c, x, 0, end - x, STYLE_STRONG, database);
	x = add_fact(c, x, end, STYLE_STRONG, variant);
	add_fact(c, x, end, STYLE_NORMAL, rate);
}

/* Returns the column where it begins. */
static int draw_standing(const struct view *v, struct canvas *c, const struct standing *st,
			 int left)
{
	int text = canvas_measure(c, st->text), frozen = v->frozen ? 8 : 0, bar = 0, x, begin;

	if (st->bar >= 0) {
		bar = c->width - left - text - frozen - 3;
		bar = bar > BAR_MAX ? BAR_MAX : bar < BAR_MIN ? 0 : bar;
	}
	x = c->width - text - frozen - (bar ? bar + 1 : 0) - (st->spin ? 2 : 0);
	begin = x = x < 0 ? 0 : x;
	if (frozen)
		x += 2 + canvas_text(c, x, 0, -1, STYLE_SELECTED, "FROZEN");
	x += canvas_text(c, x, 0, -1, st->style, st->text) + 1;
	if (bar)
		canvas_bar(c, x, 0, bar, st->bar);
	if (st->spin)
		canvas_text(c, x, 0, -1, STYLE_BAR, spinner(v));
	return begin;
}

static void draw_first(const struct view *v, const struct model *m, struct canvas *c)
{
	char database[96], rate[48];
	struct standing st;
	int begin;

	database_text(m, database, sizeof(database));
	rate_text(m, rate, sizeof(rate));
	describe(v, m, &st);
	begin = draw_standing(v, c, &st, left_width(c, database, m->variant.name, rate));
	draw_left(c, begin - 2, database, m->variant.name, rate);
}

static int add_count(struct canvas *c, int x, uint64_t n, const char *what, bool bad)
{
	char cell[FORMAT_CELL_MAX];

	format_fixed(cell, (double)n, 0);
	x += canvas_text(c, x, 1, -1, bad && n ? STYLE_BAD : STYLE_STRONG, cell) + 1;
	return x + canvas_text(c, x, 1, -1, bad && n ? STYLE_BAD : STYLE_NORMAL, what) + 2;
}

/* "icount", or "icount:database" when only some roles are under it. */
static void source_name(const struct counters_info *k, char *out, size_t size)
{
	size_t len = (size_t)snprintf(out, size, "%s", counter_source_name(k->source));
	const char *sep = ":";

	if (k->source != COUNTERS_ICOUNT || k->icount.roles == (1u << ROLE_COUNT) - 1)
		return;
	for (unsigned r = 0; r < ROLE_COUNT && len < size; r++) {
		if (!(k->icount.roles & 1u << r))
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%s", sep, role_name(r));
		sep = ",";
	}
}

static void source_text(const struct model *m, char *full, char *brief, size_t size)
{
	const struct counters_info *k = m->counters;
	char name[48];

	full[0] = brief[0] = 0;
	if (!k)
		return;
	if (k->instructions.available || k->cycles.available) {
		source_name(k, name, sizeof(name));
		snprintf(full, size, "%s, %s", name, k->user_only ? "user only" : "user+kernel");
		snprintf(brief, size, "%s %s", counter_source_name(k->source),
			 k->user_only ? "user" : "u+k");
		return;
	}
	snprintf(full, size, "no counters, CPU by %s", cpu_source_name(k->cpu_source));
	snprintf(brief, size, "no counters");
}

static void latency_text(const struct model *m, char *out, size_t size)
{
	char p50[FORMAT_CELL_MAX], p99[FORMAT_CELL_MAX];

	out[0] = 0;
	if (!m->latency_p99_ns)
		return;
	format_fixed(p50, (double)m->latency_p50_ns / (double)NS_PER_MS, 1);
	format_fixed(p99, (double)m->latency_p99_ns / (double)NS_PER_MS, 1);
	snprintf(out, size, "p50 %s p99 %s ms", p50, p99);
}

static void draw_second(const struct model *m, struct canvas *c)
{
	char full[64], brief[64], latency[96];
	const char *source = full;
	int x = 0, need;

	x = add_count(c, x, m->jobs_completed, "done", false);
	x = add_count(c, x, m->jobs_waiting, "waiting", false);
	x = add_count(c, x, m->jobs_failed, "failed", true);
	x = add_count(c, x, m->jobs_duplicates, "twice", true);
	if (m->jobs_lost)
		x = add_count(c, x, m->jobs_lost, "lost", true);
	source_text(m, full, brief, sizeof(full));
	latency_text(m, latency, sizeof(latency));
	need = canvas_measure(c, latency) + 4;
	if (x + need + canvas_measure(c, full) > c->width)
		source = brief;
	if (x + need + canvas_measure(c, source) <= c->width)
		canvas_text(c, x + 2, 1, -1, STYLE_NORMAL, latency);
	if (x + canvas_measure(c, source) <= c->width)
		canvas_right(c, 0, 1, c->width, STYLE_DIM, source);
}

void header_draw(const struct view *v, const struct model *m, struct canvas *c, int lines)
{
	if (lines > 0)
		draw_first(v, m, c);
	if (lines > 1)
		draw_second(m, c);
}
