/* The facts of the machine, from fixtures and from this machine; how busy it is. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "measure/hypervisor.h"
#include "measure/machine.h"
#include "measure/measure.h"
#include "measure/sysfile.h"
#include "measure_help.h"

static void assert_close(double a, double b)
{
	assert_true(a - b < 1e-9 && b - a < 1e-9);
}

static void put_facts(const char *proc, const char *sys)
{
	put_file(proc, "cpuinfo",
		 "processor\t: 0\nmodel name\t: Some CPU @ 2.0 GHz\nflags\t\t: fpu nohypervisor "
		 "lm\n");
	put_file(proc, "loadavg", "0.25 1.50 2.75 1/200 4711\n");
	put_file(proc, "sys/kernel/osrelease", "6.1.0-99-test\n");
	put_file(proc, "sys/kernel/perf_event_paranoid", "-1\n");
	put_file(proc, "sys/kernel/randomize_va_space", "2\n");
	put_file(proc, "sys/kernel/sched_autogroup_enabled", "1\n");
	put_file(proc, "sys/kernel/random/boot_id", "0f-aa\n");
	put_file(sys, "devices/system/cpu/online", "0-3,8,10-11\n");
	put_file(sys, "devices/system/cpu/smt/active", "0\n");
	put_file(sys, "devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put_file(sys, "devices/system/clocksource/clocksource0/current_clocksource", "tsc \n");
	put_file(sys, "kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
}

static void test_facts(void **state)
{
	char *proc = make_dir(), *sys = make_dir();
	struct host h;

	(void)state;
	put_facts(proc, sys);
	measure_host(&h, proc, sys, "/proc");
	assert_string_equal(h.kernel, "6.1.0-99-test");
	assert_true(h.arch[0] != '\0');
	assert_string_equal(h.cpu_model, "Some CPU @ 2.0 GHz");
	assert_int_equal(h.cpus_online, 7);
	assert_string_equal(h.hypervisor, "none");
	assert_string_equal(h.governor, "powersave");
	assert_string_equal(h.clocksource, "tsc");
	assert_true(h.clock_read_ns >= 0);
	assert_int_equal(h.smt, 0);
	assert_int_equal(h.autogroup, 1);
	assert_int_equal(h.perf_event_paranoid, -1);
	assert_string_equal(h.thp, "madvise");
	assert_int_equal(h.aslr, 2);
	assert_close(h.loadavg[0], 0.25);
	assert_close(h.loadavg[1], 1.5);
	assert_close(h.loadavg[2], 2.75);
	assert_string_equal(h.boot_id, "0f-aa");
	assert_string_equal(h.data_dir_fs, "");
	assert_true(h.clock_ticks > 0);
	put_file(proc, "loadavg", "9.00 x\n");
	measure_host_load(&h, proc);
	assert_close(h.loadavg[0], 9);
	assert_close(h.loadavg[1], -1);
	assert_close(h.loadavg[2], -1);
	remove_dir(proc);
	remove_dir(sys);
}

#define CPU "devices/system/cpu/"

static void put_processors(const char *proc, const char *sys)
{
	put_file(proc, "cpuinfo", "microcode\t: 0xd0003b9\nmicrocode\t: 0x0\n");
	put_file(sys, CPU "isolated", "\n");
	put_file(sys, CPU "cpu0/cpufreq/scaling_driver", "intel_pstate\n");
	put_file(sys, CPU "cpu0/cpufreq/scaling_min_freq", "800000\n");
	put_file(sys, CPU "cpu0/cpufreq/scaling_max_freq", "3400000\n");
	put_file(sys, CPU "cpu0/cpufreq/energy_performance_preference", "balance_power\n");
	put_file(sys, CPU "intel_pstate/no_turbo", "1\n");
	put_file(sys, CPU "cpufreq/boost", "1\n");
	put_file(sys, CPU "cpuidle/current_driver", "intel_idle\n");
	put_file(sys, CPU "cpuidle/current_governor_ro", "menu\n");
	put_file(sys, "devices/system/clocksource/clocksource0/available_clocksource",
		 "tsc hpet acpi_pm \n");
	put_file(sys, CPU "vulnerabilities/spectre_v2", "Mitigation: IBRS; BHI: Vulnerable\n");
	put_file(sys, CPU "vulnerabilities/mds", "Vulnerable\n");
	put_file(sys, CPU "vulnerabilities/meltdown", "Not affected\n");
	put_file(sys, "bus/event_source/devices/software/type", "1\n");
	put_file(sys, "bus/event_source/devices/cpu_core/cpus", "0-7\n");
	put_file(sys, "bus/event_source/devices/cpu_atom/cpus", "8-15\n");
}

static void test_processors(void **state)
{
	char *proc = make_dir(), *sys = make_dir();
	struct host h;

	(void)state;
	put_processors(proc, sys);
	measure_host(&h, proc, sys, NULL);
	assert_string_equal(h.microcode, "0xd0003b9");
	assert_string_equal(h.cpus_isolated, "none");
	assert_string_equal(h.cpufreq_driver, "intel_pstate");
	assert_int_equal(h.cpufreq_min_khz, 800000);
	assert_int_equal(h.cpufreq_max_khz, 3400000);
	assert_string_equal(h.energy_preference, "balance_power");
	assert_int_equal(h.turbo, 0);
	assert_string_equal(h.idle_driver, "intel_idle");
	assert_string_equal(h.idle_governor, "menu");
	assert_string_equal(h.clocksources, "tsc hpet acpi_pm");
	assert_int_equal(h.nmitigations, 2);
	assert_string_equal(h.mitigations[0].name, "mds");
	assert_string_equal(h.mitigations[0].text, "Vulnerable");
	assert_string_equal(h.mitigations[1].text, "Mitigation: IBRS; BHI: Vulnerable");
	assert_string_equal(h.pmus, "cpu_atom cpu_core software");
	assert_string_equal(h.cpu_clusters, "cpu_atom 8-15, cpu_core 0-7");
	put_file(sys, CPU "isolated", "2-3\n");
	put_file(sys, CPU "intel_pstate/no_turbo", "x\n");
	measure_host(&h, proc, sys, NULL);
	assert_string_equal(h.cpus_isolated, "2-3");
	assert_int_equal(h.turbo, 1);
	remove_dir(proc);
	remove_dir(sys);
}

static void put_kernel(const char *proc, const char *sys)
{
	put_file(proc, "cmdline",
		 "root=/dev/sda1 mitigations=off secret.token=abc isolcpus=2-3 tsc=reliable -- "
		 "mitigations=x\n");
	put_file(proc, "uptime", "4590.19 4036.01\n");
	put_file(proc, "sys/kernel/nmi_watchdog", "1\n");
	put_file(proc, "sys/kernel/numa_balancing", "2\n");
	put_file(proc, "sys/kernel/io_uring_disabled", "0\n");
	put_file(proc, "sys/vm/swappiness", "60\n");
	put_file(proc, "sys/vm/overcommit_memory", "1\n");
	put_file(sys, "kernel/mm/ksm/run", "2\n");
	put_file(proc, "self/timerslack_ns", "50000\n");
	put_file(proc, "self/status", "Name:\tx\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n");
	put_file(proc, "self/root/.dockerenv", "");
	put_file(proc, "stat", "cpu  1 2 3 4 5 6 7 800 0 0\n");
	put_file(proc, "pressure/cpu",
		 "some avg10=1.00 avg60=2.00 avg300=3.00 total=1690943025\nfull total=7\n");
}

static void test_kernel(void **state)
{
	char *proc = make_dir(), *sys = make_dir();
	struct host h;

	(void)state;
	put_kernel(proc, sys);
	measure_host(&h, proc, sys, NULL);
	assert_string_equal(h.kernel_options, "mitigations=off isolcpus=2-3 tsc=reliable");
	assert_int_equal(h.uptime_s, 4590);
	assert_int_equal(h.nmi_watchdog, 1);
	assert_int_equal(h.numa_balancing, 2);
	assert_int_equal(h.io_uring_disabled, 0);
	assert_int_equal(h.swappiness, 60);
	assert_int_equal(h.overcommit_memory, 1);
	assert_int_equal(h.ksm, 0);
	assert_int_equal(h.timer_slack_ns, 50000);
	assert_string_equal(h.cpus_allowed, "0-1");
	assert_string_equal(h.container, "docker");
	assert_true(h.nice >= -20 && h.nice <= 19);
	assert_int_equal(h.before.steal_ns, procfs_ticks_ns(800));
	assert_int_equal(h.before.pressure_ns, 1690943025000);
	assert_int_equal(h.before.throttled_runs, -1);
	assert_int_equal(h.after.steal_ns, -1);
	put_file(sys, "kernel/mm/ksm/run", "1\n");
	put_file(proc, "self/root/run/systemd/container", "lxc\n");
	measure_host(&h, proc, sys, NULL);
	assert_int_equal(h.ksm, 1);
	assert_string_equal(h.container, "lxc");
	remove_dir(proc);
	remove_dir(sys);
}

/* A limit may stand at any height; the group without one inherits it. */
static void test_quota(void **state)
{
	char *proc = make_dir(), *mount = make_dir(), text[300];
	struct host h;

	(void)state;
	snprintf(text, sizeof(text), "cgroup2 %s cgroup2 rw 0 0\n", mount);
	put_file(proc, "mounts", text);
	put_file(proc, "self/cgroup", "0::/a/b/c\n");
	put_file(mount, "cgroup.procs", "");
	put_file(mount, "a/cgroup.procs", "");
	put_file(mount, "a/cpu.max", "300000 100000\n");
	put_file(mount, "a/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 2\n");
	put_file(mount, "a/b/cgroup.procs", "");
	put_file(mount, "a/b/cpu.max", "50000 100000\n");
	put_file(mount, "a/b/cpu.stat", "nr_periods 9\nnr_throttled 4\nthrottled_usec 12\n");
	put_file(mount, "a/b/c/cgroup.procs", "");
	put_file(mount, "a/b/c/cpu.stat", "usage_usec 5\n");
	measure_host(&h, proc, proc, NULL);
	assert_close(h.cgroup_quota_cpus, 0.5);
	assert_int_equal(h.before.throttled_runs, 4);
	assert_int_equal(h.before.throttled_ns, 12000);
	put_file(mount, "a/b/cpu.max", "max 100000\n");
	measure_host(&h, proc, proc, NULL);
	assert_close(h.cgroup_quota_cpus, 3);
	assert_int_equal(h.before.throttled_runs, 1);
	put_file(mount, "a/cpu.max", "max 100000\n");
	measure_host(&h, proc, proc, NULL);
	assert_close(h.cgroup_quota_cpus, -1);
	assert_int_equal(h.before.throttled_runs, -1);
	remove_dir(proc);
	remove_dir(mount);
}

