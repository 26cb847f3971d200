#!/bin/sh
# All roles and parts with the kernel counted, and what becomes of them when others want the
# counters too: a perf stat with pinned events goes before everybody else.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/pmu/pmu.sh"

# Names for the expressions: one line each.
roles='("worker", "producer", "database")'
parts='w[0]["processes"]["database"]["parts"]'

pmu_start
pmu_boot shared-guest.sh
tap_ok "four valid windows" pmu_json shared.json 'len(w) == 4 and all(x["valid"] for x in w)'
tap_ok "the kernel is counted" pmu_json shared.json \
	'd["counters"]["source"] == "perf" and not d["counters"]["user_only"]'
tap_ok "instructions and cycles of all roles" pmu_json shared.json \
	"all(w[0]['processes'][r][c] > 0 for r in $roles for c in ('instructions', 'cycles'))"
tap_ok "per job, too" pmu_json shared.json \
	"all(w[0]['per_job'][r][c] > 0 for r in (*$roles, 'total') for c in ('instructions', 'cycles'))"
tap_ok "cycles are 4 times the instructions" pmu_json shared.json \
	"all(w[0]['processes'][r]['cycles'] == 4 * w[0]['processes'][r]['instructions'] for r in $roles)"
tap_ok "of each part as well" pmu_json shared.json \
	"all(p['cycles'] == 4 * p['instructions'] for p in $parts.values())"
tap_ok "the parts of a PostgreSQL are there" pmu_json shared.json \
	"{'backend', 'checkpointer', 'background writer', 'walwriter', 'postmaster', 'exited'} <= set($parts)"
tap_ok "those that work have counts" pmu_json shared.json \
	"all($parts[p]['instructions'] > 10000 for p in ('backend', 'background writer', 'walwriter'))"
tap_ok "parts sum to the total" pmu_json shared.json \
	"all(sum(p[c] for p in $parts.values()) == w[0]['processes']['database'][c] for c in ('instructions', 'cycles'))"
tap_ok "what exited and what is other is little: nobody did" pmu_json shared.json \
	"abs($parts['exited']['instructions']) <= 0.01 * w[0]['processes']['database']['instructions']"
tap_ok "a part that slept counts 0, whatever its share of CPU time" pmu_json shared.json \
	"$parts['postmaster']['instructions'] == 0 and $parts['postmaster']['cpu_ns'] == 0"
tap_ok "parts by their own events: their ratio to CPU time is not that of the whole" \
	pmu_json shared.json \
	"abs($parts['walwriter']['instructions'] / $parts['walwriter']['cpu_ns'] / ($parts['backend']['instructions'] / $parts['backend']['cpu_ns']) - 1) > 0.01"
tap_ok "nothing was scaled" pmu_json shared.json \
	"all(w[0]['processes'][r]['coverage'] == 1 for r in $roles)"

tap_ok "no room for the parts: they are missing" pmu_json shared.json \
	"all(p['instructions'] is None for p in w[1]['processes']['database']['parts'].values())"
tap_ok "the family is not disturbed" pmu_json shared.json \
	"all(w[1]['processes'][r]['coverage'] == 1 for r in $roles)"
tap_ok "and counts what it counted before, within 10 % a job" pmu_json shared.json \
	"all(abs(w[1]['per_job'][r]['instructions'] / w[0]['per_job'][r]['instructions'] - 1) < 0.1 for r in $roles)"

tap_ok "all counters taken for a moment: coverage says so" pmu_json shared.json \
	"0.95 <= w[2]['processes']['database']['coverage'] < 1"
tap_ok "below 95 % it is missing, above it is there" pmu_json shared.json \
	"all((w[2]['processes'][r]['instructions'] is not None) == (w[2]['processes'][r]['coverage'] >= 0.95) for r in $roles)"
tap_ok "all the time: missing, and no number" pmu_json shared.json \
	"all(w[3]['processes'][r][c] is None for r in $roles for c in ('instructions', 'cycles'))"
tap_ok "CPU time is still there" pmu_json shared.json \
	"all(w[3]['processes'][r]['cpu_ns'] > 0 for r in $roles)"
tap_like "the table marks what is scaled" "$(cat "$pmu_out/shared.table")" \
	'^postgres +skiplocked \*'
tap_like "and says what the mark means" "$(cat "$pmu_out/shared.table")" '^\*  the counters took turns'
tap_done
