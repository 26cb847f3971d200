#!/bin/sh
# cputop check: exit status, --need, --json against its schema, 80 columns.
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd -P)}/tests/lib/tap.sh"

cputop=$top_builddir/cputop
python=${PYTHON:-/usr/bin/python3}
schema=$top_srcdir/contrib/check.schema.json
unset DIALECTS BASE WARMUP MEASURE NAMES RATE PG_BIN MARIADB_BIN
HOME=$tap_dir
XDG_CONFIG_HOME=$tap_dir
TMPDIR=$tap_dir
export HOME XDG_CONFIG_HOME TMPDIR

# check ARGUMENT...: fills out, err and status.
check()
{
	status=0
	"$cputop" check "$@" </dev/null >"$tap_dir/out" 2>"$tap_dir/err" || status=$?
}

check --json "$tap_dir/check.json"
tap_is "this machine can measure CPU time" "$status" 0
tap_is "nothing on standard error" "$(cat "$tap_dir/err")" ""
for label in kernel machine clock perf icount 'known loop' 'CPU time' 'a reading' settings load servers \
	clients measurable; do
	tap_like "a line: $label" "$(cat "$tap_dir/out")" "^$label +[^ ]"
done
tap_is "at most 80 columns" "$(awk 'length > 80' "$tap_dir/out")" ""
tap_ok "no bytes but ASCII" sh -c '! LC_ALL=C grep -n "[^ -~]" "$1"' sh "$tap_dir/out"
tap_like "the histogram has its columns" "$(cat "$tap_dir/out")" '^ +ns <= .* more$'
tap_like "the cost of 1, 10 and 100" "$(cat "$tap_dir/out")" \
	'costs [0-9.]+ ms with 1, [0-9.]+ ms with 10, [0-9.]+ ms with 100 processes$'
tap_like "the client with its version" "$(cat "$tap_dir/out")" '^clients +libpq [0-9]+'

# What must not be missing.
check --need cpu
tap_is "CPU time is there" "$status" 0
check --need cpu,postgres --json "$tap_dir/none.json"
found=$status
CPUTOP_PG_BIN=$tap_dir
export CPUTOP_PG_BIN
check --need cpu,postgres
tap_is "a missing server: exit status 1" "$status" 1
tap_like "the line says why" "$(cat "$tap_dir/err")" \
	"^cputop: check: postgres is missing: there is no program postgres in $tap_dir; CPUTOP_PG_BIN takes"
tap_is "one line only" "$(wc -l <"$tap_dir/err" | tr -d ' ')" 1
tap_like "the screen is there all the same" "$(cat "$tap_dir/out")" '^servers +postgres: there is no'
check
tap_is "a missing server that nobody needs is no failure" "$status" 0
unset CPUTOP_PG_BIN
check --need oracle
tap_is "an unknown word is a usage error" "$status" 2
tap_like "and it says which there are" "$(cat "$tap_dir/err")" \
	"^cputop: --need: unknown 'oracle'; use cpu, .*mariadb; see cputop check --help"
CPUTOP_MYSQL_BIN=$tap_dir
export CPUTOP_MYSQL_BIN
check --need cpu --need mysql,mysql
tap_is "a database that is not there: exit status 1" "$status" 1
tap_is "named once" "$(grep -c 'mysql is missing' "$tap_dir/err")" 1
unset CPUTOP_MYSQL_BIN
for wrong in --foo --need '--need=' 'extra'; do
	check "$wrong"
	tap_is "check $wrong: usage" "$status" 2
	tap_like "check $wrong: where to look" "$(cat "$tap_dir/err")" '^cputop: .*cputop check --help$'
	tap_is "check $wrong: no screen" "$(cat "$tap_dir/out")" ""
done
mkdir "$tap_dir/cputop"
echo 'rate = fast' >"$tap_dir/cputop/cputoprc"
check
tap_is "a wrong rc file is a usage error" "$status" 2
tap_like "named" "$(cat "$tap_dir/err")" 'cputoprc'
check --help
tap_is "but not for the help" "$status" 0
tap_like "which is the verb's" "$(cat "$tap_dir/out")" '^Usage: cputop check'
tap_is "and fits 80 columns" "$(awk 'length > 79' "$tap_dir/out")" ""
rm -r "$tap_dir/cputop"

