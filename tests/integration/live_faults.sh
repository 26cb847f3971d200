#!/bin/sh
# The live screen when something dies, and when it is ended by a signal in every phase.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"
. "$top_srcdir/tests/integration/cputop.sh"
LC_ALL=C.UTF-8
export LC_ALL

# What dies inside a window is told, w and the rate do no harm meanwhile, and r starts again.
term_start 80 24 "$ct" -d 0.5 -v skiplocked --warmup 0.5 --measure 60 --poll-interval 0.5
for victim in '^[^ ]*/postgres -D ' 'postgres: postgres cputop' '^[^ ]*cputop-load worker' \
	'^[^ ]*cputop-load producer' 'cputop-keeper.*/postgres -D' \
	'cputop-keeper.*cputop-load worker' 'cputop-keeper.*cputop-load producer'; do
	# (the death of a keeper is told twice: of the connection, then of the server)
	term_wait 'window +[0-9]+/60 s' 10 >/dev/null 2>&1 || term_keys r
	tap_ok "a window is open" term_wait 'window +[0-9]+/60 s' 30
	pid=$(ct_pid_of "$victim")
	tap_ok "'$victim' is there" test -n "$pid"
	kill -9 "$pid"
	term_keys w + y w
	tap_ok "its death is told, with the key that starts again" term_wait 'r +Restart' 15
	term_keys r
done
tap_ok "the last restart works, too" term_wait 'window +[0-9]+/60 s' 30
term_keys q
tap_ok "q ends it" term_wait_exit 5
tap_is "a run failed: status 1" "$term_status" 1
tap_ok "each window is invalid, with a reason" ct_json "$XDG_STATE_HOME/cputop/last.json" \
	'len(w) >= 7 and all(not x["valid"] and len(x["invalid_reason"]) > 5 for x in w)'
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean

# A Ctrl-C typed at the terminal reaches cputop alone: the server ends in order, not by it.
term_start 80 24 "$ct" -d 0.5 -v skiplocked --warmup 1 --measure 60 --poll-interval 1
tap_ok "a window is open" term_wait 'window +[0-9]+/60 s' 30
group=$(ps -o pgid= -p "$(ct_pid_of '^[^ ]*/postgres -D ')" | tr -d ' ')
tap_ok "the server is in no process group of the terminal's" \
	test "$group" != "$(ps -o pgid= -p "$(term_pid)" | tr -d ' ')"
term_keys C-c
tap_ok "Ctrl-C ends it" term_wait_exit 3
tap_ok "nothing is left running" wait_until 2 ct_none

for signal in INT TERM HUP KILL; do
	for phase in 'initialising' 'filling|settling' 'warm-up' 'window +[0-9]' 'stopping'; do
		more="--names 20000"
		[ "$phase" != stopping ] || more="--rate max --backlog 100000 --concurrency 1"
		# shellcheck disable=SC2086 # options
		term_start 80 24 "$ct" -d 0.2 -v skiplocked,pername --warmup 1 --measure 30 \
			--poll-interval 0.5 $more
		if [ "$phase" = stopping ]; then
			term_wait 'window +[0-9]' 30
			term_keys v # the jobs that wait are run first
		fi
		if term_wait "$phase" 30; then
			tap_report 0 "$signal: '$phase' is reached"
		elif [ "$phase" = 'filling|settling' ]; then
			tap_skip "$signal: '$phase' is reached" "it was over before the screen was looked at"
		else
			tap_report 1 "$signal: '$phase' is reached"
		fi
		kill -s "$signal" "$(term_pid)"
		tap_ok "$signal while '$phase': it ends within 2 s" term_wait_exit 2
		tap_ok "$signal while '$phase': nothing is left running" wait_until 2 ct_none
		if [ "$signal" != KILL ]; then
			tap_ok "$signal while '$phase': the terminal is sane" term_sane
			tap_ok "$signal while '$phase': nothing is left" ct_clean
		fi
	done
done
term_start 80 24 "$ct" -n 3 -d 0.3
term_wait_exit 20
tap_ok "what kill -9 left is removed by the next start" ct_clean
tap_done
