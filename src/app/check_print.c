/* The screen of text: a label and words that are wrapped to 80 columns. ASCII only. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/check.h"
#include "lib/clock.h"
#include "lib/format.h"
#include "lib/strbuf.h"
#include "lib/xalloc.h"

#define WIDTH 80
#define LABEL 11
#define SHOWN 7 /* columns of the histogram */

/* Words behind the label, which stands on the first line only. */
static void wrap(struct strbuf *out, const char *label, const char *words)
{
	size_t column = LABEL;

	strbuf_addf(out, "%-*s", LABEL, label);
	while (*words) {
		size_t len = strcspn(words, " ");
		size_t blanks = strspn(words + len, " ");

		if (column > LABEL && column + 1 + len > WIDTH) {
			strbuf_addf(out, "\n%*s", LABEL, "");
			column = LABEL;
		} else if (column > LABEL) {
			strbuf_addch(out, ' ');
			column++;
		}
		strbuf_add(out, words, len);
		column += len;
		words += len + blanks;
	}
	strbuf_addch(out, '\n');
}

static void line(struct strbuf *out, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void line(struct strbuf *out, const char *label, const char *fmt, ...)
{
	struct strbuf raw, safe;
	va_list ap;

	strbuf_init(&raw);
	strbuf_init(&safe);
	va_start(ap, fmt);
	strbuf_vaddf(&raw, fmt, ap);
	va_end(ap);
	escape_text(&safe, raw.buf, raw.len, false);
	wrap(out, label, safe.buf);
	strbuf_release(&raw);
	strbuf_release(&safe);
}

static const char *text(const char *s)
{
	return s[0] ? s : "-";
}

static const char *on_off(int v)
{
	return v < 0 ? "-" : v ? "on" : "off";
}

static void print_machine(struct strbuf *out, const struct check *c)
{
	const struct host *h = &c->host;
	char up[FORMAT_CELL_MAX] = "-";

	if (h->uptime_s >= 0)
		format_duration(up, (uint64_t)h->uptime_s * NS_PER_S);
	line(out, "kernel", "%s %s, up %s", text(h->kernel), text(h->arch), up);
	line(out, "machine", "%s, %d CPUs, SMT %s; virtual machine: %s%s%s", text(h->cpu_model),
	     h->cpus_online, on_off(h->smt), text(h->hypervisor),
	     h->container[0] ? "; container: " : "", h->container);
}

/* The columns around the median: the first one holds everything below, the last everything above.
 */
static void print_clock(struct strbuf *out, const struct check *c)
{
	const struct check_clock *k = &c->clock;
	struct strbuf top, share;
	uint64_t below = 0;
	unsigned first = 0, i = 0;

	line(out, "clock", "%s (available: %s), %llu ns a reading", text(c->host.clocksource),
	     text(c->host.clocksources), (unsigned long long)k->median_ns);
	while (first + SHOWN < CHECK_CLOCK_BUCKETS && 1ULL << (first + 1) < k->median_ns)
		first++;
	strbuf_init(&top);
	strbuf_init(&share);
	for (; i < CHECK_CLOCK_BUCKETS; i++) {
		below += k->buckets[i];
		if (i < first || (i >= first + SHOWN - 1 && i + 1 < CHECK_CLOCK_BUCKETS))
			continue;
		if (i + 1 < CHECK_CLOCK_BUCKETS)
			strbuf_addf(&top, "%8llu", 1ULL << i);
		else
			strbuf_addf(&top, "    more");
		strbuf_addf(&share, "%8.3f",
			    k->readings ? 100.0 * (double)below / (double)k->readings : 0);
		below = 0;
	}
	strbuf_addf(out, "%*s%-7s%s\n%*s%-7s%s\n", LABEL, "", "ns <=", top.buf, LABEL, "", "%",
		    share.buf);
	strbuf_release(&top);
	strbuf_release(&share);
}

static void print_missing(struct strbuf *out, const char *label, const char *what,
			  const struct counter_state *s)
{
	line(out, label, "%s%s%s%s", what, s->reason, s->remedy[0] ? "; fix: " : "", s->remedy);
}

static void print_counters(struct strbuf *out, const struct check *c)
{
	const struct counters_info *i = &c->counters;
	const char *share = i->user_only ? "user only" : "user and kernel";
	bool same = strcmp(i->instructions.reason, i->cycles.reason) == 0;

	if (i->instructions.available && i->cycles.available)
		line(out, "perf", "instructions and cycles, %s", share);
	else if (!i->instructions.available && !i->cycles.available && same)
		print_missing(out, "perf", "no: ", &i->instructions);
	else if (i->instructions.available)
		print_missing(out, "perf", "instructions; no cycles: ", &i->cycles);
	else
		print_missing(out, "perf",
			      i->cycles.available ? "cycles; no instructions: " : "no: ",
			      &i->instructions);
	if (c->icount.available)
		line(out, "icount", "instructions in user mode, by Valgrind");
	else
		print_missing(out, "icount", "no: ", &c->icount);
}

/* In millions. */
static void count_text(struct strbuf *sb, const char *what, struct value v)
{
	char number[FORMAT_CELL_MAX];

	if (!value_known(v)) {
		strbuf_addf(sb, "; no %s counted", what);
		return;
	}
	format_fixed(number, (double)v.v / 1e6, 2);
	strbuf_addf(sb, "; %s M %s", number, what);
}

static void print_loop(struct strbuf *out, const struct check *c)
{
	const struct check_loop *l = &c->loop;
	char took[FORMAT_CELL_MAX], expected[FORMAT_CELL_MAX];
	struct strbuf sb;

	strbuf_init(&sb);
	format_duration(took, l->cpu_ns);
	strbuf_addf(&sb, "%s", took);
	if (!value_known(l->instructions) && !value_known(l->cycles)) {
		strbuf_addstr(&sb, "; nothing counts it");
		line(out, "known loop", "%s", sb.buf);
		strbuf_release(&sb);
		return;
	}
	count_text(&sb, "instructions", l->instructions);
	if (l->expected) {
		format_fixed(expected, (double)l->expected / 1e6, 2);
		strbuf_addf(&sb, " (there are %s M)", expected);
	}
	count_text(&sb, "cycles", l->cycles);
	line(out, "known loop", "%s", sb.buf);
	strbuf_release(&sb);
}

static void print_cpu(struct strbuf *out, const struct check *c)
{
	const struct counters_info *i = &c->counters;
	char used[FORMAT_CELL_MAX], got[FORMAT_CELL_MAX] = "?";
	struct strbuf sb;

	format_duration(used, c->used_ns);
	if (value_known(c->measured_ns) && c->measured_ns.v >= 0)
		format_duration(got, (uint64_t)c->measured_ns.v);
	if (c->cpu.available)
		line(out, "CPU time", "by %s%s%s; a process used %s, measured %s",
		     cpu_source_name(i->cpu_source), i->cpu_reason[0] ? ", no cgroup: " : "",
		     i->cpu_reason, used, got);
	else
		print_missing(out, "CPU time", "no: ", &c->cpu);
	strbuf_init(&sb);
	for (int n = 0; n < CHECK_READINGS; n++) {
		const struct check_reading *r = &c->reading[n];
		char cost[FORMAT_CELL_MAX];

		if (value_known(r->cpu_ns))
			format_fixed(cost, (double)r->cpu_ns.v / 1e6, 3);
		strbuf_addf(&sb, "%s%s ms with %u", n ? ", " : "",
			    value_known(r->cpu_ns) ? cost : "?", r->processes);
	}
	line(out, "a reading", "costs %s processes", sb.buf);
	strbuf_release(&sb);
}

static void percent(struct strbuf *sb, double share)
{
	if (share < 0)
		strbuf_addstr(sb, "-");
	else
		strbuf_addf(sb, "%.1f %%", share * 100);
}

static void print_settings(struct strbuf *out, const struct check *c)
{
	const struct host *h = &c->host;
	struct strbuf steal;

	line(out, "settings", "autogroup %s, governor %s, turbo %s, huge pages %s, idle %s",
	     on_off(h->autogroup), text(h->governor), on_off(h->turbo), text(h->thp),
	     text(h->idle_governor));
	strbuf_init(&steal);
	percent(&steal, c->steal_boot);
	strbuf_addstr(&steal, " since boot, ");
	percent(&steal, c->steal_now);
	if (h->loadavg[0] < 0)
		line(out, "load", "-; steal %s now", steal.buf);
	else
		line(out, "load", "%.2f %.2f %.2f; steal %s now", h->loadavg[0], h->loadavg[1],
		     h->loadavg[2], steal.buf);
	strbuf_release(&steal);
}

static void print_databases(struct strbuf *out, const struct check *c)
{
	struct strbuf clients;

	strbuf_init(&clients);
	for (unsigned d = 0; d < DIALECT_COUNT; d++) {
		const struct check_server *s = &c->servers[d];
		const char *name = dialect_name((enum dialect)d);
		const char *limits = c->clients[d].limits;

		if (s->found.available)
			line(out, d ? "" : "servers", "%s %s %s", name,
			     s->version[0] ? s->version : "?", s->binary);
		else
			line(out, d ? "" : "servers", "%s: %s%s%s", name, s->found.reason,
			     s->found.remedy[0] ? "; fix: " : "", s->found.remedy);
		/* one serves two databases */
		if (c->clients[d].name[0] && !strstr(clients.buf, c->clients[d].name))
			strbuf_addf(&clients, "%s%s %s%s%s%s", clients.len ? ", " : "",
				    c->clients[d].name, c->clients[d].version,
				    limits[0] ? " (" : "", limits, limits[0] ? ")" : "");
	}
	line(out, "clients", "%s", text(clients.buf));
	strbuf_release(&clients);
}

static void print_summary(struct strbuf *out, const struct check *c)
{
	bool instructions = c->counters.instructions.available || c->icount.available;
	struct strbuf can;

	strbuf_init(&can);
	if (c->cpu.available)
		strbuf_addstr(&can, "CPU time");
	if (instructions)
		strbuf_addf(&can, "%sinstructions%s", can.len ? ", " : "",
			    c->counters.instructions.available ? "" : " (--counters icount)");
	if (c->counters.cycles.available)
		strbuf_addf(&can, "%scycles", can.len ? ", " : "");
	line(out, "measurable", "%s", can.len ? can.buf : "nothing");
	strbuf_release(&can);
}

void check_print(struct strbuf *out, const struct check *c)
{
	print_machine(out, c);
	print_clock(out, c);
	print_counters(out, c);
	print_loop(out, c);
	print_cpu(out, c);
	print_settings(out, c);
	print_databases(out, c);
	for (size_t i = 0; i < c->nnotes; i++)
		line(out, i ? "" : "note", "%s", c->notes[i]);
	print_summary(out, c);
}
