# shellcheck shell=sh
# TAP for shell tests. Source it, then:
#
#   tap_ok NAME COMMAND...      passes when the command does; its output is shown when it fails
#   tap_is NAME GOT WANTED      passes when both are the same
#   tap_like NAME TEXT REGEX    passes when a line of the text matches (grep -E)
#   tap_skip NAME REASON        this one cannot be tested here; counted as skipped
#   tap_skip_all REASON         nothing can be tested here; ends the script
#   tap_done                    last of all
#
# $tap_dir is a temporary directory that is removed at the end; tap_cleanup, when it is defined,
# is called before. The tree under test is $top_builddir, its sources are $top_srcdir: make sets
# both, a test started by hand takes the current directory and its own place.

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd -P)}"
: "${top_builddir:=$(pwd -P)}"
tap_n=0
tap_failed=0
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/cputest-XXXXXX") || exit 99

tap_end()
{
	tap_status=$?
	trap - EXIT
	if command -v tap_cleanup >/dev/null 2>&1; then
		tap_cleanup
	fi
	rm -rf "$tap_dir"
	exit "$tap_status"
}
trap tap_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP PIPE

tap_report()
{
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_n - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_n - $2"
	fi
}

tap_diag()
{
	sed 's/^/# /'
}

tap_ok()
{
	tap_name=$1
	shift
	tap_rc=0
	"$@" >"$tap_dir/tap.out" 2>&1 || tap_rc=$?
	tap_report "$tap_rc" "$tap_name"
	[ "$tap_rc" -eq 0 ] || tap_diag <"$tap_dir/tap.out"
}

tap_is()
{
	if [ "$2" = "$3" ]; then
		tap_report 0 "$1"
	else
		tap_report 1 "$1"
		printf 'got:    %s\nwanted: %s\n' "$2" "$3" | tap_diag
	fi
}

tap_like()
{
	if printf '%s\n' "$2" | grep -qE -- "$3"; then
		tap_report 0 "$1"
	else
		tap_report 1 "$1"
		printf 'wanted: %s\ngot:\n%s\n' "$3" "$2" | tap_diag
	fi
}

tap_skip()
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

tap_skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

tap_done()
{
	echo "1..$tap_n"
	[ "$tap_failed" -eq 0 ]
}

# wait_until SECONDS COMMAND...: polls until the command passes, or the time is up. The command may
# itself wait.
# (The end of the time is a positional parameter, since these belong to each call alone.)
wait_until()
{
	set -- $(($(date +%s) + $1)) "$@"
	until wait_try "$@"; do
		[ "$(date +%s)" -le "$1" ] || return 1
		sleep 0.05
	done
}

wait_try()
{
	shift 2
	"$@"
}
