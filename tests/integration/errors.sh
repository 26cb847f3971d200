#!/bin/sh
# What can be wrong before a window: one line, the right status, nothing left behind.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
unset CPUTOP_DIALECTS # what comes from the environment is said, too

# bad NAME STATUS REGEX ARGS...
bad()
{
	name=$1 status=$2 regex=$3
	shift 3
	ct_run -D postgres "$@"
	tap_is "$name: status" "$ct_status" "$status"
	tap_like "$name: what, why and what to do" "$(cat "$tap_dir/err")" "$regex"
	grep -vE '^cputop: (\[[0-9]+/[0-9]+\] )?postgres( [a-z]+)?: ' "$tap_dir/err" >"$tap_dir/lines"
	tap_is "$name: one line of error" "$(wc -l <"$tap_dir/lines")" 1
	tap_diag <"$tap_dir/lines"
	tap_ok "$name: nothing is left" sh -c "[ -z \"\$(ls -A '$ct_tmp')\" ]"
	tap_ok "$name: nothing is running" wait_until 2 ct_none
}

bad "a bad option" 2 "unknown option.*--frobnicate" -b --frobnicate
bad "a bad number" 2 "--rate.*not a number" -b --rate ten
bad "an unknown variant" 2 "nosuch.*pername" -b -v nosuch
bad "an unknown base" 2 "--base.*nosuch" -b --base nosuch
bad "no terminal and no -b" 2 "use cputop -b"
bad "a snapshot that is a folder" 2 "--json: .*is a folder" -b --json "$tap_dir"
bad "a snapshot in a folder that is not there" 2 "--json: .*none" -b --json "$tap_dir/none/s.json"
bad "no server binary" 2 "/nonexistent; --postgres-bin takes" -b --postgres-bin /nonexistent
bad "a setting of a server that does not run" 2 "--set mariadb:x=1: mariadb is none of" -b --set mariadb:x=1
bad "a port that is root's" 1 "port 80 is root's.*--postgres-port" -b --postgres-port 80
if [ "$(id -u)" -eq 0 ]; then
	bad "a server's user who is not there" 2 "--server-user: .*nosuch" -b --server-user nosuch
	bad "a server that runs as root" 2 "--server-user: .*root" -b --server-user root
else
	bad "a server's user, not as root" 2 "--server-user need root" -b --server-user nobody
fi
bad "more connections than the server takes" 1 "too many clients.*--pool.*max_connections" \
	-b -v skiplocked --pool 20 --set postgres:max_connections=15 --warmup 0 --measure 1

/usr/bin/python3 - >"$tap_dir/port" <<'END' &
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
time.sleep(60)
END
listener=$!
wait_until 5 test -s "$tap_dir/port"
port=$(cat "$tap_dir/port")
bad "a port that was asked for is busy" 1 "port $port" -b --postgres-port "$port"
kill "$listener"
wait "$listener" 2>/dev/null

cp -R "$top_srcdir/workload/variants/skiplocked" "$tap_dir/broken"
chmod -R u+w "$tap_dir/broken"
sed -i 's/skip locked/skip locket/' "$tap_dir/broken/postgres.sql"
line=$(grep -n 'skip locket' "$tap_dir/broken/postgres.sql" | head -1 | cut -d: -f1)
bad "a broken statement" 1 "broken/postgres.sql:$line: " -b -v "$tap_dir/broken" --warmup 0 --measure 1
sed -i '/^-- :complete  /,/^$/d' "$tap_dir/broken/postgres.sql"
bad "a statement that is missing, in the last of the variants" 2 "broken/postgres.sql.*complete" \
	-b -v "skiplocked,$tap_dir/broken"
rm "$tap_dir/broken/variant.ini"
bad "a folder without variant.ini" 2 "broken" -b -v "$tap_dir/broken"

if [ "$(id -u)" -ne 0 ]; then
	mkdir "$tap_dir/ro"
	chmod 500 "$tap_dir/ro"
	TMPDIR=$tap_dir/ro
	bad "a TMPDIR that cannot be written" 1 "$tap_dir/ro" -b
	TMPDIR=$ct_tmp
	bad "an output folder that cannot be made" 2 "$tap_dir/ro" -b -o "$tap_dir/ro/x"
	chmod 700 "$tap_dir/ro"
fi
TMPDIR=$tap_dir/missing
bad "a TMPDIR that is not there" 1 "$tap_dir/missing" -b
TMPDIR=$ct_tmp
bad "a setting that the server refuses" 1 "correct --set postgres:nonsense_setting=1" -b --set postgres:nonsense_setting=1
tap_done
