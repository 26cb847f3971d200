#!/bin/sh
# cputop-icount: the same number each time, Valgrind's own number, and nothing lost by fork, exec,
# threads, SIGKILL and ten thousand processes.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
TMPDIR=$tap_dir
export TMPDIR
ic=$top_builddir/cputop-icount
prog=$top_builddir/tests/integration/icount_prog
command -v valgrind >/dev/null || tap_skip_all "Valgrind is not installed"
tool=$(find "$top_builddir/icount" -name 'icount-*-linux' 2>/dev/null)
[ -n "$tool" ] || tap_skip_all "the icount tool is not built"
[ -x "$prog" ] || prog=$(dirname "$0")/icount_prog

# count ARGS...: the number for the program with these arguments.
count()
{
	"$ic" -o "$tap_dir/out" "$prog" "$@" && sed -n 's/ .*//;1p' "$tap_dir/out"
}

# near "" GOT WANTED: within 1 %, for what a process costs beside its turns.
near()
{
	[ $(($2 * 100)) -ge $(($3 * 99)) ] && [ $(($2 * 100)) -le $(($3 * 101)) ]
}

a=$(count loop 100000)
tap_is "the second time is as the first" "$(count loop 100000)" "$a"
tap_is "and the third" "$(count loop 100000)" "$a"
b=$(count loop 300000)
c=$(count loop 500000)
tap_is "200000 turns more are the same each time" "$((c - b))" "$((b - a))"
turn=$(((b - a) / 200000))
tap_is "a turn is a whole number of instructions" "$((turn * 200000))" "$((b - a))"

# The environment is a part of what a program runs with.
lackey=$(VALGRIND_OPTS='' VALGRIND_LIB=$top_builddir/icount valgrind --tool=lackey \
	--basic-counts=yes "$prog" loop 100000 2>&1 |
	sed -n 's/.*guest instrs: *\([0-9,]*\)$/\1/p' | tr -d ,)
tap_is "exactly what Valgrind's lackey counts" "$a" "$lackey"

n=10000000
turns=$((n * turn))
tap_ok "children are counted" near "" "$(count fork $n 5)" $((5 * turns))
tap_like "and are told apart" "$(sed -n 1p "$tap_dir/out")" ' of 5 other processes$'
tap_ok "those at the same time, too" near "" "$(count wide $n 12)" $((12 * turns))
tap_ok "what was run before an exec and after it" near "" "$(count exec $n)" $((2 * turns))
tap_like "it is one process" "$(sed -n 1p "$tap_dir/out")" ' 0 of 0 other processes$'
tap_ok "a child that is killed keeps its count" near "" "$(count killed $n)" $turns
tap_ok "threads are counted" near "" "$(count threads $n 3)" $((6 * turns))

"$ic" -v -o "$tap_dir/out" "$prog" threads $n 3
got=$(awk '/ thread / || / threads that ended/ { print $1 }' "$tap_dir/out" | sort -n | tail -3 | tr '\n' ' ')
set -- $got
tap_ok "the first thread by itself" near "" "${1:-0}" "$turns"
tap_ok "the second" near "" "${2:-0}" $((2 * turns))
tap_ok "the third" near "" "${3:-0}" $((3 * turns))
tap_is "they come to the whole" \
	"$(awk '/ thread / || / threads that ended/ { n += $1 } END { printf "%d", n }' "$tap_dir/out")" \
	"$(sed -n 's/ .*//;1p' "$tap_dir/out")"

# More processes than there is room for, one after the other: the room is used again.
one=$(count fork 1000 1)
two=$(count fork 1000 2)
many=$(count fork 1000 4502)
tap_ok "4500 processes more" near "" $((many - two)) $((4500 * (two - one)))
tap_like "none is missing" "$(sed -n 1p "$tap_dir/out")" ' of 4502 other processes$'

"$ic" -o "$tap_dir/out" sh -c 'exit 7'
tap_is "the status is the command's" "$?" 7
"$ic" -o "$tap_dir/out" sh -c 'kill -TERM $$'
tap_is "also by a signal" "$?" 143
"$ic" -o "$tap_dir/out" "$tap_dir/no-such-program" 2>/dev/null
tap_is "127 when there is none" "$?" 127
mkdir "$tap_dir/empty"
got=$(CPUTOP_LIBEXEC=$tap_dir/empty "$ic" true 2>&1)
tap_is "125 without the tool" "$?" 125
tap_like "and what to do" "$got" 'apt-get install valgrind'
got=$(PATH=$tap_dir/empty "$ic" /bin/true 2>&1)
tap_like "without Valgrind, too" "$got" 'Valgrind is not installed; on Debian: apt-get install'
tap_is "no temporary directory is left" \
	"$(find "$tap_dir" -maxdepth 1 -name 'cputop-*' | wc -l)" 0
tap_done
