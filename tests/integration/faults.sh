#!/bin/sh
# A process that dies inside a window: a message, an invalid window with its reason, status 1.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"

ulimit -S -n 1000 # cputop raises its own

one()
{
	what=$1 pattern=$2
	ct_batch -v skiplocked --warmup 0.5 --measure 30 --poll-interval 1 --json "$tap_dir/s.json"
	if ! ct_wait_phase "skiplocked: window"; then
		tap_report 1 "$what: a window opens"
		tap_diag <"$tap_dir/err"
		ct_kill_all
		return
	fi
	victim=$(ct_pid_of "$pattern")
	tap_ok "$what: is there" test -n "$victim"
	case $what in
	*keeper*) ;;
	*) tap_is "$what: has the user's limit of open files" \
		"$(awk '/^Max open files/ { print $4 }' "/proc/$victim/limits")" 1000 ;;
	esac
	kill -9 "$victim"
	ct_wait
	tap_is "kill -9 of $what: status 1" "$ct_status" 1
	tap_like "kill -9 of $what: a message" "$(cat "$tap_dir/err")" 'error: |invalid: '
	tap_ok "kill -9 of $what: the window is invalid, with the reason" ct_json "$tap_dir/s.json" \
		'len(w) == 1 and not v["valid"] and len(v["invalid_reason"]) > 10'
	tap_ok "kill -9 of $what: nothing is left running" wait_until 2 ct_none
	tap_ok "kill -9 of $what: no temporary directory is left" ct_clean
	sed -n 's/^cputop: error/# &/p' "$tap_dir/err"
	ct_kill_all
}

one "the server" '^[^ ]*/postgres -D '
one "a backend" 'postgres: postgres cputop'
one "the worker" '^[^ ]*cputop-load worker'
one "the producer" '^[^ ]*cputop-load producer'
one "the keeper of the server" 'cputop-keeper.*postgres -D'
one "the keeper of the worker" 'cputop-keeper.*cputop-load worker'
one "the keeper of the producer" 'cputop-keeper.*cputop-load producer'

# One that stands still: neither dead nor there.
ct_batch -D mariadb -v skiplocked --warmup 0.5 --measure 2 --poll-interval 1 --json "$tap_dir/s.json"
tap_ok "a window of MariaDB opens" ct_wait_phase "skiplocked: window"
kill -s STOP "$(ct_pid_of '^[^ ]*/(mariadbd|mysqld) --no-defaults --datadir')"
ct_wait
tap_is "a server that stands still: status 1" "$ct_status" 1
tap_like "a server that stands still: a message" "$(cat "$tap_dir/err")" \
	'error: mariadb has not answered for 30 s'
tap_ok "a server that stands still: nothing is left running" wait_until 2 ct_none
tap_ok "a server that stands still: no temporary directory is left" ct_clean
# PostgreSQL's statistics come by the connections of worker and producer.
ct_batch -v skiplocked --warmup 0.5 --measure 2 --poll-interval 1 --json "$tap_dir/s.json"
tap_ok "a window of PostgreSQL opens" ct_wait_phase "skiplocked: window"
kill -s STOP "$(ct_pid_of '^[^ ]*cputop-load worker')"
ct_wait
tap_is "a worker that stands still: status 1" "$ct_status" 1
tap_like "a worker that stands still: a message" "$(cat "$tap_dir/err")" \
	'error: postgres has not answered a connection of worker or producer for 30 s'
tap_ok "a worker that stands still: its window is there, with what is missing and why" ct_json \
	"$tap_dir/s.json" \
	'len(w) == 1 and v["work"]["rows_examined"] is None and len(v["work"]["missing"]["rows_examined"]) > 10'
tap_ok "a worker that stands still: nothing is left running" wait_until 2 ct_none
tap_done
