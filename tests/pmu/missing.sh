#!/bin/sh
# A counter that cannot be opened is "-" with its reason while the other is shown; where none may be
# opened (perf_event_paranoid 3) that is said with the least that would change it.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/pmu/pmu.sh"

roles='("worker", "producer", "database")'

pmu_start
# Without -icount QEMU has no instructions to count; cycles are then nanoseconds.
PMU_ICOUNT=off
export PMU_ICOUNT
pmu_boot missing-guest.sh
half=$(cat "$pmu_out/half.table")
tap_ok "no instructions: the snapshot says why" pmu_json half.json \
	'not d["counters"]["instructions"]["available"] and "no such counter" in d["counters"]["instructions"]["reason"]'
tap_ok "cycles are there" pmu_json half.json \
	"d['counters']['cycles']['available'] and all(v['processes'][r]['cycles'] > 0 for r in $roles)"
tap_ok "instructions are missing everywhere" pmu_json half.json \
	"all(v['processes'][r]['instructions'] is None for r in $roles)"
tap_ok "cycles of the parts sum to the total" pmu_json half.json \
	'sum(p["cycles"] for p in v["processes"]["database"]["parts"].values()) == v["processes"]["database"]["cycles"]'
tap_like "the table has a dash beside the cycles" "$half" \
	'^postgres +skiplocked( !)? +[0-9]+ +- +[0-9.]+ / +[0-9.]+ / +[0-9.]+ = +[0-9.]+ '
tap_like "with the reason below" "$half" '^-  no instructions: .*no such counter'

none=$(cat "$pmu_out/none.table")
tap_ok "not permitted: no counters" pmu_json none.json \
	'd["counters"]["source"] == "none" and not d["counters"]["user_only"]'
tap_ok "the window is valid, with CPU time" pmu_json none.json \
	"v['valid'] and all(v['processes'][r]['cpu_ns'] > 0 for r in $roles)"
tap_like "dashes in the table" "$none" '^postgres +skiplocked( !)? +[0-9]+ +- +- '
tap_like "with the reason" "$none" 'this user may not open counters \(perf_event_paranoid 3\)'
tap_like "and the least that would change it" "$none" 'sudo sysctl kernel\.perf_event_paranoid='
tap_is "asked for they are an error" "$(cat "$pmu_out/asked.status")" 1
tap_like "of one line with both" "$(cat "$pmu_out/asked.err")" \
	'may not open counters \(perf_event_paranoid 3\).*sysctl kernel\.perf_event_paranoid='
tap_done
