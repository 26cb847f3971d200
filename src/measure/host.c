/* A fact that is not there is left empty, or -1: the machine is described, never judged here. */
#include "config.h"

#include <string.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/format.h"
#include "measure/host_parts.h"
#include "measure/hypervisor.h"
#include "measure/measure.h"
#include "measure/sysfile.h"

#define CLOCK_READS 1000

int host_int(const char *dir, const char *name, int missing)
{
	int64_t v;

	return sysfile_int(&v, dir, name) && v > INT32_MIN && v < INT32_MAX ? (int)v : missing;
}

/* "0-3,8" */
static int count_cpus(const char *list)
{
	int n = 0;

	while (*list) {
		char item[32], *dash;
		size_t len = strcspn(list, ",");
		uint64_t from, to;

		if (len == 0 || len >= sizeof(item))
			return -1;
		memcpy(item, list, len);
		item[len] = '\0';
		list += list[len] ? len + 1 : len;
		dash = strchr(item, '-');
		if (dash)
			*dash++ = '\0';
		if (!parse_u64(item, &from) || !parse_u64(dash ? dash : item, &to) || to < from ||
		    to > 65535)
			return -1;
		n += (int)(to - from) + 1;
	}
	return n > 0 ? n : -1;
}

/* The chosen one of "always [madvise] never". */
static void bracketed(char *out, size_t size, const char *text)
{
	const char *from = strchr(text, '[');
	const char *to = from ? strchr(from, ']') : NULL;
	size_t len = to ? (size_t)(to - from - 1) : 0;

	if (len >= size)
		len = 0;
	if (len > 0)
		memcpy(out, from + 1, len);
	out[len] = '\0';
}

static void file_system(char *out, size_t size, const char *dir)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} known[] = {
		{0xef53, "ext2/ext3"},    {0x01021994, "tmpfs"},     {0x58465342, "xfs"},
		{0x9123683e, "btrfs"},    {0x794c7630, "overlayfs"}, {0x2fc12fc1, "zfs"},
		{0xf2f52010, "f2fs"},     {0x6969, "nfs"},           {0x65735546, "fuse"},
		{0x858458f6, "ramfs"},    {0x01021997, "9p"},        {0xff534d42, "cifs"},
		{0xca451a4e, "bcachefs"},
	};
	struct statfs fs;

	out[0] = '\0';
	if (!dir || statfs(dir, &fs) != 0)
		return;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].magic == (uint32_t)fs.f_type)
			text_copy(out, size, known[i].name);
}

static void cpu_model(char *out, size_t size, const char *proc_root, const char *sys_root)
{
	if (cpuinfo_value(out, size, proc_root, "model name") && out[0])
		return;
	if (sysfile_text(out, size, sys_root, "firmware/devicetree/base/model"))
		return;
	if (!cpuinfo_value(out, size, proc_root, "Hardware"))
		out[0] = '\0';
}

void measure_host_load(struct host *h, const char *proc_root)
{
	char text[128], *at = text;

	h->loadavg[0] = h->loadavg[1] = h->loadavg[2] = -1;
	if (!sysfile_text(text, sizeof(text), proc_root, "loadavg"))
		return;
	for (int i = 0; i < 3; i++) {
		size_t len = strcspn(at, " ");
		bool more = at[len] != '\0';

		at[len] = '\0';
		if (!parse_double(at, &h->loadavg[i]))
			h->loadavg[i] = -1;
		if (!more)
			break;
		at += len + 1;
	}
}

void measure_host(struct host *h, const char *proc_root, const char *sys_root, const char *data_dir)
{
	struct utsname u;
	char text[256];

	memset(h, 0, sizeof(*h));
	if (uname(&u) == 0)
		text_copy(h->arch, sizeof(h->arch), u.machine);
	sysfile_text(h->kernel, sizeof(h->kernel), proc_root, "sys/kernel/osrelease");
	cpu_model(h->cpu_model, sizeof(h->cpu_model), proc_root, sys_root);
	h->cpus_online = -1;
	if (sysfile_text(text, sizeof(text), sys_root, "devices/system/cpu/online"))
		h->cpus_online = count_cpus(text);
	hypervisor_name(h->hypervisor, sizeof(h->hypervisor), proc_root, sys_root);
	sysfile_text(h->governor, sizeof(h->governor), sys_root,
		     "devices/system/cpu/cpu0/cpufreq/scaling_governor");
	sysfile_text(h->clocksource, sizeof(h->clocksource), sys_root,
		     "devices/system/clocksource/clocksource0/current_clocksource");
	h->clock_read_ns = (int64_t)clock_read_cost_ns(CLOCK_READS);
	h->smt = host_int(sys_root, "devices/system/cpu/smt/active", -1);
	h->autogroup = host_int(proc_root, "sys/kernel/sched_autogroup_enabled", -1);
	h->perf_event_paranoid = host_int(proc_root, "sys/kernel/perf_event_paranoid", -2);
	if (sysfile_text(text, sizeof(text), sys_root, "kernel/mm/transparent_hugepage/enabled"))
		bracketed(h->thp, sizeof(h->thp), text);
	h->aslr = host_int(proc_root, "sys/kernel/randomize_va_space", -1);
	measure_host_load(h, proc_root);
	file_system(h->data_dir_fs, sizeof(h->data_dir_fs), data_dir);
	sysfile_text(h->boot_id, sizeof(h->boot_id), proc_root, "sys/kernel/random/boot_id");
	h->clock_ticks = sysconf(_SC_CLK_TCK);
	host_processors(h, proc_root, sys_root);
	host_kernel(h, proc_root, sys_root);
	measure_host_noise(&h->before, proc_root);
	h->after = (struct host_noise){-1, -1, -1, -1};
}
