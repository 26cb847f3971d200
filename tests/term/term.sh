# shellcheck shell=sh disable=SC2034,SC2154 # variables of tap.sh and of the test
# A terminal for tests: a private tmux server with one window of a given size. Source tests/lib/tap.sh
# first, then:
#
#   term_start WIDTH HEIGHT COMMAND...   runs it in the terminal, with this environment
#   term_keys KEY...                     presses keys, by tmux's names: q Enter F1 C-c PageDown
#   term_type TEXT                       types text as it is
#   term_wait REGEX [SECONDS]            until a line of the screen matches; 1 when the time is up
#   term_wait_gone REGEX [SECONDS]       until none does
#   term_screen                          what the screen shows, one line a row
#   term_screen_escapes                  the same with colours and attributes
#   term_resize WIDTH HEIGHT
#   term_wait_exit [SECONDS]             until the program has ended; its status is in term_status
#   term_pid                             pid of the program
#   term_sane                            whether the terminal is as a shell wants it
#   term_stop                            ends the terminal
#
# When the program has ended the line "[ended STATUS]" follows its last output, and the terminal
# stays. Nothing sleeps a fixed time. The terminals of a test end with it.

term_starts=0
term_socket=cputop-$$-0

command -v tmux >/dev/null 2>&1 || tap_skip_all "tmux is not installed"

term_tmux()
{
	env -u TMUX TMUX_TMPDIR="$tap_dir" tmux -L "$term_socket" \
		-f "$tap_dir/term-conf" "$@"
}

# No status line: it would take a row away from the program.
cat >"$tap_dir/term-conf" <<'END'
set-option -g status off
set-option -g escape-time 0
END

# Runs the program, writes down how it ended and how it left the terminal, and holds the screen.
cat >"$tap_dir/term-run" <<'END'
dir=$1
shift
stty -g >"$dir/term-before"
(
	exec sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec "$@"' "$dir/term-pid" "$@"
)
status=$?
stty -g >"$dir/term-after"
echo
echo "[ended $status]"
echo "$status" >"$dir/term-status.new"
mv "$dir/term-status.new" "$dir/term-status"
exec cat
END

term_start()
{
	term_stop
	# A new server: the one before may still be on its way out.
	term_starts=$((term_starts + 1))
	term_socket=cputop-$$-$term_starts
	term_width=$1
	term_height=$2
	shift 2
	rm -f "$tap_dir/term-status" "$tap_dir/term-pid" "$tap_dir/term-after"
	SHELL=/bin/sh term_tmux new-session -d -s t -x "$term_width" -y "$term_height" -- \
		sh "$tap_dir/term-run" "$tap_dir" "$@"
}

term_stop()
{
	term_tmux kill-server 2>/dev/null || :
}
tap_cleanup()
{
	term_stop
}

term_keys()
{
	term_tmux send-keys -t t "$@"
}

term_type()
{
	term_tmux send-keys -t t -l "$1"
}

term_resize()
{
	term_tmux resize-window -t t -x "$1" -y "$2"
}

term_screen()
{
	term_tmux capture-pane -p -t t
}

term_screen_escapes()
{
	term_tmux capture-pane -p -e -t t
}

term_shows()
{
	term_screen 2>/dev/null | grep -qE -- "$1"
}

term_hides()
{
	! term_shows "$1"
}

# What was there instead goes to standard output, for the diagnosis of tap_ok.
term_wait()
{
	wait_until "${2:-10}" term_shows "$1" && return 0
	echo "not on the screen within ${2:-10} s: $1"
	term_screen
	return 1
}

term_wait_gone()
{
	wait_until "${2:-10}" term_hides "$1" && return 0
	echo "still on the screen after ${2:-10} s: $1"
	term_screen
	return 1
}

term_wait_exit()
{
	if wait_until "${1:-10}" test -e "$tap_dir/term-status"; then
		term_status=$(cat "$tap_dir/term-status")
		return 0
	fi
	term_status=
	echo "still running after ${1:-10} s"
	term_screen
	return 1
}

term_pid()
{
	wait_until 5 test -e "$tap_dir/term-pid" && cat "$tap_dir/term-pid"
}

# After the program: the modes of before, the normal screen, a visible cursor, no mouse reports.
term_sane()
{
	diff "$tap_dir/term-before" "$tap_dir/term-after" &&
		[ "$(term_tmux display-message -p -t t \
			'#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}')" = "0 1 0 0" ]
}