static void test_nothing_there(void **state)
{
	char *dir = make_dir();
	struct host h;

	(void)state;
	measure_host(&h, dir, dir, NULL);
	assert_string_equal(h.kernel, "");
	assert_string_equal(h.cpu_model, "");
	assert_int_equal(h.cpus_online, -1);
	assert_string_equal(h.hypervisor, "");
	assert_string_equal(h.governor, "");
	assert_int_equal(h.smt, -1);
	assert_int_equal(h.autogroup, -1);
	assert_int_equal(h.perf_event_paranoid, -2);
	assert_string_equal(h.thp, "");
	assert_int_equal(h.aslr, -1);
	assert_close(h.loadavg[0], -1);
	assert_string_equal(h.data_dir_fs, "");
	assert_string_equal(h.microcode, "");
	assert_string_equal(h.cpus_isolated, "");
	assert_string_equal(h.cpus_allowed, "");
	assert_string_equal(h.pmus, "");
	assert_int_equal(h.cpufreq_max_khz, -1);
	assert_int_equal(h.turbo, -1);
	assert_int_equal(h.nmitigations, -1);
	assert_string_equal(h.kernel_options, "");
	assert_int_equal(h.nmi_watchdog, -1);
	assert_int_equal(h.ksm, -1);
	assert_int_equal(h.swappiness, -1);
	assert_int_equal(h.uptime_s, -1);
	assert_close(h.cgroup_quota_cpus, -1);
	assert_int_equal(h.timer_slack_ns, -1);
	assert_int_equal(h.before.steal_ns, -1);
	assert_int_equal(h.before.pressure_ns, -1);
	assert_int_equal(h.before.throttled_ns, -1);
	remove_dir(dir);
}

