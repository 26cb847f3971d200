/* Asks the machine, one thing after the other; nothing here judges. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "app/check.h"
#include "app/options.h"
#include "lib/err.h"
#include "lib/format.h"
#include "measure/counters.h"
#include "measure/icount_run.h"
#include "measure/perf_try.h"
#include "measure/procfs.h"
#include "proc/child.h"

#define CLOCK_READINGS 200000

static void missing(struct counter_state *s, const char *reason, const char *remedy)
{
	s->available = false;
	text_copy(s->reason, sizeof(s->reason), reason);
	text_copy(s->remedy, sizeof(s->remedy), remedy);
}

void check_icount(struct check *c)
{
	struct err err = {0};
	char valgrind[4096];

	if (!strcmp(ICOUNT_PLATFORM, "none-linux"))
		missing(&c->icount, "Valgrind tools are built for x86_64 and aarch64 only", "");
	else if (child_find_program(ICOUNT_TOOL, c->icount_tool, sizeof(c->icount_tool), &err) < 0)
		missing(&c->icount, "this cputop was built without its Valgrind tool",
			"install valgrind (on Debian: apt-get install valgrind), configure and "
			"make "
			"again");
	else if (icount_find_valgrind(valgrind, sizeof(valgrind), &err) < 0)
		missing(&c->icount, "there is no valgrind in PATH",
			"install it (on Debian: apt-get install valgrind)");
	else
		c->icount.available = true;
	if (!c->icount.available)
		c->icount_tool[0] = '\0';
}

static bool read_machine(struct procmachine *m)
{
	char text[512];
	ssize_t n = procfs_read("/proc/stat", text, sizeof(text));

	return n > 0 && procfs_parse_machine(text, (size_t)n, m) == 0;
}

static double steal_share(const struct procmachine *from, const struct procmachine *to)
{
	uint64_t a = from->user + from->nice + from->system + from->idle + from->iowait +
		     from->irq + from->softirq + from->steal;
	uint64_t b = to->user + to->nice + to->system + to->idle + to->iowait + to->irq +
		     to->softirq + to->steal;

	if (b <= a || to->steal < from->steal)
		return -1;
	return (double)(to->steal - from->steal) / (double)(b - a);
}

static void try_loop(struct check_loop *out, const struct counter_roots *roots)
{
	struct perf_trial t;

	perf_try_loop(&t, roots);
	*out = (struct check_loop){.turns = t.turns,
				   .expected = t.expected,
				   .cpu_ns = t.cpu_ns,
				   .user_only = t.user_only,
				   .instructions = t.instructions,
				   .cycles = t.cycles};
}

void check_probe(struct check *c, const struct app_options *o)
{
	static const struct counter_roots roots = {.proc = "/proc", .sys = "/sys"};
	struct measure_options mo = {.counters = COUNTERS_AUTO,
				     .cpu = o->cpu,
				     .proc_root = roots.proc,
				     .sys_root = roots.sys};
	struct procmachine boot = {0}, before, after;
	const char *dir = getenv("TMPDIR");
	bool known = read_machine(&before);

	measure_sweep_cgroups(roots.proc); /* of a check that was killed */
	measure_host(&c->host, roots.proc, roots.sys, dir && *dir ? dir : "/tmp");
	check_clock_read(&c->clock, CLOCK_READINGS);
	try_loop(&c->loop, &roots);
	check_icount(c);
	mo.icount.tool = c->icount.available ? c->icount_tool : NULL;
	check_readings(c, &mo);
	check_servers(c, o);
	known = read_machine(&after) && known;
	c->steal_boot = known ? steal_share(&boot, &after) : -1;
	c->steal_now = known ? steal_share(&before, &after) : -1;
	measure_host_noise(&c->host.after, roots.proc);
}
