/* What --need can ask for: one row a word. */
#include "config.h"

#include <string.h>

#include "app/check.h"
#include "lib/cformat.h"
#include "lib/format.h"
#include "lib/strbuf.h"

static void judge_cpu(const struct check *c, struct counter_state *s)
{
	*s = c->cpu;
}

static void judge_perf(const struct check *c, struct counter_state *s)
{
	const struct counters_info *i = &c->counters;

	*s = i->cycles.available ? i->cycles : i->instructions;
}

static void judge_icount(const struct check *c, struct counter_state *s)
{
	*s = c->icount;
}

/* By either source. */
static void judge_instructions(const struct check *c, struct counter_state *s)
{
	*s = c->icount.available ? c->icount : c->counters.instructions;
}

static void judge_cycles(const struct check *c, struct counter_state *s)
{
	*s = c->counters.cycles;
}

static void judge_cgroup(const struct check *c, struct counter_state *s)
{
	s->available = c->counters.cpu_source == CPU_CGROUP;
	if (s->available)
		return;
	text_copy(s->reason, sizeof(s->reason),
		  c->counters.cpu_reason[0] ? c->counters.cpu_reason : "clocks were asked for");
}

static void judge_clock(const struct check *c, struct counter_state *s)
{
	s->available = c->clock.median_ns <= CHECK_SLOW_CLOCK_NS;
	if (s->available)
		return;
	c_snprintf(s->reason, sizeof(s->reason), "the clock is slow: %llu ns a reading (%s)",
		   (unsigned long long)c->clock.median_ns, c->host.clocksource);
	text_copy(s->remedy, sizeof(s->remedy), "see the note of cputop check");
}

static const struct {
	const char *name;
	void (*judge)(const struct check *c, struct counter_state *s);
} words[] = {
	{"cpu", judge_cpu},       {"clock", judge_clock},
	{"cgroup", judge_cgroup}, {"instructions", judge_instructions},
	{"cycles", judge_cycles}, {"perf", judge_perf},
	{"icount", judge_icount},
};

#define WORDS (sizeof(words) / sizeof(*words))

/* Also those that this version has no driver for: a script may ask. */
static const char *const databases[] = {"postgres", "mysql", "mariadb"};

#define DATABASES (sizeof(databases) / sizeof(*databases))

const char *check_need_name(const char *name)
{
	for (size_t i = 0; i < WORDS; i++)
		if (strcmp(words[i].name, name) == 0)
			return words[i].name;
	for (size_t i = 0; i < DATABASES; i++)
		if (strcmp(databases[i], name) == 0)
			return databases[i];
	return NULL;
}

void check_need_names(struct strbuf *out)
{
	for (size_t i = 0; i < WORDS; i++)
		strbuf_addf(out, "%s, ", words[i].name);
	for (size_t i = 0; i < DATABASES; i++)
		strbuf_addf(out, "%s%s", databases[i], i + 1 < DATABASES ? ", " : "");
}

/* A database needs its server and its client. */
static void judge_database(const struct check *c, const char *name, struct counter_state *s)
{
	enum dialect d;

	if (!dialect_parse(name, &d)) {
		text_copy(s->reason, sizeof(s->reason), "this version of cputop cannot use it");
		return;
	}
	*s = c->clients[d].name[0] ? c->servers[d].found : c->clients[d].missing;
}

static void judge(const struct check *c, const char *name, struct counter_state *s)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < WORDS; i++) {
		if (strcmp(words[i].name, name) == 0) {
			words[i].judge(c, s);
			return;
		}
	}
	judge_database(c, name, s);
}

void check_judge(struct check *c)
{
	c->ok = c->cpu.available;
	for (size_t i = 0; i < c->nneeds; i++) {
		judge(c, c->needs[i].name, &c->needs[i].state);
		c->ok = c->ok && c->needs[i].state.available;
	}
}
