# Hardware counters, shown on an emulated arm64 machine that has them: make check-pmu. tests/pmu/image.sh
# (as root) makes the machine's image once; the check does it itself where it is missing and it is
# root. It fails where that cannot be done; SKIP_PMU=1 skips it. Not part of "make check".
pmu_scripts = \
	tests/pmu/known.sh \
	tests/pmu/missing.sh \
	tests/pmu/shared.sh \
	tests/pmu/user.sh
EXTRA_DIST += $(pmu_scripts) \
	tests/pmu/boot.sh \
	tests/pmu/build.sh \
	tests/pmu/guest-init.sh \
	tests/pmu/guest.sh \
	tests/pmu/image.sh \
	tests/pmu/initrd-init.sh \
	tests/pmu/known-guest.sh \
	tests/pmu/missing-guest.sh \
	tests/pmu/perfstat.py \
	tests/pmu/pmu.sh \
	tests/pmu/shared-guest.sh \
	tests/pmu/user-guest.sh

# Built for the machine by tests/pmu/build.sh.
EXTRA_PROGRAMS += tests/pmu/counted tests/pmu/known
tests_pmu_counted_SOURCES = tests/pmu/counted.c
tests_pmu_counted_LDADD = libcputop.a $(UV_LIBS) -lm
tests_pmu_known_SOURCES = tests/pmu/known.c
tests_pmu_known_LDADD = libcputop.a -lpthread

check-pmu:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS="$(pmu_scripts)" TEST_SUITE_LOG=check-pmu.log
CLEANFILES += check-pmu.log tests/pmu/*.log tests/pmu/*.trs
.PHONY: check-pmu
