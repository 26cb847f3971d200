/*
 * The lines below the table. One line says why figures are missing, whatever their number; one line
 * explains each mark that was used; errors of a variant have a line each.
 */
#include "config.h"

#include "result/table_notes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "lib/format.h"
#include "lib/strbuf.h"
#include "model/model.h"
#include "result/compare.h"

static void add_reason(struct strbuf *out, const struct counter_state *s, const char *why)
{
	const char *reason = s->reason[0] ? s->reason : why;
	escape_text(out, reason, strlen(reason), false);
}

static void add_remedy(struct strbuf *out, const struct counter_state *s)
{
	if (!s->remedy[0])
		return;
	strbuf_addstr(out, "; to have them: ");
	escape_text(out, s->remedy, strlen(s->remedy), false);
}

static void note_counters(struct strbuf *out, const struct counters_info *info)
{
	const struct counter_state *i = &info->instructions, *c = &info->cycles;
	const char *why = info->source == COUNTERS_NONE ? "no counters were asked for"
							: "they could not be opened";
	if (i->available && c->available)
		return;
	if (i->available || c->available) {
		strbuf_addf(out, "-  no %s: ", i->available ? "cycles" : "instructions");
		add_reason(out, i->available ? c : i, why);
		add_remedy(out, i->available ? c : i);
	} else {
		strbuf_addstr(out, "-  no instructions and no cycles: ");
		add_reason(out, i, why);
		if (strcmp(i->reason, c->reason) != 0) {
			strbuf_addstr(out, "; ");
			add_reason(out, c, why);
		}
		add_remedy(out, i->remedy[0] ? i : c);
	}
	strbuf_addch(out, '\n');
}

/* "worker, producer" for the roles of a set of bits. */
static void add_roles(struct strbuf *out, unsigned roles)
{
	const char *sep = "";
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		if (!(roles & 1u << r))
			continue;
		strbuf_addf(out, "%s%s", sep, role_name(r));
		sep = ", ";
	}
}

#define ALL_ROLES ((1u << ROLE_COUNT) - 1)

/* What another source than hardware counters changes. */
static void note_icount(struct strbuf *out, const struct counters_info *info)
{
	unsigned others = ALL_ROLES & ~info->icount.roles;
	if (info->source != COUNTERS_ICOUNT)
		return;
	strbuf_addstr(out, "   instructions by icount, user only; not to be compared with figures "
			   "of hardware counters\n-  no CPU time of ");
	add_roles(out, info->icount.roles);
	strbuf_addstr(out, ": ");
	escape_text(out, info->no_cpu_reason, strlen(info->no_cpu_reason), false);
	if (others) {
		strbuf_addstr(out, "\n-  no instructions of ");
		add_roles(out, others);
		strbuf_addstr(out, ": not under icount");
	}
	strbuf_addch(out, '\n');
}

/* Whether this counter is there for this role, or for all three. */
static bool is_expected(const struct counters_info *info, unsigned c, unsigned role)
{
	unsigned wanted = role == ROLE_TOTAL ? ALL_ROLES : 1u << role;
	unsigned under = info->icount.roles;
	if (c == COUNTER_CPU_NS)
		return (under & wanted) == 0;
	if (c == COUNTER_CYCLES)
		return info->cycles.available;
	return info->instructions.available &&
	       (info->source != COUNTERS_ICOUNT || (under & wanted) == wanted);
}

/* A figure that is missing although its counter is there. */
static bool has_hole(const struct result *r, const struct counters_info *info)
{
	for (unsigned c = 0; c < COUNTER_COUNT && r->windows > 0; c++) {
		for (unsigned role = 0; role <= ROLE_TOTAL; role++)
			if (is_expected(info, c, role) &&
			    !figure_known((r->idle ? r->per_second : r->per_job)[role][c].median))
				return true;
	}
	return false;
}

static void note_missing(struct strbuf *out, const struct result *results, size_t n,
			 const struct counters_info *counters)
{
	bool measured = false, hole = false;
	for (size_t i = 0; i < n; i++)
		measured |= results[i].windows > 0;
	if (!counters || !measured) {
		strbuf_addstr(out, "-  no window was measured to its end\n");
		return;
	}
	note_icount(out, counters);
	note_counters(out, counters);
	for (size_t i = 0; i < n; i++)
		hole |= has_hole(&results[i], counters);
	if (hole)
		strbuf_addstr(out, "-  not measured: no job completed, or a counter ran for less "
				   "than 95 % of the time; ?  could not be read\n");
}

static void add_who(struct strbuf *out, const struct result *r)
{
	strbuf_addf(out, "%s ", dialect_name(r->dialect));
	escape_text(out, r->variant, strlen(r->variant), false);
	strbuf_addstr(out, ": ");
}

static const char *jobs_word(uint64_t n)
{
	return n == 1 ? "job" : "jobs";
}

