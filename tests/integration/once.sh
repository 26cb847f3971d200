#!/bin/sh
# Exactly once, wake-ups that are real, an idle worker that is idle, live that costs nothing.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
s=$tap_dir/s.json
short="--warmup 1 --measure 4 --poll-interval 1"

# A user's copy of a variant, with a claim that takes no lock and marks nothing.
cp -R "$top_srcdir/workload/variants/skiplocked" "$tap_dir/nolock"
chmod -R u+w "$tap_dir/nolock"
/usr/bin/python3 - "$tap_dir/nolock/postgres.sql" <<'END'
import re, sys
p = sys.argv[1]
s = open(p).read()
claim = "-- :claim\nselect id, name, seq, due_ns from job where state = 0 and run_at <= now() order by run_at, id limit :limit\n\n"
open(p, "w").write(re.sub(r"-- :claim  .*?\n\n", lambda m: claim, s, flags=re.S))
END
# shellcheck disable=SC2086 # options
ct_run -b $short --rate 200 -v skiplocked,"$tap_dir/nolock" --json "$s"
cp "$tap_dir/out" "$tap_dir/table"
tap_ok "a folder of the user's is a variant" ct_json "$s" 'd["variants"][1]["name"] == "nolock"'
tap_ok "a claim without a lock runs jobs twice, and that is seen" ct_json "$s" \
	'v["checks"]["duplicates"] > 0'
tap_ok "the good one does not" ct_json "$s" 'w[0]["checks"]["duplicates"] == 0'
tap_like "the table says it" "$(cat "$tap_dir/table")" 'twice|duplicate'

# The second example of cputop-variant(5), word by word, and one of its statements broken.
mkdir "$tap_dir/unordered"
for file in variant.ini postgres.sql; do
	awk -v "start=unordered/$file :" '
		index($0, start) { found = 1 }
		found && /^\.Ed/ { exit }
		found && inside { print }
		found && /^\.Bd/ { inside = 1 }' "$top_srcdir/man/cputop-variant.5" >"$tap_dir/unordered/$file"
done
# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked,"$tap_dir/unordered" --json "$s"
tap_is "a folder with one statement, like skiplocked for the rest" "$ct_status" 0
tap_ok "it runs its jobs once" ct_json "$s" \
	'v["variant"] == "unordered" and v["jobs"]["completed"] > 50 and v["checks"]["duplicates"] == 0 and v["checks"]["lost"] == 0'
sed 's/job.seq/job.sequence/' "$tap_dir/unordered/postgres.sql" >"$tap_dir/broken"
cp "$tap_dir/broken" "$tap_dir/unordered/postgres.sql"
# shellcheck disable=SC2086 # options
ct_run -b $short -v "$tap_dir/unordered"
tap_is "a mistake in it fails" "$ct_status" 1
tap_like "and is told with file and line" "$(cat "$tap_dir/err")" 'unordered/postgres.sql:7: statement claim failed'
# Jobs that are gone are no lost ones.
# shellcheck disable=SC2086 # options
ct_run -b $short -v delete --json "$s"
tap_ok "delete loses no job" ct_json "$s" 'v["checks"]["lost"] == 0 and v["jobs"]["completed"] > 50'

# shellcheck disable=SC2086 # options
ct_run -b $short --poll-interval 60 -v skiplocked --rate 50 --json "$s"
tap_is "a poll interval of 60 s works" "$ct_status" 0
tap_ok "NOTIFY is real: p99 stays under 100 ms" ct_json "$s" 'v["latency_ns"]["p99"] < 100e6'
tap_ok "no job waits for a poll" ct_json "$s" 'v["jobs"]["completed"] > 150'

# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked --rate 0 --json "$s"
tap_is "an idle queue can be measured" "$ct_status" 0
tap_ok "an idle worker sends one claim a poll and nothing else" ct_json "$s" \
	'3 <= v["work"]["statements"] <= 5'
tap_ok "its cost is per second" ct_json "$s" \
	'v["per_job"] is None and v["per_second"]["database"]["cpu_ns"] > 0'

# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked --set postgres:work_mem=5MB --repeat 2 --json "$s" --fresh-server
tap_is "repeats, a setting and fresh servers" "$ct_status" 0
tap_ok "two windows" ct_json "$s" '[x["order"] for x in w] == [0, 0] and len(w) == 2'
tap_ok "the setting is recorded" ct_json "$s" \
	'd["databases"][0]["settings"]["work_mem"] == "5MB"'
# shellcheck disable=SC2086 # options
RATE=30 CPUTOP_NAMES=20 ct_run -b $short -v skiplocked --json -
cp "$tap_dir/out" "$s"
tap_ok "variables work, and are recorded" ct_json "$s" \
	'd["workload"]["rate"] == 30 and d["workload"]["names"] == 20 and sorted(d["from_environment"]) == ["CPUTOP_DIALECTS", "CPUTOP_NAMES", "RATE"]'
tap_like "and named on standard error" "$(cat "$tap_dir/err")" 'RATE=30 from the environment'
tap_like "with --json - the table goes to standard error" "$(cat "$tap_dir/err")" \
	'^postgres +skiplocked'
# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked --rate max --backlog 200 --json "$s"
tap_is "--rate max" "$ct_status" 0
tap_ok "at most the backlog waits" ct_json "$s" \
	'v["jobs"]["backlog_after"] <= 220 and v["jobs"]["completed"] > 1000'
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
