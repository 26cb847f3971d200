#!/bin/sh
# Between databases and variants, live: b, v, w, J and a at any moment; what was started stays up, so
# that going back takes no time; and q at any moment leaves nothing.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"
. "$top_srcdir/tests/integration/cputop.sh"
unset CPUTOP_DIALECTS
LC_ALL=C.UTF-8
export LC_ALL
mkdir "$tap_dir/cwd" && cd "$tap_dir/cwd" || exit 99

mysql=yes
"$ct" check --need mysql >/dev/null 2>&1 || mysql=
variants=$("$ct" --list-variants | sed '/^$/,$d' | wc -l)
plan=$((2 * variants))
[ -z "$mysql" ] || plan=$((3 * variants))

saved()
{
	set -- "$tap_dir"/cwd/cputop-*.json
	[ -f "$1" ]
}

# figures NAME PART: those of this database, with a part that only it has.
figures()
{
	tap_ok "$1: figures" term_wait '^TOTAL +[0-9]' 30
	tap_like "$1: with its parts" "$(term_screen)" "$2"
}

term_start 120 34 "$ct" -d 0.5 --warmup 1 --measure 4 --poll-interval 1
figures postgres 'backend ×8'
term_keys b
tap_ok "b: the next database, at once" term_wait '^cputop +mariadb' 2
tap_ok "without figures of the one before" term_wait_gone 'backend ×8' 2
figures mariadb 'connection ×8'
tap_ok "what the other server uses is shown" term_wait 'idle servers' 2
if [ -n "$mysql" ]; then
	term_keys b
	tap_ok "b: MySQL" term_wait '^cputop +mysql' 2
	tap_ok "it is initialising" term_wait 'initialising' 5
	term_keys b
	tap_ok "b while it does: PostgreSQL again" term_wait '^cputop +postgres' 2
	term_keys B
	tap_ok "B: back" term_wait '^cputop +mysql' 2
	tap_ok "its version is known" term_wait '^cputop +mysql [0-9]' 60
	figures mysql 'connection ×8'
else
	tap_skip "switching to MySQL" "it is not installed"
	term_keys b
fi
[ -z "$mysql" ] || term_keys b
tap_ok "b: PostgreSQL, whose server is still up" term_wait '^cputop +postgres [0-9]' 2
figures "postgres again" 'backend ×8'
term_keys v
tap_ok "v: the next variant" term_wait '· pername ·' 3
term_keys V
tap_ok "V: back" term_wait '· skiplocked ·' 3
# The first window of a run begins by itself.
tap_ok "a window" term_wait 'window +[0-9]+/4 s' 30
tap_ok "its result" term_wait '>postgres +skiplocked +[0-9]+ ' 15
tap_ok "it is live" term_wait 'last +[0-9]+ s' 5
term_keys v
tap_ok "v: a window of another variant" term_wait '· pername ·.* window +[0-9]+/4 s' 30
term_keys V
tap_ok "V while it is open: it was left, it has not failed" term_wait 'postgres +pername .*left' 5
tap_ok "the other goes on" term_wait '>postgres +skiplocked .*live|last +[0-9]+ s' 15
term_keys w
tap_ok "w: a window" term_wait 'window +[0-9]+/4 s' 15
tap_ok "it ends" term_wait 'last +[0-9]+ s' 15
term_keys J
tap_ok "J: a snapshot" wait_until 5 saved
tap_ok "which is said" term_wait 'saved cputop-.*json' 2
term_keys a
tap_ok "a: the whole matrix" term_wait "plan 0/$plan" 5
term_keys 2
tap_ok "what comes is listed" term_wait 'mariadb +pername +- ' 5
tap_ok "what has been is kept" term_wait 'postgres +skiplocked +[0-9]+ ' 2
tap_ok "it goes on to the next" term_wait "plan [1-9]/$plan" 60
term_keys q
tap_ok "q asks while a plan runs" term_wait 'quit all the same' 2
term_keys y
tap_ok "q and y end it" term_wait_exit 5
tap_is "with status 0" "$term_status" 0
tap_ok "the terminal is sane" term_sane
tap_ok "no server is left" wait_until 3 ct_none
tap_ok "no temporary directory is left" ct_clean

# q while a server is being made.
for d in mariadb ${mysql:+mysql}; do
	term_start 80 24 "$ct" -d 0.5 -D "$d"
	tap_ok "$d is initialising" term_wait 'initialising' 10
	term_keys q
	tap_ok "q while $d is initialising: ends within 3 s" term_wait_exit 3
	tap_ok "$d: nothing is left running" wait_until 3 ct_none
	tap_ok "$d: no temporary directory is left" ct_clean
done
tap_done
