#!/bin/sh
# The real terminal code on a made-up session (uidemo): keys, mouse, sizes, copying, job control, and
# every way to end, without a server.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"
unset NO_COLOR LC_CTYPE LANG
LC_ALL=C.UTF-8
export LC_ALL
demo=$top_builddir/tests/unit/uidemo

signal_demo()
{
	kill -s "$1" "$(term_pid)"
}

alternate()
{
	[ "$(term_tmux display-message -p -t t '#{alternate_on}')" = "$1" ]
}

copied()
{
	term_tmux show-buffer 2>/dev/null | grep -q '^TOTAL '
}

# Whether a row of the screen is drawn reversed: that is how the cursor looks without colours.
reversed()
{
	esc=$(printf '\033')
	term_screen_escapes | grep -qE "$esc\[[0-9;]*7m($esc\[[0-9;]*m)*$1"
}

stopped()
{
	grep -q '^State:.*stopped' "/proc/$(term_pid)/status"
}

term_start 80 24 "$demo"
tap_ok "a session begins: drawn at once" term_wait 'initialising the server [0-9]' 2
first=$(term_screen | grep -o 'server [0-9.]* s' | head -n 1)
tap_ok "its clock runs" term_wait_gone "$first" 2
tap_ok "a phase with a bar" term_wait 'filling tables [0-9]+%' 6
tap_ok "the first figures" term_wait '^worker +[0-9]+\.[0-9][0-9]' 12
tap_ok "a window" term_wait 'window [0-9]+/20 s' 12
term_keys q
tap_ok "q ends it" term_wait_exit 3
tap_is "no handle is left open" "$term_status" 0
tap_ok "the terminal is sane" term_sane

term_start 80 24 "$demo" window
term_wait '^TOTAL ' 3 || :
term_keys Down Down
term_keys Enter
tap_ok "Enter: the processes of the row" term_wait 'WHERE +producer +1 process' 2
term_keys Escape
tap_ok "Esc closes them" term_wait_gone 'WHERE' 2
term_keys F1
tap_ok "F1: the help" term_wait 'q F10 Ctrl-C quit' 2
term_keys Escape
term_type 'fwalw'
tap_ok "a filter narrows while it is typed" term_wait_gone 'backend' 2
term_keys Escape
tap_ok "Esc takes it away" term_wait 'backend' 2
term_type ' '
tap_ok "Space freezes" term_wait 'FROZEN' 2
term_type ' '
tap_ok "Space goes on" term_wait_gone 'FROZEN' 2
term_type J
tap_ok "J says the name" term_wait 'saved /home/user/cputop-1.json' 2
term_type W
tap_ok "W says why not" term_wait 'writes no rc file' 2
term_type '+'
tap_ok "another rate asks first" term_wait 'ends the open window' 2
term_type n
term_type a
term_type q
tap_ok "q asks while the plan runs" term_wait 'plan is still running' 2
term_type n
tap_ok "n: it goes on" term_wait_gone 'plan is still running' 2
term_tmux set-option -s set-clipboard on
term_type y
tap_ok "y copies the tables" wait_until 3 copied

# Clicks, as an xterm reports them, on the key w at the bottom, and on a row.
term_type "$(printf '\033[<0;2;24M\033[<0;2;24m')"
tap_ok "a click on the footer is the key" term_wait 'request: window' 3
term_type "$(printf '\033[<0;5;7M\033[<0;5;7m')"
term_type "$(printf '\033[<0;5;7M\033[<0;5;7m')"
tap_ok "a click on the selected row opens it" term_wait 'WHERE +database' 3
term_keys Escape

for size in "40 10" "200 60" "1 1" "3 2" "120 7" "80 24"; do
	# shellcheck disable=SC2086 # two words
	term_resize $size
done
tap_ok "sizes in quick succession" term_wait 'q Quit' 3
tap_ok "all of it" term_wait '^RESULTS ' 3

signal_demo STOP
tap_ok "SIGSTOP" wait_until 2 stopped
signal_demo CONT
term_type 2
tap_ok "SIGCONT: it draws" term_wait 'INSTRUCTIONS, M' 3
term_type 1
term_keys C-c
term_type n
term_keys C-c C-c
tap_ok "Ctrl-C twice ends it, also during the plan" term_wait_exit 3
tap_is "status 0" "$term_status" 0
tap_ok "the terminal is sane" term_sane
tap_ok "the normal screen" alternate 0

term_start 80 24 env NO_COLOR=1 "$demo" window
term_wait '^TOTAL ' 3 || :
term_keys Down
tap_ok "NO_COLOR: the cursor is reversed" wait_until 2 reversed worker
term_type z
tap_ok "NO_COLOR: z says why not" term_wait 'NO_COLOR' 2
signal_demo TERM
tap_ok "SIGTERM ends it" term_wait_exit 3
tap_ok "the terminal is sane" term_sane

for signal in SEGV ABRT BUS FPE ILL; do
	term_start 80 24 "$demo" window
	term_wait '^TOTAL ' 3 || :
	signal_demo "$signal"
	tap_ok "SIG$signal: it ends" term_wait_exit 5
	tap_ok "SIG$signal: by the signal" test "$term_status" -ne 0
	tap_ok "SIG$signal: the terminal is sane" term_sane
	tap_ok "SIG$signal: the normal screen" alternate 0
done

# Text that would move the cursor, set titles, turn the direction: shown, not obeyed.
term_start 80 24 "$demo" hostile
tap_ok "hostile text is written out" term_wait '^postgres .x1b\[2J' 3
for key in 2 5 6 Enter; do
	term_keys "$key"
done
tap_is "the window's title is not touched" \
	"$(term_tmux display-message -p -t t '#{pane_title}' | grep -cx x)" 0
term_keys q
tap_ok "it ends" term_wait_exit 3

# Stopping from outside, in a shell with job control.
term_start 80 24 bash --norc --noprofile -i
term_type "PS1='prompt> '; '$demo' window"
term_keys Enter
tap_ok "in a shell" term_wait '^TOTAL ' 5
kill -s TSTP "$(cut -d " " -f 1 "/proc/$(term_pid)/task/$(term_pid)/children")"
tap_ok "SIGTSTP: the shell is back" term_wait '[Ss]topped' 3
tap_ok "SIGTSTP: the normal screen" alternate 0
term_type 'stty -a; fg'
term_keys Enter
tap_ok "fg: drawn again" term_wait '^TOTAL ' 3
term_type 5
tap_ok "the session was told" term_wait 'request: suspended' 3
term_type q
tap_ok "it ends" term_wait '^prompt> *$' 3
term_stop

# The terminal goes away.
term_start 80 24 sh -c 'trap "" HUP; exec "$1" window' sh "$demo"
term_wait '^TOTAL ' 3 || :
pid=$(term_pid)
term_stop
tap_ok "a terminal that is gone ends it" wait_until 3 sh -c '! kill -0 "$1" 2>/dev/null' sh "$pid"

tap_ok "an unknown terminal is an error" sh -c '
	! TERM=no-such-thing setsid -w script -qec "$1 window" /dev/null </dev/null >"$2" 2>&1 &&
	grep -q "not known here" "$2"' sh "$demo" "$tap_dir/unknown"
tap_ok "no terminal is an error that names -b" sh -c '
	! setsid -w "$1" </dev/null >"$2" 2>&1 && grep -q "[-]b" "$2"' sh "$demo" "$tap_dir/none"
tap_done
