#!/bin/sh
# Watching costs the database nothing: its CPU per job with the live screen refreshing five times a
# second agrees with that of batch within their spread.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"
. "$top_srcdir/tests/integration/cputop.sh"
LC_ALL=C.UTF-8
export LC_ALL
w="-v skiplocked --warmup 1 --measure 4 --poll-interval 1 --rate 100"

# shellcheck disable=SC2086 # options
term_start 80 24 "$ct" -d 0.2 $w
for i in 0 1 2; do
	tap_ok "live: window $i" term_wait "window $i .*jobs in" 30
	term_keys w
done
term_keys q
term_wait_exit 5
cp "$XDG_STATE_HOME/cputop/last.json" "$tap_dir/live.json"
# shellcheck disable=SC2086 # options
ct_run -b $w --repeat 3 --json "$tap_dir/batch.json"
tap_is "batch: three windows" "$ct_status" 0
for f in live batch; do
	ct_json "$tap_dir/$f.json" \
		'"'$f': " + " ".join("%.3f" % (x["per_job"]["database"]["cpu_ns"] / 1e6) for x in w if x["valid"])' |
		tee "$tap_dir/$f.ms" | tap_diag
	tap_ok "$f: the monitor costs nothing inside a window" ct_json "$tap_dir/$f.json" \
		'all(x["processes"]["monitor"]["cpu_ns"] <= 0.01 * x["processes"]["database"]["cpu_ns"] for x in w if x["valid"])'
done
cat >"$tap_dir/spread.py" <<'END'
import statistics, sys
live, batch = ([float(x) for x in open(f).read().split()[1:]] for f in sys.argv[1:])
spread = max(max(live) - min(live), max(batch) - min(batch), 0.25 * statistics.median(batch))
difference = abs(statistics.median(live) - statistics.median(batch))
print(f"medians differ by {difference:.3f} ms, the spread is {spread:.3f} ms")
sys.exit(difference > spread)
END
tap_ok "CPU per job of the database agrees within the spread" /usr/bin/python3 "$tap_dir/spread.py" \
	"$tap_dir/live.ms" "$tap_dir/batch.ms"
tap_ok "nothing is left running" wait_until 2 ct_none
tap_done