static void test_this_machine(void **state)
{
	struct host h;

	(void)state;
	measure_host(&h, "/proc", "/sys", "/dev/shm");
	assert_true(h.kernel[0] != '\0');
	assert_int_equal(h.cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(h.loadavg[0] >= 0);
	assert_int_equal(h.clock_ticks, sysconf(_SC_CLK_TCK));
	assert_int_equal(strlen(h.boot_id), 36);
}

static void test_hypervisor(void **state)
{
	char *proc = make_dir(), *sys = make_dir(), name[64];

	(void)state;
	put_file(proc, "cpuinfo", "flags\t\t: fpu hypervisor\n");
	assert_true(hypervisor_name(name, sizeof(name), proc, sys));
	assert_string_equal(name, "unnamed");
	put_file(sys, "class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n");
	assert_true(hypervisor_name(name, sizeof(name), proc, sys));
	assert_string_equal(name, "Standard PC (Q35 + ICH9, 2009)");
	put_file(proc, "cpuinfo", "flags\t\t: fpu\n");
	assert_false(hypervisor_name(name, sizeof(name), proc, sys));
	assert_string_equal(name, "none");
	/* arm64 has no such flag */
	put_file(proc, "cpuinfo", "Features\t: fp asimd\n");
	put_file(sys, "class/dmi/id/product_name", "KVM Virtual Machine\n");
	assert_true(hypervisor_name(name, sizeof(name), proc, sys));
	assert_string_equal(name, "KVM Virtual Machine");
	put_file(sys, "hypervisor/type", "xen\n");
	assert_true(hypervisor_name(name, sizeof(name), proc, sys));
	assert_string_equal(name, "xen");
	remove_dir(proc);
	remove_dir(sys);
}

static void test_numbers(void **state)
{
	char *dir = make_dir();
	int64_t v = 77;

	(void)state;
	put_file(dir, "n", "-12\n");
	assert_true(sysfile_int(&v, dir, "n"));
	assert_int_equal(v, -12);
	put_file(dir, "n", "12x\n");
	assert_false(sysfile_int(&v, dir, "n"));
	put_file(dir, "n", "\n");
	assert_false(sysfile_int(&v, dir, "n"));
	put_file(dir, "n", "-\n");
	assert_false(sysfile_int(&v, dir, "n"));
	assert_false(sysfile_int(&v, dir, "none"));
	remove_dir(dir);
}

/* 100 ticks are a second here or there: the test counts in ticks. */
static void test_busy(void **state)
{
	uint64_t tick = procfs_ticks_ns(1);
	struct machine m = {.begun = false};
	struct procmachine at = {.idle = 1000, .iowait = 50, .steal = 5};

	(void)state;
	machine_add(&m, &at, 1000 * tick, 2);
	assert_int_equal(m.busy_ns, 0);
	/* 100 ticks on two processors; 120 idle, 10 waiting, 20 stolen: 50 busy */
	at.idle += 120;
	at.iowait += 10;
	at.steal += 20;
	machine_add(&m, &at, 1100 * tick, 2);
	assert_int_equal(m.busy_ns, 50 * tick);
	assert_int_equal(m.steal_ns, 20 * tick);
	/* iowait falls, idle falls after a suspend: no time, never a negative one */
	at.idle -= 500;
	at.iowait -= 30;
	machine_add(&m, &at, 1110 * tick, 2);
	assert_int_equal(m.busy_ns, 70 * tick);
	at.idle += 20;
	machine_add(&m, &at, 1120 * tick, 2);
	assert_int_equal(m.busy_ns, 70 * tick);
	/* more idle than there was time (ticks are coarse): held, and made good for later */
	at.idle += 25;
	machine_add(&m, &at, 1130 * tick, 2);
	assert_int_equal(m.busy_ns, 70 * tick);
	machine_add(&m, &at, 1140 * tick, 2);
	assert_int_equal(m.busy_ns, 85 * tick);
}

static void test_busy_here(void **state)
{
	struct machine m = {.begun = false};

	(void)state;
	assert_true(machine_read(&m, "/proc", clock_now_ns()));
	burn_ms(100);
	assert_true(machine_read(&m, "/proc", clock_now_ns()));
	assert_true(m.busy_ns + m.steal_ns > 50 * NS_PER_MS);
	assert_false(machine_read(&m, "/nonexistent", clock_now_ns()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),         cmocka_unit_test(test_processors),
		cmocka_unit_test(test_kernel),        cmocka_unit_test(test_quota),
		cmocka_unit_test(test_nothing_there), cmocka_unit_test(test_this_machine),
		cmocka_unit_test(test_hypervisor),    cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_busy),          cmocka_unit_test(test_busy_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
