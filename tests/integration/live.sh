#!/bin/sh
# The live screen on a real server: what it shows is what the snapshot of that moment says.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"
. "$top_srcdir/tests/integration/cputop.sh"
LC_ALL=C.UTF-8
export LC_ALL
mkdir "$tap_dir/cwd" && cd "$tap_dir/cwd" || exit 99

snapshot()
{
	set -- "$tap_dir"/cwd/cputop-*.json
	[ -f "$1" ]
}

# compare W H: J, then the figures of the roles and the total on screen are in the snapshot. A tick
# may fall between the two: then once more.
same()
{
	rm -f "$tap_dir"/cwd/cputop-*.json
	term_keys J
	wait_until 5 snapshot || return 1
	term_screen >"$tap_dir/screen"
	/usr/bin/python3 "$top_srcdir/tests/lib/screen.py" "$tap_dir/screen" \
		"$tap_dir"/cwd/cputop-*.json
}

compare()
{
	tap_ok "$1x$2: the screen shows what J writes at that moment" wait_until 8 same
	tap_ok "$1x$2: the snapshot is valid" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
		"$top_srcdir/contrib/snapshot.schema.json" "$tap_dir"/cwd/cputop-*.json
}

start=$(date +%s%N)
term_start 80 24 "$ct" -d 1 -v pername,skiplocked --warmup 2 --measure 5 --poll-interval 1
tap_ok "the screen is up before the server" term_wait 'cputop' 2
tap_diag <<END
screen after $((($(date +%s%N) - start) / 1000000)) ms
END
tap_ok "a window opens" term_wait 'window +[0-9]+/5 s' 20
tap_ok "figures are there" term_wait '^worker +[0-9]' 10
compare 80 24
tap_ok "the window ends" term_wait 'window 0 .*jobs in' 20
term_keys v
tap_ok "v switches the variant" term_wait '· skiplocked ·' 10
tap_ok "the change against the base shows" term_wait 'TOTAL.*0\.[0-9]+x' 30
term_screen >"$tap_dir/screen"
for row in '^worker ' '^producer ' '^database ' '^TOTAL ' 'postgres pername .*base' \
	'postgres skiplocked '; do
	tap_like "at 80x24 '$row' shows without scrolling" "$(cat "$tap_dir/screen")" "$row"
done
for size in "50 12" "200 50" "80 24"; do
	# shellcheck disable=SC2086 # two words
	term_resize $size
	tap_ok "$size: drawn again" term_wait '^worker ' 5
	# shellcheck disable=SC2086 # two words
	compare $size
done
term_resize 1 1
term_resize 80 24
tap_ok "one column and back" term_wait '^worker ' 5
for k in 2 4 5 6 h; do
	term_keys "$k"
	tap_ok "screen $k draws" wait_until 5 sh -c 'true'
	term_screen >"$tap_dir/screen-$k"
done
term_keys Escape 4
tap_ok "progress lines" term_wait '[0-9]+\.[0-9] .*[0-9]+\.[0-9]' 10
term_keys 6
tap_ok "environment" term_wait 'kernel' 5
term_keys 2
tap_ok "results" term_wait 'pername' 5
term_keys 1
term_keys + y
tap_ok "+ changes the rate" term_wait '50 jobs/s' 5

# The server dies: the screen goes on, and r starts again.
kill -9 "$(ct_pid_of '^[^ ]*/postgres -D ')"
tap_ok "the death of the server is told" term_wait 'r +Restart|restart' 10
term_keys r
tap_ok "r starts another one" term_wait 'warm-up|window +[0-9]' 20
term_keys q
tap_ok "q ends it" term_wait_exit 5
tap_is "with status 0" "$term_status" 0
tap_ok "the terminal is sane" term_sane
tap_like "the table is on the normal screen" "$(term_screen)" '^postgres +pername'
tap_ok "the last snapshot is kept" ct_json "$XDG_STATE_HOME/cputop/last.json" 'len(w) >= 1'
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean

# Signals while live, also while the server starts; the terminal stays sane.
for signal in INT TERM HUP; do
	for phase in 'initialising|starting' 'warm-up' 'window +[0-9]'; do
		term_start 80 24 "$ct" -d 0.2 -v skiplocked --warmup 1 --measure 30 --poll-interval 0.5
		term_wait "$phase" 20
		kill -s "$signal" "$(term_pid)"
		tap_ok "$signal while '$phase': it ends within 2 s" term_wait_exit 2
		tap_ok "$signal while '$phase': the terminal is sane" term_sane
		tap_ok "$signal while '$phase': nothing is left running" wait_until 2 ct_none
		tap_ok "$signal while '$phase': nothing is left" ct_clean
	done
done
term_start 80 24 "$ct" -n 3 -d 0.3
tap_ok "-n 3 ends by itself" term_wait_exit 15
tap_is "with status 0" "$term_status" 0
tap_done
