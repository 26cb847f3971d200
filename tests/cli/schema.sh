#!/bin/sh
# The JSON files against their schemas: what test_snapshot writes is valid, damaged files are not.
set -u
# shellcheck source=tests/lib/tap.sh
. "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd -P)}/tests/lib/tap.sh"

python=${PYTHON:-/usr/bin/python3}
program=$top_builddir/tests/unit/test_snapshot
lib=$top_srcdir/tests/lib
schemas=$top_srcdir/contrib

[ -x "$program" ] || tap_skip_all "tests/unit/test_snapshot is not built (no cmocka)"
"$python" -c 'import jsonschema' 2>/dev/null ||
	tap_skip_all "no jsonschema for $python; on Debian: apt-get install python3-jsonschema"

mkdir "$tap_dir/c" "$tap_dir/comma" "$tap_dir/locales"

validate()
{
	"$python" -B "$lib/validate.py" "$schemas/$1.schema.json" "$2"
}

damage()
{
	"$python" -B "$lib/damage.py" "$schemas/$1.schema.json" "$2" "$3"
}

tap_ok "the documents are written" env LC_ALL=C "$program" --dump "$tap_dir/c"
tap_ok "a whole snapshot is valid" validate snapshot "$tap_dir/c/snapshot.json"
tap_ok "an empty snapshot is valid" validate snapshot "$tap_dir/c/empty.json"
tap_ok "a sample is valid" validate samples "$tap_dir/c/before.json"
tap_ok "sizes are valid" validate sizes "$tap_dir/c/sizes.json"

for kind in remove extra type null text; do
	tap_ok "snapshot: no damage goes unnoticed ($kind)" \
		damage snapshot "$tap_dir/c/snapshot.json" $kind
done
for kind in remove extra type null text; do
	tap_ok "sample: no damage goes unnoticed ($kind)" \
		damage samples "$tap_dir/c/before.json" $kind
	tap_ok "sizes: no damage goes unnoticed ($kind)" \
		damage sizes "$tap_dir/c/sizes.json" $kind
done

# validate.py itself: a line for each violation, and the status
sed 's/"complete": false/"complete": 0/; s/"aslr": 2/"aslr": "2"/' "$tap_dir/c/snapshot.json" \
	>"$tap_dir/bad.json"
status=0
lines=$(validate snapshot "$tap_dir/bad.json") || status=$?
tap_is "a file that is not valid: exit status 1" "$status" 1
tap_is "a line for each violation" "$(printf '%s\n' "$lines" | wc -l | tr -d ' ')" 2
tap_like "the line names the place" "$lines" 'bad.json: host/aslr: .*integer'
status=0
validate snapshot "$tap_dir/none.json" >"$tap_dir/out" 2>&1 || status=$?
tap_is "a file that is not there: exit status 1" "$status" 1
tap_ok "an empty file is refused" sh -c '! "$@"' sh \
	"$python" -B "$lib/validate.py" "$schemas/snapshot.schema.json" /dev/null

# the manual names every field
fields()
{
	"$python" -B - "$@" <<-'EOF'
	import json, sys
	def walk(node):
	    if isinstance(node, dict):
	        yield from node.get("properties", {})
	        node = node.values()
	    if not isinstance(node, (str, int, float, type(None))):
	        for item in node:
	            yield from walk(item)
	for name in sorted({f for path in sys.argv[1:] for f in walk(json.load(open(path)))}):
	    print(name)
	EOF
}
missing=
for field in $(fields "$schemas"/samples.schema.json "$schemas"/sizes.schema.json \
	"$schemas"/snapshot.schema.json); do
	grep -qE "^\.(It )?Ic .*\b$field\b" "$top_srcdir/man/cputop-snapshot.5" ||
		missing="$missing $field"
done
tap_is "cputop-snapshot(5) names every field" "$missing" ""

# a decimal comma in the locale must not reach the numbers
comma="numbers are the same in a locale with a decimal comma"
if localedef -i de_DE -f UTF-8 "$tap_dir/locales/de_DE.UTF-8" >/dev/null 2>&1 ||
	[ -d "$tap_dir/locales/de_DE.UTF-8" ]; then
	# the C library's own locale code never frees what it reads
	point=$(ASAN_OPTIONS=detect_leaks=0 LOCPATH=$tap_dir/locales LC_ALL=de_DE.UTF-8 \
		"$program" --dump "$tap_dir/comma")
	tap_is "the locale has a decimal comma" "$point" "decimal point ,"
	tap_ok "$comma" diff -r "$tap_dir/c" "$tap_dir/comma"
else
	tap_report 0 "$comma # SKIP localedef cannot make de_DE.UTF-8; on Debian: package locales"
fi

tap_done
