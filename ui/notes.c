/* Lines below the figures: what is not in them, what is missing and why, what to beware of. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "ui/view.h"

enum { RANK_WRONG, RANK_MISSING, RANK_FEW, RANK_HINT, RANK_REMEDY, RANK_REST };

static struct note *add_note(struct notes *out, enum style style, int rank)
{
	struct note *note = &out->notes[out->n < NOTES_MAX ? out->n++ : NOTES_MAX - 1];

	note->style = style;
	note->rank = rank;
	note->text[0] = 0;
	return note;
}

static void add_part(char *text, size_t size, const char *part)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", part);
}

static void add_rate(struct note *note, const char *sep, const char *what, struct figure ns_s,
		     const char *unit)
{
	char cell[FORMAT_CELL_MAX], part[96];

	if (!figure_known(ns_s))
		return;
	format_fixed(cell, ns_s.v / (double)NS_PER_MS, 1);
	snprintf(part, sizeof(part), "%s%s%s%s", sep, what, cell, unit);
	add_part(note->text, sizeof(note->text), part);
}

static void add_rates(const struct view *v, const struct model *m, struct note *note, bool brief)
{
	const struct glyphs *g = glyphs_get(v->utf8);
	const char *unit = brief ? "" : " ms/s";
	char sep[16], rest[48];

	snprintf(sep, sizeof(sep), " %s ", g->dot);
	snprintf(rest, sizeof(rest), "rest of machine %s", g->about);
	note->text[0] = 0;
	add_rate(note, brief ? "not charged, ms/s: " : "not charged: ", "cputop ", m->cputop_ns_s,
		 unit);
	add_rate(note, sep, "its queries ", m->monitor_ns_s, unit);
	add_rate(note, sep, "idle servers ", m->idle_ns_s, unit);
	add_rate(note, sep, rest, m->machine_ns_s, unit);
}

static void not_charged(const struct view *v, const struct model *m, struct notes *out)
{
	struct note *note;

	if (!figure_known(m->cputop_ns_s))
		return;
	note = add_note(out, STYLE_DIM, RANK_REST);
	add_rates(v, m, note, false);
	if (text_width(note->text) > v->width)
		add_rates(v, m, note, true);
}

/* While everything is being set up: what is done, what runs, what comes. */
static void steps(const struct view *v, const struct model *m, struct notes *out)
{
	static const struct {
		enum phase phase;
		const char *name;
	} all[] = {
		{PHASE_SERVER, "server"},     {PHASE_TABLES, "tables"},
		{PHASE_FILLING, "filling"},   {PHASE_SETTLING, "settling"},
		{PHASE_STARTING, "starting"}, {PHASE_WARMUP, "warm-up"},
	};
	struct note *note;

	if (m->phase < PHASE_SERVER || m->phase >= PHASE_WARMUP)
		return;
	note = add_note(out, STYLE_NORMAL, RANK_HINT);
	add_part(note->text, sizeof(note->text), "set up:");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *mark = v->utf8 ? "·" : ".";
		char part[48];

		if (all[i].phase < m->phase)
			mark = v->utf8 ? "✓" : "x";
		else if (all[i].phase == m->phase)
			mark = v->utf8 ? "▸" : ">";
		snprintf(part, sizeof(part), "  %s %s", mark, all[i].name);
		add_part(note->text, sizeof(note->text), part);
	}
}

static void missing(const struct counter_state *state, const char *what, struct notes *out)
{
	struct note *note = add_note(out, STYLE_WARNING, RANK_MISSING);

	snprintf(note->text, sizeof(note->text), "i  no %s: %s", what, state->reason);
	if (!state->remedy[0])
		return;
	note = add_note(out, STYLE_NORMAL, RANK_REMEDY);
	snprintf(note->text, sizeof(note->text), "   %s", state->remedy);
}

void notes_missing(const struct model *m, struct notes *out)
{
	const struct counters_info *k = m->counters;

	if (!k)
		return;
	if (k->no_cpu_reason[0])
		snprintf(add_note(out, STYLE_WARNING, RANK_MISSING)->text, 256,
			 "i  no CPU time: %s", k->no_cpu_reason);
	if (!k->instructions.available)
		missing(&k->instructions, "instructions", out);
	else if (!k->cycles.available)
		missing(&k->cycles, "cycles", out);
}

