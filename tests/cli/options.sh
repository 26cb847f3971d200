#!/bin/sh
# The command line without a server and without a terminal: status and message of each row. A
# message is one line that begins with the program's name.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"

cputop=$top_builddir/cputop
unset DIALECTS BASE WARMUP MEASURE NAMES RATE PG_BIN MYSQL_BIN MARIADB_BIN
mkdir "$tap_dir/home" "$tap_dir/empty"
HOME=$tap_dir/home
XDG_CONFIG_HOME=$tap_dir/home
XDG_STATE_HOME=$tap_dir/home
TMPDIR=$tap_dir/home
export HOME XDG_CONFIG_HOME XDG_STATE_HOME TMPDIR

# row STATUS REGEX ARGUMENT...
row()
{
	wanted=$1
	regex=$2
	shift 2
	status=0
	"$cputop" "$@" </dev/null >"$tap_dir/out" 2>"$tap_dir/err" || status=$?
	if [ "$status" -eq "$wanted" ] && grep -qE -- "$regex" "$tap_dir/err" &&
		[ "$(wc -l <"$tap_dir/err")" -eq 1 ] && grep -q '^cputop: ' "$tap_dir/err" &&
		[ ! -s "$tap_dir/out" ]; then
		tap_report 0 "cputop $*"
	else
		tap_report 1 "cputop $*"
		printf 'status %s, wanted %s and %s\n' "$status" "$wanted" "$regex" | tap_diag
		tap_diag <"$tap_dir/err"
		tap_diag <"$tap_dir/out"
	fi
}

# Usage: 2, and what to do.
row 2 'unknown option --foo.*--help' --foo
row 2 'unknown option -x.*--help' -x
row 2 "may mean several: --poll-interval, --pool" --po
row 2 'unexpected argument .postgres' postgres
row 2 '--rate: not a number: .fast.' --rate fast
row 2 '--rate needs a value' --rate
row 2 '--rate: not a number' --rate=
row 2 '--rate:.* out of range' --rate -1
row 2 '--rate: not a number: .20,5.' --rate 20,5
row 2 '--rate: not a number: .nan.' --rate nan
row 2 '--rate: not a number: .inf.' --rate inf
row 2 '--names: not a whole number: .1e3.' --names 1e3
row 2 '--names:.* out of range' --names 0
row 2 '--names: not a whole number: .-5.' --names -5
row 2 '--names:' --names 99999999999999999999
row 2 '--concurrency:.* out of range' --concurrency 0
row 2 '--pool:.* out of range' --pool 0
row 2 '--backlog:.* out of range' --backlog 0
row 2 '--repeat:.* out of range' --repeat 0
row 2 '--iterations:.* out of range' -n 0
row 2 '--delay:.* out of range' -d 0
row 2 '--delay: not a number' -d 1s
row 2 '--measure:.* out of range' --measure 0
row 2 '--warmup: not a number' --warmup x
row 2 '--poll-interval:.* out of range' --poll-interval 0
row 2 '--hot-share:.* out of range' --hot-share 1.1
row 2 '--hot-names 10 is more than --names 5' --names 5 -b
row 2 '--seed: not a whole number' --seed -1
row 2 '--postgres-port:.* out of range' --postgres-port 70000
row 2 '--counters: unknown counter source .pmu.*auto, perf' --counters pmu
row 2 '--cpu-source: unknown CPU source .perf.*clocks' --cpu-source perf
row 2 '--dialect: unknown database .oracle.*postgres' -D oracle
row 2 '--dialect: it is empty' -D ''
row 2 '--set: .work_mem=1MB. is not ENGINE:NAME=VALUE' --set work_mem=1MB
row 2 '--set: .postgres:work_mem. is not' --set postgres:work_mem
row 2 '--set: unknown database .pg' --set pg:work_mem=1MB
row 2 '--batch' -n 3 -b
row 2 'takes no value|does not take|no value' --batch=yes
row 2 'control|escap|unknown option' "$(printf -- '--\033[31m')"

row 2 '--completed:.* out of range|--completed: not a whole number' --completed -1
row 2 '--blocked are jobs with mutex keys; add --mutex-keys' --blocked 5
row 2 '--queued are jobs with mutex keys; add --mutex-keys' --queued 5
row 2 'pername knows no mutex keys.*leave out --mutex-keys' -b -v pername --mutex-keys 5
row 2 'delete keeps no completed jobs.*leave out --history' -b -v delete --history 60
row 2 '--history:.* out of range' --history 0
row 2 '--workers:.* out of range' --workers 0
row 2 "--enqueue: .begin. is neither pool nor tx" --enqueue begin
row 2 '--enqueue-batch:.* out of range' --enqueue-batch 0
row 2 '--payload:.* out of range' --payload 10000000
row 2 'enqueue-batch 50 is more than --backlog 20' --rate max --backlog 20 --enqueue-batch 50
row 2 'delete keeps no completed jobs.*leave out --completed' -b -v skiplocked,delete --completed 5

# Without a terminal the live screen cannot be: the message names -b.
row 2 'terminal.*-b' -D postgres

# A variant that is not there; the message says which there are.
row 2 'nosuch.*skiplocked' -b -v nosuch
row 2 'nosuch' -b -v ./nosuch
# No server: which directory was looked at.
row 2 "$tap_dir/empty" -b --postgres-bin "$tap_dir/empty"

row_out()
{
	tap_like "cputop $2" "$("$cputop" "$2" </dev/null 2>&1)" "$1"
}
row_out '^cputop [0-9]+\.[0-9]+' --version
row_out '^cputop [0-9]+\.[0-9]+' -V
row_out '^Usage: cputop' --help
row_out '^Usage: cputop' -h
row_out '^ +--rate R ' --help
row_out '^skiplocked +[A-Z].*' --list-variants
row_out '^pername +[A-Z].*' --list-variants
tap_ok "each variant's folder is named" sh -c \
	"'$cputop' --list-variants | sed -n '/^\//p' | while read -r d; do [ -s \"\$d/variant.ini\" ] || exit 1; done"
tap_is "there are as many folders as variants" "$("$cputop" --list-variants | grep -c ^/)" \
	"$("$cputop" --list-variants | sed '/^$/,$d' | wc -l)"
for option in --help --version --list-variants; do
	"$cputop" $option >/dev/full 2>"$tap_dir/err"
	tap_is "$option on a full disk: status" $? 1
	tap_like "$option on a full disk: says so" "$(cat "$tap_dir/err")" '^cputop: cannot write .*space'
done
tap_is "help fits 80 columns" "$("$cputop" --help | awk 'length > 79')" ""
tap_is "help is the same in every locale" "$(LC_ALL=C "$cputop" --help)" \
	"$(LC_ALL=C.UTF-8 "$cputop" --help)"
tap_is "skiplocked comes first" "$("$cputop" --list-variants | awk 'NR == 1 { print $1 }')" skiplocked
tap_ok "nothing is written by any of them" sh -c "[ -z \"\$(find '$tap_dir/home' -mindepth 1)\" ]"
tap_done
