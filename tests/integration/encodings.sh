#!/bin/sh
# Databases and connections with names that are no UTF-8, and with bytes that a terminal would take
# for commands: process titles have them as they are. Screen and files show them written out.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"
. "$top_srcdir/tests/integration/cputop.sh"
LC_ALL=C.UTF-8
export LC_ALL
name=$(printf 'gar\347on \033[2J')
shown='gar\\xe7on \\x1b\[2J'

sql()
{
	"$ct_pg/psql" -h 127.0.0.1 -p "$ct_port" -U postgres -w -X -q -At -v ON_ERROR_STOP=1 "$@"
}

# Databases of other encodings, and a connection to one that is named in it.
foreign()
{
	ct_let_in || return 1
	for encoding in LATIN1 SQL_ASCII; do
		sql -c "create database $encoding encoding '$encoding' locale 'C' template template0" \
			cputop || return 1
	done
	PGCLIENTENCODING=LATIN1 sql -c "create database \"$name\" encoding 'LATIN1' locale 'C'
		template template0" latin1 || return 1
	# Its name is in the title; what the server says of its user is not ASCII either.
	PGCLIENTENCODING=LATIN1 PGAPPNAME=$name sql -c "select '$name', pg_sleep(600)" "$name" \
		>/dev/null 2>&1 &
	foreign=$!
	wait_until 10 foreign_is_there
}

foreign_is_there()
{
	grep -qa "$(printf 'postgres: postgres gar\347on')" /proc/[0-9]*/cmdline 2>/dev/null
}

term_start 120 40 "$ct" -d 0.2 -v skiplocked --warmup 1 --measure 600 --poll-interval 1
tap_ok "a window opens" term_wait 'window +[0-9]+/600 s' 30
tap_ok "a connection to a database whose name is LATIN1" foreign
term_keys Down Down Down Enter
tap_ok "the details of the database" term_wait 'WHERE +database' 5
tap_ok "the title is there, with its bytes written out" term_wait "postgres: postgres $shown" 10
tap_ok "the screen is whole" term_wait '^cputop +postgres .*window +[0-9]+/600 s' 5
term_keys q
tap_ok "it ends" term_wait_exit 10
tap_is "with status 0" "$term_status" 0
kill "$foreign" 2>/dev/null
wait "$foreign" 2>/dev/null

ct_batch -v skiplocked --warmup 4 --measure 2 --poll-interval 1 -o "$tap_dir/o" \
	--json "$tap_dir/s.json"
tap_ok "batch: the warm-up begins" ct_wait_phase "warm-up"
tap_ok "batch: the same connection" foreign
ct_wait
tap_is "batch: status" "$ct_status" 0
cat >"$tap_dir/titles.py" <<'END'
import json, sys
data = json.load(open(sys.argv[1], encoding="utf-8"))
print(*(p["title"] for p in data["processes"] if "gar" in (p["title"] or "")), sep="\n")
END
for f in before after; do
	/usr/bin/python3 "$tap_dir/titles.py" "$(find "$tap_dir/o" -name $f.json)" >"$tap_dir/titles"
	tap_like "batch: $f.json is UTF-8 and has the title" "$(cat "$tap_dir/titles")" \
		"^postgres: postgres $shown"
done
tap_ok "batch: the snapshot is valid" ct_json "$tap_dir/s.json" 'len(w) == 1 and v["valid"]'
kill "$foreign" 2>/dev/null
wait "$foreign" 2>/dev/null
tap_ok "nothing is left running" wait_until 5 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
