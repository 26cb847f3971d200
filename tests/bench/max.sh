#!/bin/sh
# --rate max against pgbench that does one insert, one claim and one completion a job with the same
# number of connections in total (4 of the producer, 4 of the worker), prepared, same settings.
set -u
. "$(dirname "$0")/bench.sh"

seconds=10
batch -v skiplocked --rate max --measure "$seconds" --json "$dir/s.json"
ours=$(json "$dir/s.json" \
	'round(window("skiplocked")["jobs"]["completed"] / window("skiplocked")["length_ns"] * 1e9)')
start_server
make_tables
write_scripts
replay -c 8 -j 2 -T 5 >"$dir/warm.log" 2>&1 || die "pgbench: $(tail -n 3 "$dir/warm.log")"
replay -c 8 -j 2 -T "$seconds" >"$dir/pgbench.log" 2>&1 || die "pgbench: $(tail -n 3 "$dir/pgbench.log")"
theirs=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$dir/pgbench.log")
echo "cputop --rate max: $ours jobs/s; pgbench: $theirs jobs/s"
figure "cputop / pgbench, jobs a second" "$(calc "$ours / $theirs")" "at least 1" "v >= 1"
exit "$missed"
