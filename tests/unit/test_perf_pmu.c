/* PMUs are found in a made-up /sys; why counters cannot be had, in words. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/counters.h"
#include "measure/perf_pmu.h"
#include "measure/perf_reason.h"
#include "measure_help.h"

static void test_pmu_generic(void **state)
{
	struct perf_pmu pmus[PERF_PMUS_MAX];
	char *sys = make_dir();

	(void)state;
	assert_int_equal(perf_pmus_find(sys, pmus), 1);
	assert_int_equal(pmus[0].spec[PERF_INSTRUCTIONS].type, PERF_TYPE_HARDWARE);
	assert_int_equal(pmus[0].spec[PERF_INSTRUCTIONS].config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(pmus[0].spec[PERF_CYCLES].config, PERF_COUNT_HW_CPU_CYCLES);
	/* one cluster is no cluster */
	put_file(sys, "bus/event_source/devices/armv8_pmuv3/cpus", "0-3\n");
	put_file(sys, "bus/event_source/devices/armv8_pmuv3/type", "8\n");
	put_file(sys, "bus/event_source/devices/cpu/type", "4\n");
	assert_int_equal(perf_pmus_find(sys, pmus), 1);
	assert_int_equal(pmus[0].spec[0].type, PERF_TYPE_HARDWARE);
	remove_dir(sys);
}

static void test_pmu_hybrid(void **state)
{
	struct perf_pmu pmus[PERF_PMUS_MAX];
	char *sys = make_dir();

	(void)state;
	put_file(sys, "devices/cpu_core/type", "4\n");
	put_file(sys, "devices/cpu_core/cpus", "0-7\n");
	put_file(sys, "devices/cpu_atom/type", "10\n");
	put_file(sys, "devices/cpu_atom/cpus", "8-15\n");
	assert_int_equal(perf_pmus_find(sys, pmus), 2);
	assert_string_equal(pmus[0].name, "cpu_core");
	assert_int_equal(pmus[0].spec[PERF_INSTRUCTIONS].type, PERF_TYPE_HARDWARE);
	assert_true(pmus[0].spec[PERF_INSTRUCTIONS].config == UINT64_C(0x400000001));
	assert_true(pmus[0].spec[PERF_CYCLES].config == UINT64_C(0x400000000));
	assert_true(pmus[1].spec[PERF_INSTRUCTIONS].config == UINT64_C(0xa00000001));
	remove_dir(sys);
}

static void put_arm(const char *sys, const char *name, const char *type)
{
	char path[200];

	snprintf(path, sizeof(path), "bus/event_source/devices/%s/type", name);
	put_file(sys, path, type);
	snprintf(path, sizeof(path), "bus/event_source/devices/%s/cpus", name);
	put_file(sys, path, "0-3\n");
}

static const struct perf_pmu *pmu_named(const struct perf_pmu *pmus, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(pmus[i].name, name) != 0)
		i++;
	assert_true(i < n);
	return &pmus[i];
}

static void test_pmu_arm(void **state)
{
	struct perf_pmu pmus[PERF_PMUS_MAX];
	const struct perf_pmu *p;
	char *sys = make_dir();

	(void)state;
	put_arm(sys, "armv8_cortex_a53", "8\n");
	put_arm(sys, "armv8_cortex_a72", "9\n");
	put_file(sys, "bus/event_source/devices/armv8_cortex_a72/events/cpu_cycles",
		 "event=0x0011\n");
	put_file(sys, "bus/event_source/devices/uncore/type", "20\n");
	assert_int_equal(perf_pmus_find(sys, pmus), 2);
	p = pmu_named(pmus, 2, "armv8_cortex_a72");
	assert_int_equal(p->spec[PERF_INSTRUCTIONS].type, 9);
	assert_int_equal(p->spec[PERF_INSTRUCTIONS].config, 0x08);
	assert_int_equal(p->spec[PERF_CYCLES].config, 0x11);
	remove_dir(sys);
	sys = make_dir();
	put_arm(sys, "apple_icestorm_pmu", "8\n");
	put_arm(sys, "apple_firestorm_pmu", "9\n");
	put_file(sys, "bus/event_source/devices/apple_firestorm_pmu/events/instructions",
		 "event=0x8c\n");
	assert_int_equal(perf_pmus_find(sys, pmus), 2);
	p = pmu_named(pmus, 2, "apple_firestorm_pmu");
	assert_int_equal(p->spec[PERF_INSTRUCTIONS].config, 0x8c);
	assert_int_equal(p->spec[PERF_CYCLES].config, 0x02);
	remove_dir(sys);
}

/* "No PMU" and "not permitted" are told apart, each with what would help. */
static void test_reasons(void **state)
{
	char *proc = make_dir(), *sys = make_dir();
	const struct counter_roots roots = {proc, sys, NULL};
	struct counter_state s = {.available = true};

	(void)state;
	put_file(proc, "cpuinfo", "flags\t\t: fpu hypervisor\n");
	put_file(proc, "sys/kernel/perf_event_paranoid", "3\n");
	perf_reason(&s, -ENOENT, &roots);
	assert_false(s.available);
	assert_string_equal(s.reason, "no hardware counters in this virtual machine");
	assert_null(strstr(s.remedy, "sysctl"));
	perf_reason(&s, -EACCES, &roots);
	assert_string_equal(s.reason, "this user may not open counters (perf_event_paranoid 3)");
	assert_string_equal(s.remedy, "sudo sysctl kernel.perf_event_paranoid=1");
	perf_reason(&s, -EPERM, &roots);
	assert_non_null(strstr(s.reason, "seccomp"));
	perf_reason(&s, -ENOSYS, &roots);
	assert_non_null(strstr(s.reason, "kernel"));
	assert_string_equal(s.remedy, "");
	perf_reason(&s, -EMFILE, &roots);
	assert_non_null(strstr(s.reason, "open files"));
	perf_reason(&s, -EBUSY, &roots);
	assert_non_null(strstr(s.reason, strerror(EBUSY)));
	put_file(proc, "cpuinfo", "flags\t\t: fpu\n");
	perf_reason(&s, -ENOENT, &roots);
	assert_null(strstr(s.reason, "virtual"));
	remove_dir(proc);
	remove_dir(sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pmu_generic),
		cmocka_unit_test(test_pmu_hybrid),
		cmocka_unit_test(test_pmu_arm),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