/* Whether an earlier result of the same database lacks it for the same reason. */
static bool is_told(const struct model *m, size_t i, int k)
{
	const struct result *r = &m->results[i].result;

	for (size_t before = 0; before < i; before++) {
		const struct result *b = &m->results[before].result;

		if (b->dialect == r->dialect && b->work_why[k] &&
		    strcmp(b->work_why[k], r->work_why[k]) == 0)
			return true;
	}
	return false;
}

void notes_work(const struct model *m, struct notes *out)
{
	static const char *const names[WORK_COUNT] = {
		[WORK_STATEMENTS] = "statements", [WORK_COMMITS] = "commits",
		[WORK_LOG_BYTES] = "log bytes",   [WORK_ROWS] = "rows examined",
		[WORK_BUFFERS] = "buffers",
	};

	for (size_t i = 0; i < m->nresults; i++) {
		const struct result *r = &m->results[i].result;

		for (int k = 0; k < WORK_COUNT; k++) {
			if (r->work_why[k] && !is_told(m, i, k))
				snprintf(add_note(out, STYLE_WARNING, RANK_MISSING)->text, 256,
					 "i  no %s of %s: %s", names[k], dialect_name(r->dialect),
					 r->work_why[k]);
		}
		if (r->anew.name[0])
			snprintf(add_note(out, STYLE_WARNING, RANK_WRONG)->text, 256,
				 "i  %s: %s was planned anew %llu times in a window", r->variant,
				 r->anew.name, (unsigned long long)r->anew.custom);
	}
}

static void few_jobs(const struct model *m, struct notes *out)
{
	char n[FORMAT_CELL_MAX];

	if (m->enough_jobs || m->per_second || m->phase < PHASE_WARMUP)
		return;
	format_fixed(n, (double)m->latency.count, 0);
	snprintf(add_note(out, STYLE_NORMAL, RANK_FEW)->text, 256,
		 "%s of %d jobs: figures appear when there are enough to divide by", n,
		 MODEL_MIN_JOBS);
}

static void broken(struct notes *out, uint64_t jobs, const char *what)
{
	char n[FORMAT_CELL_MAX];

	if (!jobs)
		return;
	format_fixed(n, (double)jobs, 0);
	snprintf(add_note(out, STYLE_BAD, RANK_WRONG)->text, 256,
		 "!  %s jobs %s: this variant is broken, whatever it costs", n, what);
}

static void wrong(const struct model *m, struct notes *out)
{
	broken(out, m->jobs_duplicates, "ran twice");
	broken(out, m->jobs_lost, "were lost");
	broken(out, m->mutex_overlaps, "began while one of their key ran");
	broken(out, m->mutex_wrong_keys, "ran under another key");
	if (m->unbalanced)
		snprintf(add_note(out, STYLE_WARNING, RANK_WRONG)->text, 256,
			 "!  unbalanced: the backlog changed, so the producer's work is divided by "
			 "other jobs");
}

void notes_live(const struct view *v, const struct model *m, struct notes *out)
{
	out->n = 0;
	not_charged(v, m, out);
	steps(v, m, out);
	few_jobs(m, out);
	wrong(m, out);
	notes_missing(m, out);
	if (m->moves_apart)
		snprintf(add_note(out, STYLE_NORMAL, RANK_HINT)->text, 256, "i  %s",
			 m->moves_apart);
}

int notes_draw(const struct notes *notes, struct canvas *c, int y, int height)
{
	int rank = RANK_REST, fit, drawn = 0;

	do {
		fit = 0;
		for (int i = 0; i < notes->n; i++)
			fit += notes->notes[i].rank <= rank;
	} while (fit > height && rank-- > 0);
	for (int i = 0; i < notes->n && drawn < height; i++) {
		const struct note *note = &notes->notes[i];

		if (note->rank <= rank)
			canvas_fit(c, 0, y + drawn++, -1, note->style, note->text);
	}
	return drawn;
}
