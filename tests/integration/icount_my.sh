#!/bin/sh
# Instructions of MariaDB and MySQL without hardware counters, by cputop --counters icount.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
command -v valgrind >/dev/null || tap_skip_all "Valgrind is not installed"
[ -n "$(find "$top_builddir/icount" -name 'icount-*-linux' 2>/dev/null)" ] ||
	tap_skip_all "the icount tool is not built"
s=$tap_dir/s.json

# The seed is the same, so is the work: the figures are of the order of any machine's.
for d in mariadb mysql; do
	if [ "$d" = mysql ] && ! "$ct" check --need mysql >/dev/null 2>&1; then
		tap_skip "instructions of MySQL" "it is not installed"
		continue
	fi
	ct_run -b -D "$d" --counters icount -v skiplocked --warmup 3 --measure 6 --rate 20 --seed 7 --json "$s"
	tap_is "$d under icount succeeds" "$ct_status" 0
	tap_diag <"$tap_dir/err"
	tap_diag <"$tap_dir/out"
	tap_ok "$d: its instructions are there" ct_json "$s" \
		'300e3 < window("skiplocked")["per_job"]["database"]["instructions"] < 6e6'
	tap_ok "$d: those of worker and producer as well" ct_json "$s" \
		'all(3e3 < window("skiplocked")["per_job"][r]["instructions"] < 300e3 for r in ("worker", "producer"))'
	parts='window("skiplocked")["processes"]["database"]["parts"]'
	whole='window("skiplocked")["processes"]["database"]["instructions"]'
	tap_ok "$d: of its threads the connections run the most" ct_json "$s" \
		"$parts['connection']['instructions'] > 0.5 * $whole and \
		all(0 <= p['instructions'] <= $parts['connection']['instructions'] \
			for n, p in $parts.items() if n != 'exited')"
	tap_ok "$d: the parts are the whole" ct_json "$s" \
		"sum(p['instructions'] for p in $parts.values()) == $whole and \
		abs($parts['exited']['instructions']) < 0.05 * $whole"
	tap_ok "$d: no cycles, no CPU time" ct_json "$s" \
		'all(window("skiplocked")["per_job"][r][c] is None for r in ("worker", "producer", "database") for c in ("cycles", "cpu_ns"))'
	tap_ok "$d: its server's build is in the snapshot" ct_json "$s" \
		'd["counters"]["icount"]["server_build_id"]'
done
tap_ok "nothing is left running" wait_until 3 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
