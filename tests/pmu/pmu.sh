# shellcheck shell=sh disable=SC2154 # variables of tap.sh
# For tests on the emulated machine. Source tests/lib/tap.sh first, then:
#
#   pmu_start                   image and programs; ends the script where they cannot be had
#   pmu_boot SCRIPT             runs SCRIPT in the machine, results in $pmu_out; ends the
#                               test when that fails
#   pmu_json FILE EXPRESSION    as tests/lib/jq.py, on a file of $pmu_out
#
# Without QEMU these tests fail; SKIP_PMU=1 skips them.

pmu_out=$tap_dir/pmu
pmu_here=$top_srcdir/tests/pmu
CPUTOP_PMU_CACHE=${CPUTOP_PMU_CACHE:-/var/tmp/cputop-pmu}
export CPUTOP_PMU_CACHE

[ -z "${SKIP_PMU:-}" ] || tap_skip_all "SKIP_PMU is set"

# pmu_timed WHAT COMMAND...: standard output is kept in $tap_dir/timed.out.
pmu_timed()
{
	pmu_what=$1
	shift
	pmu_began=$(date +%s)
	pmu_status=0
	"$@" >"$tap_dir/timed.out" 2>"$tap_dir/timed.err" || pmu_status=$?
	echo "# $pmu_what: $(($(date +%s) - pmu_began)) s"
	return "$pmu_status"
}

pmu_must()
{
	tap_ok "$1" [ "$pmu_status" -eq 0 ]
	[ "$pmu_status" -ne 0 ] || return 0
	tap_diag <"$tap_dir/timed.err"
	tap_done
	exit 1
}

# The lock, on the cache itself: several of these tests may begin together.
pmu_start()
{
	mkdir -p "$CPUTOP_PMU_CACHE" 2>/dev/null
	pmu_locked=/
	[ ! -r "$CPUTOP_PMU_CACHE" ] || pmu_locked=$CPUTOP_PMU_CACHE
	exec 9<"$pmu_locked"
	flock 9
	pmu_timed "image" bash "$pmu_here/image.sh" 9>&-
	pmu_must "the emulated machine's image is there (root makes it: tests/pmu/image.sh)"
	pmu_timed "cross-build" bash "$pmu_here/build.sh" 9>&-
	pmu_must "cputop is built for it"
	flock -u 9
	pmu_programs=$(tail -n 1 "$tap_dir/timed.out")
}

pmu_boot()
{
	pmu_script=$1
	shift
	pmu_timed "$pmu_script in the machine" bash "$pmu_here/boot.sh" "$pmu_programs" "$pmu_out" \
		"$pmu_here/$pmu_script" "$@"
	tap_diag <"$tap_dir/timed.out"
	tap_diag <"$tap_dir/timed.err"
	tap_is "$pmu_script ran to its end" "$pmu_status" 0
	[ "$pmu_status" -ne 0 ] || return 0
	tap_done
	exit 1
}

pmu_json()
{
	/usr/bin/python3 "$top_srcdir/tests/lib/jq.py" "$pmu_out/$1" "$2"
}
