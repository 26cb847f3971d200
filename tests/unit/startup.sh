#!/bin/sh
# The live screen before there is a server: a stand-in for initdb that never ends keeps it there.
# So this needs no PostgreSQL, and shows what must work before the first figure: drawing, keys, sizes,
# locales, colours, job control, and how it ends.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"

cputop=$top_builddir/cputop
unset DIALECTS BASE WARMUP MEASURE NAMES RATE PG_BIN MYSQL_BIN MARIADB_BIN NO_COLOR LC_CTYPE LANG
chmod 755 "$tap_dir"
mkdir "$tap_dir/bin" "$tap_dir/tmp" "$tap_dir/cwd"
cd "$tap_dir/cwd" || exit 99
chmod 777 "$tap_dir/tmp"
export TMPDIR="$tap_dir/tmp" HOME="$tap_dir" XDG_CONFIG_HOME="$tap_dir" XDG_STATE_HOME="$tap_dir"
export LC_ALL=C.UTF-8
cat >"$tap_dir/bin/postgres" <<'END'
#!/bin/sh
echo "postgres (PostgreSQL) 15.0"
END
# Stays until it is told to end: this is what the screen waits for.
cat >"$tap_dir/bin/initdb" <<'END'
#!/bin/sh
exec sleep 600
END
chmod 755 "$tap_dir/bin" "$tap_dir/bin"/*

live()
{
	size=$1
	shift
	# shellcheck disable=SC2086 # width and height
	term_start $size "$@" "$cputop" --postgres-bin "$tap_dir/bin"
}

nothing_left()
{
	[ -z "$(find "$tap_dir/tmp" -mindepth 1 | tee "$tap_dir/left")" ]
}

quits()
{
	term_keys q
	term_wait_exit 3 || return 1
	[ "$term_status" -eq 0 ] || echo "status $term_status"
	[ "$term_status" -eq 0 ]
}

bytes_beyond_ascii()
{
	term_screen | LC_ALL=C grep -n '[^ -~]'
}

header='^cputop +postgres'

live "80 24"
tap_ok "it draws before the server is up" term_wait "$header" 2
tap_ok "it says what it waits for" term_wait 'initialising the data directory' 5
for row in '^worker ' '^producer ' '^database ' '^TOTAL '; do
	tap_ok "80x24 has the row '$row'" term_wait "$row" 2
done
tap_like "the variant is in the header" "$(term_screen)" '^cputop.*skiplocked'
tap_like "the keys are at the bottom" "$(term_screen | tail -n 1)" 'q.?Quit'

term_keys '?'
tap_ok "? opens the help" term_wait 'next, previous variant' 2
term_keys Escape
tap_ok "Esc closes it" term_wait_gone 'next, previous variant' 2
term_keys 5
tap_ok "5: the messages" term_wait 'initialising|[Mm]essages' 2
term_keys 6
tap_ok "6: the environment" term_wait 'kernel' 2
term_keys 2
tap_ok "2: the results" term_wait 'postgres +skiplocked|skiplocked' 2
term_keys 4
tap_ok "4: latency and progress" term_wait '^LATENCY' 2
term_keys Tab
tap_ok "Tab: the next screen" term_wait_gone '^LATENCY' 2
term_keys 1
tap_ok "1: back to the live screen" term_wait '^TOTAL ' 2

tap_is "the mouse is asked for" "$(term_tmux display-message -p -t t '#{mouse_any_flag}')" 1
term_keys +
tap_ok "+: more jobs a second" term_wait ' 50 jobs/s' 2
term_keys -
tap_ok "-: fewer" term_wait ' 20 jobs/s' 2
term_keys d
tap_ok "d asks for the delay" term_wait 'seconds|[Dd]elay' 2
term_type 0.2
term_keys Enter
term_keys W
tap_ok "W names the file it writes" term_wait 'cputoprc' 2
tap_like "which has the delay" "$(cat "$tap_dir/cputop/cputoprc")" '^delay = 0\.2$'
rm -r "$tap_dir/cputop"
term_keys J
tap_ok "J names the snapshot it writes" term_wait 'cputop-.*\.json' 2
tap_ok "which is valid before there is a figure" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
	"$top_srcdir/contrib/snapshot.schema.json" "$tap_dir/cwd"/cputop-*.json

for size in "50 12" "200 50" "20 5" "1 1" "80 24"; do
	# shellcheck disable=SC2086
	term_resize $size
	[ "$size" = "1 1" ] || [ "$size" = "20 5" ] ||
		tap_ok "$size: drawn again" term_wait '^database ' 2
	tap_ok "$size: it lives" kill -0 "$(term_pid)"
done
term_type 'nNkKjJHRI<>ftF'
term_keys Escape Up Down PageUp PageDown Home End Left Right F5 F6 F1 Escape C-l 1
tap_ok "a handful of keys does no harm" term_wait '^TOTAL ' 3
tap_ok "q ends it with status 0" quits
tap_ok "the terminal is sane" term_sane
tap_ok "nothing is left" nothing_left

live "80 24" env LC_ALL=C
tap_ok "the C locale: it draws" term_wait "$header" 2
tap_ok "the C locale: the rows are there" term_wait '^TOTAL ' 2
tap_is "the C locale: ASCII only" "$(bytes_beyond_ascii)" ""
tap_ok "the C locale: it ends" quits

live "80 24" env NO_COLOR=1
tap_ok "NO_COLOR: it draws" term_wait '^TOTAL ' 2
tap_is "NO_COLOR: no colours" \
	"$(term_screen_escapes | grep -cE "$(printf '\033')"'\[([0-9]*;)*(3[0-7]|4[0-7]|9[0-7]|38|48)[;m]')" 0
tap_ok "NO_COLOR: it ends" quits

for size in "50 12" "200 50"; do
	live "$size"
	tap_ok "$size: it draws" term_wait '^database ' 2
	tap_ok "$size: it ends" quits
done

term_start 80 24 "$cputop" --postgres-bin "$tap_dir/bin" --no-mouse
tap_ok "--no-mouse: it draws" term_wait '^TOTAL ' 2
tap_is "--no-mouse: the mouse is the terminal's" \
	"$(term_tmux display-message -p -t t '#{mouse_any_flag}')" 0
tap_ok "--no-mouse: it ends" quits

for term in vt100 xterm linux; do
	live "80 24" env TERM="$term"
	tap_ok "TERM=$term: it draws" term_wait '^TOTAL ' 2
	tap_ok "TERM=$term: it ends" quits
done

for signal in "TERM 143" "HUP 129" "INT 130"; do
	raised=${signal#* }
	signal=${signal% *}
	live "80 24"
	term_wait 'initialising the data directory' 5 || :
	kill -s "$signal" "$(term_pid)"
	tap_ok "SIG$signal: it ends within 2 s" term_wait_exit 2
	tap_is "SIG$signal: the signal is raised again" "$term_status" "$raised"
	tap_ok "SIG$signal: the terminal is sane" term_sane
	tap_ok "SIG$signal: nothing is left" nothing_left
done

live "80 24"
term_wait 'initialising the data directory' 5 || :
kill -s ABRT "$(term_pid)"
tap_ok "a crash: it ends" term_wait_exit 2
tap_ok "a crash: the terminal is sane" term_sane

# Job control needs a shell with it.
term_start 80 24 bash --norc --noprofile -i
term_type "PS1='prompt> '"
term_keys Enter
tap_ok "a shell" term_wait '^prompt>$' 5
term_type "'$cputop' --postgres-bin '$tap_dir/bin'"
term_keys Enter
tap_ok "in a shell: it draws" term_wait '^TOTAL ' 3
term_keys C-z
tap_ok "Ctrl-Z: the shell is back" term_wait '[Ss]topped' 3
tap_is "Ctrl-Z: the normal screen" "$(term_tmux display-message -p -t t '#{alternate_on}')" 0
term_type fg
term_keys Enter
tap_ok "fg: drawn again" term_wait '^TOTAL ' 3
term_keys q
tap_ok "fg: it ends" term_wait_gone '^TOTAL ' 3
term_stop

cat >"$tap_dir/bin/initdb" <<'END'
#!/bin/sh
printf 'initdb: error: \033[31mno such luck\n' >&2
exit 1
END
live "120 24"
tap_ok "a server that cannot be made: the reason is on the screen" term_wait 'no such luck' 5
tap_ok "the screen goes on" term_wait '^TOTAL ' 2
tap_is "what it said is escaped" "$(term_screen | grep -c 'x1b\[31mno such luck')" 1
term_keys q
tap_ok "it ends" term_wait_exit 3
tap_ok "the terminal is sane" term_sane
tap_ok "nothing is left" nothing_left
tap_done
