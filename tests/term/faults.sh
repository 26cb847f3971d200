#!/bin/sh
# What breaks other screens: sizes of one and of nothing, sizes that change all the time, ten thousand
# SIGWINCH, terminals that are none. In a pseudo-terminal of its own, on a made-up session (uidemo).
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
unset NO_COLOR LC_CTYPE LANG
LC_ALL=C.UTF-8
TERM=xterm-256color
export LC_ALL TERM
demo=$top_builddir/tests/unit/uidemo

fault()
{
	timeout 60 /usr/bin/python3 "$top_srcdir/tests/lib/pty_faults.py" "$@"
}

for size in "0 0" "1 1" "1 200" "200 1" "10 38" "3 500"; do
	# shellcheck disable=SC2086 # two words
	tap_ok "starts in a terminal of $size, and grows" fault size $size "$demo" window
done
tap_ok "sizes change while it draws" fault resizes "$demo"
tap_ok "sizes change while nothing else does" fault resizes "$demo" window
tap_ok "10 000 SIGWINCH" fault signals "$demo" window
tap_ok "what is typed after q is not the shell's" fault typed "$demo" window
tap_ok "TERM is not set: an error that says what to do" fault term - "$demo" window
tap_ok "TERM is empty: the same" fault term "" "$demo" window
tap_ok "TERM=dumb: the same" fault term dumb "$demo" window
tap_ok "standard output is a file: -b is named, nothing is written" fault file "$tap_dir/out" \
	"$top_builddir/cputop"
tap_done
