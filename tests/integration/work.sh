#!/bin/sh
# Work that can be counted exactly, on every database that is there: what it comes to per job, that
# cputop's own statements are not in it, and what an idle queue sends per second.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
unset CPUTOP_DIALECTS
s=$tap_dir/s.json
schema()
{
	/usr/bin/python3 "$top_srcdir/tests/lib/validate.py" "$top_srcdir/contrib/snapshot.schema.json" "$s"
}

# Nobody polls: all that is counted would be cputop's own.
ct_run -b -v skiplocked --rate 0 --warmup 0 --measure 2 --poll-interval 60 --json "$s"
tap_is "an idle queue without polls: status" "$ct_status" 0
tap_diag <"$tap_dir/err"
tap_ok "no statement, no log, no row, nothing of cputop's own" ct_json "$s" \
	'all(x["work"][k] == 0 for x in w for k in ("statements", "commits", "wal_bytes", "rows_examined"))'
tap_ok "no page of PostgreSQL's tables either" ct_json "$s" \
	'all(x["work"]["buffers"] == 0 for x in w if x["dialect"] == "postgres")'
tap_ok "per second, of every role" ct_json "$s" \
	'all(x["per_job"] is None and all(x["per_second"][r]["cpu_ns"] is not None for r in ("worker", "producer", "database", "total")) for x in w)'

# Each poll is one claim, or one for each name, and nothing is found. Windows begin right after a
# poll and end between two.
ct_run -b -v skiplocked,pername --names 20 --rate 0 --warmup 1 --measure 3.9 --poll-interval 0.2 --json "$s"
tap_is "an idle queue with polls: status" "$ct_status" 0
tap_diag <"$tap_dir/out"
tap_ok "skiplocked sends 1 / poll interval statements a second" ct_json "$s" \
	'all(abs(r["work_per_second"]["statements"]["median"] - 5) <= 0.5 for r in d["results"] if r["variant"] == "skiplocked")'
tap_ok "pername names / poll interval" ct_json "$s" \
	'all(abs(r["work_per_second"]["statements"]["median"] - 100) <= 10 for r in d["results"] if r["variant"] == "pername")'
tap_ok "costs per second are beside those per job, which are none" ct_json "$s" \
	'all(r["per_second"][k]["cpu_ns"]["n"] == 1 and r["per_job"][k]["cpu_ns"]["n"] == 0 for r in d["results"] for k in ("worker", "producer", "database", "total"))'
# Statistics that came too late or too early would belong to another number of statements.
tap_ok "each of them examines the same number of rows" ct_json "$s" \
	'all(x["work"]["rows_examined"] > 0 and x["work"]["rows_examined"] % x["work"]["statements"] == 0 for x in w)'
tap_ok "and on PostgreSQL two pages" ct_json "$s" \
	'all(x["work"]["buffers"] == 2 * x["work"]["statements"] for x in w if x["dialect"] == "postgres")'
tap_like "the table is per second" "$(cat "$tap_dir/out")" '^Work per second:'

# With jobs.
o=$tap_dir/o
ct_run -b -v skiplocked --rate 100 --warmup 2 --measure 5 --poll-interval 2 --json "$s" -o "$o"
tap_is "with jobs: status" "$ct_status" 0
tap_diag <"$tap_dir/out"
tap_ok "the snapshot is valid" schema
tap_like "rows and buffers are in the table" "$(cat "$tap_dir/out")" 'Log bytes  Rows examined  Buffers$'
# claim: the entry of the index, the job's; completion: the job's; now and then a dead entry
tap_ok "rows examined: the jobs, and not the table" ct_json "$s" \
	'all(3 <= x["work"]["rows_examined"] / x["jobs"]["completed"] <= 30 for x in w)'
tap_ok "buffers" ct_json "$s" \
	'all(10 <= x["work"]["buffers"] / x["jobs"]["completed"] <= 400 for x in w)'
tap_ok "each job was sent once after it was due, the latest within its latency" ct_json "$s" \
	'all(abs(sum(n for _, n in x["lateness_ns"]["histogram"]) - x["jobs"]["enqueued"]) <= 8 and x["lateness_ns"]["mean"] < x["latency_ns"]["mean"] for x in w)'
tap_ok "quantiles are in order" ct_json "$s" \
	'all(0 < h["p50"] <= h["p95"] <= h["p99"] <= h["max"] for x in w for h in (x["latency_ns"], x["lateness_ns"]))'
tap_ok "PostgreSQL tells all" ct_json "$s" \
	'all(x["work"]["missing"] == {} for x in w if x["dialect"] == "postgres")'
tap_ok "what another does not have is null, with a reason" ct_json "$s" \
	'all(sorted(x["work"]["missing"]) == ["autovacuums", "checkpoints"] for x in w if x["dialect"] != "postgres")'
for run in "$o"/[0-9]*; do
	for f in sizes sizes-after; do
		tap_ok "${run##*/}: $f.json is valid" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
			"$top_srcdir/contrib/sizes.schema.json" "$run/$f.json"
		tap_ok "${run##*/}: the table and its index" ct_json "$run/$f.json" \
			'any(t["name"] == "job" and t["bytes"] >= 8192 and any(i["name"] == "job_due" and i["bytes"] >= 8192 for i in t["indexes"]) for t in d["tables"])'
	done
done
# Every job is changed twice, and each change leaves a dead row until it is vacuumed or pruned.
tap_ok "PostgreSQL: no dead rows after the set-up" ct_json "$o/01-postgres-skiplocked/sizes.json" \
	'[t["dead_rows"] for t in d["tables"] if t["name"] == "job"] == [0]'
tap_ok "and some after the window" ct_json "$o/01-postgres-skiplocked/sizes-after.json" \
	'all(t["dead_rows"] > 100 for t in d["tables"] if t["name"] == "job")'
tap_ok "the others do not tell" sh -c "! grep -h dead_rows '$o'/0[23]*/sizes*.json | grep -v null"
tap_ok "nothing is left running" wait_until 3 ct_none
tap_done
