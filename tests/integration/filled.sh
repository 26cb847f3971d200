#!/bin/sh
# What is in the tables beforehand, how jobs are put in, and that the snapshot says so; what a
# variant cannot do is told before anything starts.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
s=$tap_dir/s.json
short="--warmup 1 --measure 4 --poll-interval 1"

# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked,noindex --completed 200000 --json "$s" -o "$tap_dir/out.d"
tap_is "--completed" "$ct_status" 0
tap_ok "the snapshot says how many" ct_json "$s" 'd["workload"]["completed"] == 200000'
tap_ok "they are in the table and count for nothing" ct_json "$s" \
	'all(x["checks"]["lost"] == 0 and 40 < x["jobs"]["completed"] < 200 for x in w)'
tap_ok "the table is as large as they make it" ct_json "$tap_dir"/out.d/*-postgres-skiplocked/sizes.json \
	'[t["bytes"] for t in d["tables"] if t["name"] == "job"][0] > 10e6'
tap_ok "without an index a claim reads them all" ct_json "$s" \
	'w[1]["work"]["buffers"] > 10 * w[0]["work"]["buffers"]'

# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked --enqueue tx --enqueue-batch 4 --payload 1000 --rate 80 --json "$s"
tap_is "--enqueue tx --enqueue-batch 4 --payload 1000" "$ct_status" 0
tap_ok "the snapshot says so" ct_json "$s" \
	'(d["workload"]["enqueue"], d["workload"]["enqueue_batch"], d["workload"]["payload_bytes"]) == ("tx", 4, 1000)'
tap_ok "jobs come at their rate" ct_json "$s" '280 <= v["jobs"]["completed"] <= 360'

# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked --workers 3 --rate 100 --json "$s"
tap_is "--workers 3" "$ct_status" 0
tap_ok "are three processes in the role worker" ct_json "$s" \
	'd["workload"]["workers"] == 3 and v["processes"]["worker"]["processes"] == 3'
tap_ok "whose jobs run once" ct_json "$s" \
	'v["checks"]["duplicates"] == 0 and v["checks"]["lost"] == 0 and v["jobs"]["completed"] > 350'

# From one rescue of stalled jobs, at 6 s, to behind the next at 21; old jobs are deleted at 14.
ct_run -b --warmup 1 --measure 16 -v skiplocked --history 5 --json "$s"
tap_is "--history" "$ct_status" 0
tap_ok "the window begins right after a task, and has two" ct_json "$s" \
	'd["workload"]["history_s"] == 5 and v["work"]["maintenance_runs"] == 2'
tap_ok "jobs that are deleted are not lost" ct_json "$s" \
	'v["checks"]["lost"] == 0 and v["jobs"]["completed"] > 250'
tap_like "that it is short for a large table is said" "$(cat "$tap_dir/err")" \
	'fewer than two of the worker.s tasks, one each 15 s; with a large table use --measure 40'

# A variant from before these options.
mkdir "$tap_dir/old"
printf '[variant]\ntitle = x\nclaim = shared\n' >"$tap_dir/old/variant.ini"
sed -e '/^-- :\(completed\|enqueue_many\|other\|index\|prune\|rescue\)/,/^$/d' -e 's/, payload, mkey) values ($1, $2, $3, $4, $5)/) values ($1, $2, $3)/' \
	"$top_srcdir/workload/variants/skiplocked/postgres.sql" >"$tap_dir/old/postgres.sql"
# shellcheck disable=SC2086 # options
ct_run -b $short -v "$tap_dir/old" --json "$s"
tap_is "a variant without them runs as before" "$ct_status" 0
for o in "--completed 5" "--history 5" "--enqueue tx" "--enqueue-batch 2" "--payload 1"; do
	# shellcheck disable=SC2086 # options
	ct_run -b $short -v "$tap_dir/old" $o
	tap_is "$o is refused" "$ct_status" 2
	tap_like "$o: with the reason" "$(cat "$tap_dir/err")" "old/postgres.sql: .*leave out ${o%% *}"
done
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
