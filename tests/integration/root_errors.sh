#!/bin/sh
# As root: a full disk, a TMPDIR that the server's user cannot reach, and what another user of the
# machine can see of, and do with, the private server.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || tap_skip_all "mounting and changing users need root"
. "$top_srcdir/tests/integration/cputop.sh"

# bad NAME REGEX: cputop -b fails with one line, status 1, and leaves nothing.
bad()
{
	ct_run -b -v skiplocked --warmup 0 --measure 1
	tap_is "$1: status 1" "$ct_status" 1
	grep -vE '^cputop: ((\[[0-9]+/[0-9]+\] )?postgres( [a-z]+)?: |.* from the environment$)' \
		"$tap_dir/err" >"$tap_dir/lines"
	tap_is "$1: one line of error" "$(wc -l <"$tap_dir/lines")" 1
	tap_like "$1: it says what" "$(cat "$tap_dir/lines")" "$2"
	tap_diag <"$tap_dir/lines"
	tap_ok "$1: nothing is running" wait_until 2 ct_none
}

mkdir -m 700 "$tap_dir/closed" "$tap_dir/closed/tmp"
chmod 711 "$tap_dir/closed/tmp"
TMPDIR=$tap_dir/closed/tmp
bad "a TMPDIR that the server's user cannot reach" "$tap_dir/closed"
tap_is "nothing is left in it" "$(ls -A "$TMPDIR")" ""

mkdir "$tap_dir/small"
if mount -t tmpfs -o size=20m,mode=755 tmpfs "$tap_dir/small"; then
	TMPDIR=$tap_dir/small
	bad "a full disk" "No space left|full"
	tap_is "nothing is left on it" "$(ls -A "$TMPDIR")" ""
	umount "$tap_dir/small"
else
	tap_skip "a full disk" "no tmpfs can be mounted here"
fi
TMPDIR=$ct_tmp

other()
{
	setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
}

# Every file that another user can read below the session's directory, and what it sees in /proc.
readable()
{
	other find "$ct_tmp" -type f -readable 2>/dev/null
}

login()
{
	other env PGPASSWORD="$1" PGCONNECT_TIMEOUT=3 "$ct_pg/psql" -w -h "$2" -p "$port" \
		-U "$3" -Atc 'select 1' postgres 2>&1
}

ct_batch -v skiplocked --warmup 30 --measure 1
tap_ok "a session runs" ct_wait_phase "warm-up"
server=$(ct_pid_of '^[^ ]*/postgres -D ')
port=$(tr '\0' '\n' <"/proc/$server/cmdline" | sed -n 's/^port=//p')
data=$(tr '\0' '\n' <"/proc/$server/cmdline" | sed -n '/^-D$/{n;p;}')
tap_is "the server runs as an ordinary user" "$(ps -o user= -p "$server" | grep -c root)" 0
tap_is "its data is closed to others" "$(stat -c %a "$data")" 700
tap_is "another user can read no file of the server's" "$(readable | grep -c /pg/)" 0
tap_is "no unix socket" "$(find "$ct_tmp" -type s | wc -l)" 0
for user in postgres cputop nobody root; do
	for host in 127.0.0.1 localhost; do
		for password in '' postgres "$user"; do
			tap_like "login as $user at $host is refused" \
				"$(login "$password" "$host" "$user")" 'no password|failed|fe_sendauth|does not exist'
		done
	done
done
# The password is 32 characters long and stands nowhere in clear: neither in an argument list or an
# environment, nor in a file. Only its hash is in the server's own tables.
for p in $(ct_ours); do
	tr '\0' '\n' <"/proc/$p/cmdline" >>"$tap_dir/seen"
	tr '\0' '\n' <"/proc/$p/environ" >>"$tap_dir/seen"
done
find "$ct_tmp" \( -name '*.log' -o -name log -o -name '*.conf' \) -type f -exec cat {} + >>"$tap_dir/seen"
tap_is "no word of 32 letters and digits in arguments, environment, logs or settings" \
	"$(grep -cE '(^|[^0-9a-z])[0-9a-z]{32}([^0-9a-z]|$)' "$tap_dir/seen")" 0
tap_is "the password file is gone" "$(find "$ct_tmp" -name '*pw*' | wc -l)" 0
kill -INT "$ct_pid"
ct_wait
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