# Output that cannot be written.
check --json "$tap_dir/none/check.json"
tap_is "JSON into a folder that is not there: exit status 1" "$status" 1
tap_like "with the reason" "$(cat "$tap_dir/err")" '^cputop: cannot write .*No such file'
tap_ok "a pipe that is closed is no error" sh -c '{ "$1" check; echo $? >"$2"; } | true; test "$(cat "$2")" = 0' \
	sh "$cputop" "$tap_dir/status"
if [ -w /dev/full ]; then
	tap_ok "a full disk is" sh -c '! "$1" check >/dev/full 2>&1' sh "$cputop"
fi

# Nothing stays, however it ends.
ours()
{
	"$python" -B "$top_srcdir/tests/lib/ours.py" "$tap_dir"
}
none_left()
{
	[ -z "$(ours)" ]
}
tap_ok "no process is left" wait_until 5 none_left
for signal in TERM KILL; do
	"$cputop" check >/dev/null 2>&1 &
	pid=$!
	wait_until 3 sh -c '[ "$(pgrep -c -P "$(pgrep -P "$1")")" -ge 1 ]' sh "$pid" 2>/dev/null
	kill -s "$signal" "$pid"
	wait "$pid" 2>/dev/null
	tap_ok "nor after SIG$signal" wait_until 5 none_left
done

# The same as JSON.
check --json - --need cpu
tap_is "JSON on standard output" "$status" 0
tap_like "the text then goes to standard error" "$(cat "$tap_dir/err")" '^measurable '
if ! "$python" -c 'import jsonschema' 2>/dev/null; then
	tap_skip "the JSON is valid" "no jsonschema for $python; on Debian: apt-get install python3-jsonschema"
	tap_done
	exit
fi
cp "$tap_dir/out" "$tap_dir/stdout.json"
# A need that is missing has a reason.
check --need cycles,icount,clock,mysql,cgroup --json "$tap_dir/needs.json"
for file in check none stdout needs; do
	tap_ok "$file.json is valid" "$python" -B "$top_srcdir/tests/lib/validate.py" "$schema" \
		"$tap_dir/$file.json"
done
for kind in remove extra type text; do
	tap_ok "no damage goes unnoticed ($kind)" "$python" -B "$top_srcdir/tests/lib/damage.py" \
		"$schema" "$tap_dir/needs.json" $kind
done
value()
{
	"$python" -B -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2], {"d": d}))' "$tap_dir/$1.json" "$2"
}
tap_is "as many readings as were sorted in" \
	"$(value check 'sum(n for _, n in d["clock"]["histogram"]) == d["clock"]["readings"]')" True
tap_is "more processes cost more" \
	"$(value check 'd["reading"][0]["cpu_ns"] < d["reading"][2]["cpu_ns"]')" True
tap_is "what was used is what was measured" \
	"$(value check '0.9 <= d["cpu"]["measured_ns"] / d["cpu"]["used_ns"] < 3')" True
tap_is "--need is in it" "$(value needs '[n["name"] for n in d["needs"]]')" \
	"['cycles', 'icount', 'clock', 'mysql', 'cgroup']"
tap_is "all is well when nothing is missing" \
	"$(value needs 'd["ok"] == all(n["available"] for n in d["needs"])')" True
tap_is "a reason for each that is missing" \
	"$(value needs 'all(n["available"] or n["reason"] for n in d["needs"])')" True
tap_is "a server that is found has its version" \
	"$(value none 'all(s["version"] for s in d["servers"] if s["available"])')" True
tap_is "the status says whether a server is there" \
	"$(value none '[s["available"] for s in d["servers"] if s["dialect"] == "postgres"]')" \
	"[$([ "$found" = 0 ] && echo True || echo False)]"
tap_is "the schema describes the machine as the snapshot's does" \
	"$("$python" -B -c 'import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
print(a["properties"]["host"] == b["properties"]["host"] and a["$defs"]["noise"] == b["$defs"]["noise"])' \
		"$schema" "$top_srcdir/contrib/snapshot.schema.json")" True
tap_done
