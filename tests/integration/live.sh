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

# same WIDTH SCREEN: J, then the figures on screen are in the snapshot. A tick may fall between the
# two: then once more.
same()
{
	rm -f "$tap_dir"/cwd/cputop-*.json
	term_keys J
	wait_until 5 snapshot || return 1
	term_screen >"$tap_dir/screen"
	/usr/bin/python3 "$top_srcdir/tests/lib/screen.py" "$tap_dir/screen" \
		"$tap_dir"/cwd/cputop-*.json "$1" "$2"
}

# compare WIDTH HEIGHT: each screen that has figures.
compare()
{
	for screen in "1 live" "2 results" "4 latency" "6 environment"; do
		term_keys Escape "${screen% *}"
		tap_ok "$1x$2: screen ${screen#* } shows what J writes at that moment" \
			wait_until 8 same "$1" "${screen#* }"
	done
	tap_ok "$1x$2: the snapshot is valid" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
		"$top_srcdir/contrib/snapshot.schema.json" "$tap_dir"/cwd/cputop-*.json
	term_keys 5
	tap_ok "$1x$2: the messages" term_wait 'MESSAGE' 5
	tap_ok "$1x$2: a message" term_wait '^[0-9]+:[0-9]+:[0-9]+  ' 5
	term_keys 1
}

start=$(date +%s%N)
term_start 80 24 "$ct" -d 1 -v pername,skiplocked --warmup 2 --measure 5 --poll-interval 1
tap_ok "the screen is up before the server" term_wait 'cputop' 5
tap_diag <<END
screen after $((($(date +%s%N) - start) / 1000000)) ms
END
tap_ok "a window opens" term_wait 'window +[0-9]+/5 s' 30
tap_ok "figures are there" term_wait '^worker +[0-9]' 15
tap_ok "the window ends" term_wait 'window 0 .*jobs in' 30
compare 80 24
term_keys v
tap_ok "v switches the variant" term_wait '· skiplocked ·' 20
tap_ok "it begins without any figure" term_wait '^[0-9] of 20 jobs: figures appear' 10
tap_ok "the change against the base shows" term_wait 'TOTAL.*0\.[0-9]+x' 40
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
term_keys h
tap_ok "help" term_wait 'start a window' 5
term_keys Escape 4
tap_ok "progress lines" term_wait '[0-9]+\.[0-9] .*[0-9]+\.[0-9]' 10
tap_ok "latency of jobs" term_wait '^due to done +mean +[0-9]+\.[0-9]{2} .* p99 ' 10
tap_ok "and the producer's share" term_wait '^due to sent +mean +[0-9]+\.[0-9]{2} .* p99 ' 5
tap_ok "their histogram" term_wait '^ +up to [0-9.]+ (us|ms) .* [0-9]+\.[0-9]{2}%' 5
term_resize 100 150
term_keys 6
tap_ok "the environment has the table, with its dead rows" term_wait 'job +[0-9.]+ KB, [0-9]+ dead rows' 10
tap_ok "and its index" term_wait 'job_due +[0-9.]+ KB, index of job' 5
term_resize 80 24
term_keys 1
# A window in which cputop stood still: one message, at its end.
tap_ok "no window is open" term_wait 'last [0-9]+ s' 20
term_keys w
tap_ok "w opens a window" term_wait 'window +[0-9]+/5 s' 15
kill -s TSTP "$(term_pid)"
kill -s CONT "$(term_pid)"
term_keys 5
tap_ok "a window with a stop in it is invalid" term_wait 'skiplocked\) is invalid: suspended' 15
tap_is "there is one message for it" "$(term_screen | grep -c '^[0-9:]* .*suspended')" 1
term_keys 1
term_keys + y
tap_ok "+ changes the rate" term_wait '50 jobs/s' 5
term_keys - y
tap_ok "- changes it back" term_wait '· 20 jobs/s' 5

# a runs every variant of the plan, from the first one on.
term_keys a
tap_ok "a: the plan begins with its first variant" term_wait 'pername.*plan 0/2|plan 0/2.*pername' 20
tap_ok "a: then the second" term_wait 'skiplocked.*plan 1/2|plan 1/2.*skiplocked' 60
tap_ok "a: and goes on live after it" term_wait '(last [0-9]+ s)' 60
term_keys J
term_keys q
tap_ok "q ends it" term_wait_exit 5
tap_is "with status 0" "$term_status" 0
tap_ok "the terminal is sane" term_sane
tap_like "the table is on the normal screen" "$(term_screen)" '^postgres +pername'
tap_ok "the last snapshot is kept, with a window of each from the plan" \
	ct_json "$XDG_STATE_HOME/cputop/last.json" \
	'[x["variant"] for x in w if x["valid"]][-2:] == ["pername", "skiplocked"]'
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean

# In the C locale, and ending by itself.
for locale in C C.UTF-8; do
	LC_ALL=$locale term_start 80 24 env LC_ALL=$locale "$ct" -n 3 -d 0.3
	tap_ok "-n 3 ends by itself in locale $locale" term_wait_exit 20
	tap_is "-n 3 in locale $locale: status" "$term_status" 0
done
term_start 80 24 env LC_ALL=C "$ct" -d 0.5 -v skiplocked --warmup 1 --measure 2 --poll-interval 1
tap_ok "figures in the C locale" term_wait '^worker +[0-9]' 30
tap_ok "no byte above 0x7e in the C locale" sh -c "! printf '%s' '$(term_screen | LC_ALL=C tr -d '\040-\176\012')' | grep -q ."
term_keys q
term_wait_exit 5
tap_done
