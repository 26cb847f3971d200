#!/bin/sh
# The pitfall of plan caches: a claim whose limit is a parameter is planned anew each time, because
# the one plan for all is thought to fetch a tenth of the rows. The same one with a literal is not.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
s=$tap_dir/s.json

# The server thinks that a third of 10000 jobs is due.
for v in literal parameter; do
	mkdir "$tap_dir/$v"
	sed 's/^claim = .*/claim = per-name/' "$top_srcdir/workload/variants/skiplocked/variant.ini" \
		>"$tap_dir/$v/variant.ini"
	sed "s/generate_series(0, .*) i;/generate_series(0, \$1::int + 9999) i;/
		s/run_at <= now()/run_at + interval '0' <= now()/" \
		"$top_srcdir/workload/variants/skiplocked/postgres.sql" >"$tap_dir/$v/postgres.sql"
done
sed -i 's/limit :limit/limit length($1) * 0 + :limit/' "$tap_dir/parameter/postgres.sql"
sed -i 's/state = 0 and run_at/state = 0 and $1::text is not null and run_at/' "$tap_dir/literal/postgres.sql"

ct_run -b -v "$tap_dir/literal,$tap_dir/parameter" --names 1 --hot-names 1 --rate 50 --warmup 2 \
	--measure 4 --poll-interval 2 --json "$s"
tap_is "cputop -b succeeds" "$ct_status" 0
tap_diag <"$tap_dir/out"
tap_ok "the snapshot is valid" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
	"$top_srcdir/contrib/snapshot.schema.json" "$s"
tap_ok "both ran each job once" ct_json "$s" \
	'len(w) == 2 and all(x["valid"] and x["checks"]["lost"] == 0 and x["checks"]["duplicates"] == 0 for x in w)'
tap_ok "the plans of a window are its executions" ct_json "$s" \
	'all(abs(sum(p["generic"] + p["custom"] for p in x["plans"]) - x["work"]["statements"]) <= 10 for x in w)'
tap_ok "with a literal one plan is taken" ct_json "$s" \
	'(lambda p: p["generic"] >= 100 and p["custom"] <= 20)(max((p for p in w[0]["plans"] if p["statement"].startswith("claim")), key=lambda p: p["generic"] + p["custom"]))'
tap_ok "and nothing is marked" ct_json "$s" 'not any(p["anew"] for p in w[0]["plans"])'
tap_ok "with a parameter each claim is planned" ct_json "$s" \
	'[p["custom"] >= 100 and p["generic"] == 0 for p in w[1]["plans"] if p["anew"]] == [True]'
tap_like "the table says so" "$(cat "$tap_dir/out")" \
	'^postgres parameter: claim_[0-9]+ was planned anew [0-9]+ times in a window; its one plan for all was taken 0 times$'
tap_is "of that one only" "$(grep -c 'planned anew' "$tap_dir/out")" 1
tap_like "a message says what to do" "$(cat "$tap_dir/err")" \
	'warning: parameter: claim_[0-9]+ was planned anew .*literals'
tap_ok "nothing is left running" wait_until 3 ct_none
tap_done