/* What makes a variant wrong. */
static void note_checks(struct strbuf *out, const struct result *r)
{
	if (r->duplicates) {
		add_who(out, r);
		strbuf_addf(out, "%" PRIu64 " %s ran twice: this variant is not correct\n",
			    r->duplicates, jobs_word(r->duplicates));
	}
	if (r->mutex_overlaps) {
		add_who(out, r);
		strbuf_addf(out,
			    "%" PRIu64 " %s began while another one of the same key ran: this "
			    "variant is not correct\n",
			    r->mutex_overlaps, jobs_word(r->mutex_overlaps));
	}
	if (r->mutex_wrong_keys) {
		add_who(out, r);
		strbuf_addf(out,
			    "%" PRIu64 " %s ran under another key: this variant is not correct\n",
			    r->mutex_wrong_keys, jobs_word(r->mutex_wrong_keys));
	}
	if (r->lost) {
		add_who(out, r);
		strbuf_addf(out, "%" PRIu64 " %s lost: this variant is not correct\n", r->lost,
			    jobs_word(r->lost));
	}
}

static void note_errors(struct strbuf *out, const struct result *r)
{
	unsigned all = r->windows + r->invalid;
	if (r->invalid) {
		add_who(out, r);
		strbuf_addf(out, "%u of %u %s invalid, left out\n", r->invalid, all,
			    all == 1 ? "window" : "windows");
	}
	if (r->reached > 0) {
		add_who(out, r);
		strbuf_addf(out, "%.9g jobs/s were asked for, %.1f reached\n", r->rate, r->reached);
	}
	if (r->few_jobs) {
		add_who(out, r);
		strbuf_addf(out, "fewer than %d jobs in a window; its figures are rough\n",
			    MODEL_MIN_JOBS);
	}
	if (r->anew.name[0]) {
		add_who(out, r);
		strbuf_addf(out,
			    "%s was planned anew %" PRIu64 " times in a window; its one plan for "
			    "all was taken %" PRIu64 " times\n",
			    r->anew.name, r->anew.custom, r->anew.generic);
	}
	if (r->queue_empty_s >= 0) {
		add_who(out, r);
		strbuf_addf(out, "the jobs of --queued ran out at second %.1f of a window\n",
			    r->queue_empty_s);
	}
	note_checks(out, r);
}

/* A change between several windows is there, but too few of them for a verdict. */
static bool lacks_windows(const struct result *r)
{
	const struct spread *s = r->per_job[ROLE_TOTAL];
	return r->has_change && r->windows > 1 && s[COUNTER_CPU_NS].n > 0 &&
	       r->change[COUNTER_CPU_NS].verdict == VERDICT_NONE;
}

void table_notes(struct strbuf *out, const struct result *results, size_t n,
		 const struct counters_info *counters)
{
	bool unbalanced = false, scaled = false, few = false, events = false;
	for (size_t i = 0; i < n; i++) {
		unbalanced |= results[i].unbalanced;
		scaled |= results[i].scaled;
		few |= lacks_windows(&results[i]);
		events |= results[i].events_differ;
	}
	size_t begin = out->len;
	strbuf_addch(out, '\n');
	note_missing(out, results, n, counters);
	if (unbalanced)
		strbuf_addstr(out, "!  the backlog changed in the window: the producer's work is "
				   "divided by the wrong number of jobs\n");
	if (scaled)
		strbuf_addstr(out,
			      "*  the counters took turns (at least 95 % of the time each); the "
			      "figures are scaled\n");
	if (events)
		strbuf_addstr(out, "~  a checkpoint or an autovacuum fell into the windows of only "
				   "one of the two\n");
	if (few)
		strbuf_addf(out, "no verdict below %d windows of each variant: see --repeat\n",
			    COMPARE_MIN_WINDOWS);
	for (size_t i = 0; i < n; i++)
		note_errors(out, &results[i]);
	if (out->len == begin + 1)
		out->buf[out->len = begin] = '\0';
}

/* Whether this reason was given before, for the same database. */
static bool is_told(const struct result *results, size_t i, unsigned k)
{
	for (size_t before = 0; before < i; before++)
		if (results[before].dialect == results[i].dialect && results[before].work_why[k] &&
		    strcmp(results[before].work_why[k], results[i].work_why[k]) == 0)
			return true;
	return false;
}

void table_work_notes(struct strbuf *out, const struct result *results, size_t n)
{
	static const char *const names[WORK_COUNT] = {
		[WORK_STATEMENTS] = "statements", [WORK_COMMITS] = "commits",
		[WORK_LOG_BYTES] = "log bytes",   [WORK_ROWS] = "rows examined",
		[WORK_BUFFERS] = "buffers",
	};
	const char *before = "\n";
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < WORK_COUNT; k++) {
			if (!results[i].work_why[k] || is_told(results, i, k))
				continue;
			strbuf_addf(out, "%s-  no %s of %s: %s\n", before, names[k],
				    dialect_name(results[i].dialect), results[i].work_why[k]);
			before = "";
		}
}
