#!/bin/sh
# The main job: cputop -b with the defaults, what it prints, and everything it leaves in -o.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"

o=$tap_dir/o
snap=$o/snapshot.json
ct_run -b -o "$o" --json "$tap_dir/s.json"
tap_is "cputop -b succeeds" "$ct_status" 0
tap_diag <"$tap_dir/err"
tap_diag <"$tap_dir/out"
table=$(cat "$tap_dir/out")
tap_like "the table has pername" "$table" '^postgres +pername +[0-9]+ '
tap_like "and skiplocked" "$table" '^postgres +skiplocked +[0-9]+ '
tap_like "cells are worker / producer / database = total" "$table" \
	'[0-9]+\.[0-9]{2} / [0-9]+\.[0-9]{2} / [0-9]+\.[0-9]{2} = [0-9]+\.[0-9]{2}'
if ct_json "$snap" 'd["counters"]["instructions"]["available"] is False' >/dev/null; then
	tap_like "what is missing is said with its reason" "$table" 'instructions|counters|PMU'
	tap_like "and is a dash" "$table" '^postgres +pername +[0-9]+ +- '
fi
tap_ok "no escapes in the table" sh -c "! grep -q '$(printf '\033')' '$tap_dir/out'"
tap_ok "the snapshot is valid" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
	"$top_srcdir/contrib/snapshot.schema.json" "$snap"
tap_ok "so is that of --json" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
	"$top_srcdir/contrib/snapshot.schema.json" "$tap_dir/s.json"
tap_ok "it is complete" ct_json "$snap" 'd["complete"] is True'
tap_ok "two valid windows" ct_json "$snap" 'len(w) == 2 and all(x["valid"] for x in w)'
tap_ok "about 400 jobs each" ct_json "$snap" 'all(390 <= x["jobs"]["completed"] <= 410 for x in w)'
tap_ok "none lost, none twice" ct_json "$snap" \
	'all(x["checks"]["lost"] == 0 and x["checks"]["duplicates"] == 0 for x in w)'
tap_ok "skiplocked: 3 +- 0.2 statements a job" ct_json "$snap" \
	'2.8 <= work("skiplocked", "statements") <= 3.2'
tap_ok "pername: a claim for each name on each wake-up" ct_json "$snap" \
	'400 <= work("pername", "statements") <= 1100'
tap_ok "pername costs the database at least 8 times skiplocked" ct_json "$snap" \
	'per_job("pername", "database") >= 8 * per_job("skiplocked", "database")'
tap_ok "WAL is counted" ct_json "$snap" '200 < work("skiplocked", "wal_bytes") < 20000'
tap_ok "a window begins after a rescue of stalled jobs, and has the next one" ct_json "$snap" \
	'all(x["work"]["maintenance_runs"] == 1 for x in w if x["variant"] == "skiplocked")'
tap_ok "parts sum to the total" ct_json "$snap" \
	'all(sum(p["cpu_ns"] for p in x["processes"]["database"]["parts"].values()) == x["processes"]["database"]["cpu_ns"] for x in w)'
tap_ok "other and exited are at most 5 % of it" ct_json "$snap" \
	'all(abs(sum(x["processes"]["database"]["parts"].get(n, {"cpu_ns": 0})["cpu_ns"] for n in ("other", "exited"))) <= 0.05 * x["processes"]["database"]["cpu_ns"] for x in w)'
tap_ok "the backends are there" ct_json "$snap" \
	'all(x["processes"]["database"]["parts"]["backend"]["processes"] == 8 for x in w)'
tap_ok "the monitor costs nothing inside a window" ct_json "$snap" \
	'all(x["processes"]["monitor"]["cpu_ns"] <= 0.01 * x["processes"]["database"]["cpu_ns"] for x in w)'
tap_ok "cputop and the machine are rows" ct_json "$snap" \
	'all(x["processes"]["cputop"]["cpu_ns"] > 0 and x["processes"]["machine"]["busy_ns"] > 0 for x in w)'
tap_ok "latency has a histogram" ct_json "$snap" \
	'all(sum(n for _, n in x["latency_ns"]["histogram"]) == x["jobs"]["completed"] for x in w)'
tap_ok "the change against the base is there" ct_json "$snap" \
	'[r["change"] is None for r in d["results"]] == [True, False]'
for run in 01-postgres-pername 02-postgres-skiplocked; do
	for f in before.json after.json sizes.json worker.log producer.log server.log; do
		tap_ok "$run/$f" test -f "$o/$run/$f"
	done
	tap_ok "$run: sizes of tables and indexes" ct_json "$o/$run/sizes.json" \
		'any(t["name"] == "job" and t["bytes"] > 0 and len(t["indexes"]) >= 2 for t in d["tables"])'
	tap_ok "$run: the database by process title" ct_json "$o/$run/after.json" \
		'sum("checkpointer" in p["title"] for p in d["processes"] if p["role"] == "database") == 1'
done
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
