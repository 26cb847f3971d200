#!/bin/sh
# Ctrl-C, SIGTERM, SIGHUP and kill -9 of cputop in every phase: nothing of ours is left after 2 s.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"

killed=
one()
{
	signal=$1 phase=$2 number=$3
	ct_batch -v skiplocked,pername --warmup 0.6 --measure 1 --poll-interval 0.5 --names 20000 \
		--json "$tap_dir/s.json"
	if ! ct_wait_phase "$phase"; then
		tap_report 1 "$signal: '$phase' is reached"
		tap_diag <"$tap_dir/err"
		ct_kill_all
		return
	fi
	kill -s "$signal" "$ct_pid"
	tap_ok "$signal while '$phase': nothing is left after 2 s" wait_until 2 ct_none
	ct_wait 2>/dev/null
	tap_is "$signal while '$phase': it ends by that signal" "$ct_status" $((128 + number))
	if [ "$signal" != KILL ]; then
		tap_ok "$signal while '$phase': no temporary directory is left" ct_clean
		tap_ok "$signal while '$phase': no cgroup is left" ct_no_cgroup "$ct_pid"
		tap_ok "$signal while '$phase': the snapshot says incomplete" \
			ct_json "$tap_dir/s.json" 'd["complete"] is False'
	fi
	rm -f "$tap_dir/s.json"
	killed="$killed $ct_pid"
	ct_kill_all
}

for s in "INT 2" "TERM 15" "HUP 1" "KILL 9"; do
	for phase in "initialising the data" "filling tables" "warm-up" ": window" \
		"skiplocked: stopping"; do
		one "${s% *}" "$phase" "${s#* }"
	done
done

# After kill -9 the next start clears up what is left; a window that was done is kept.
ct_batch -v skiplocked,pername --warmup 0.3 --measure 1 --poll-interval 0.5 --json "$tap_dir/s.json"
ct_wait_phase "pername: warm-up"
kill -s INT "$ct_pid"
ct_wait
tap_ok "the window that was finished is saved" ct_json "$tap_dir/s.json" \
	'len(w) >= 1 and w[0]["valid"] and d["complete"] is False'
tap_like "and printed" "$(cat "$tap_dir/out")" '^postgres +skiplocked'
tap_ok "the next start has removed what kill -9 left" ct_clean
# shellcheck disable=SC2086 # a list
tap_ok "cgroups, too" ct_no_cgroup $killed
tap_done
