#!/bin/sh
# The load at --rate max against pgbench that does one insert, one claim and one completion a job
# with the same number of connections in total (4 of the producer, 4 of the worker), prepared, same
# settings: jobs a second, and the CPU time of the load for a statement. Both in turn, five times.
set -u
. "$(dirname "$0")/bench.sh"

seconds=${BENCH_SECONDS:-8}
rounds=${BENCH_ROUNDS:-5}
start_server
write_scripts
for i in $(seq "$rounds"); do
	# what the load does must not find its way to the other server
	(
		unset PGHOST PGPORT PGUSER PGDATABASE PGOPTIONS
		batch -v skiplocked --rate max --warmup 3 --poll-interval 1 --measure "$seconds" \
			--json "$dir/s.json"
	) || exit 1
	ours=$(json "$dir/s.json" 'round(window("skiplocked")["jobs"]["completed"]
		/ window("skiplocked")["length_ns"] * 1e9)')
	our_ns=$(load_ns "$dir/s.json")
	make_tables
	replay -c 8 -j 2 -T 3 >"$dir/warm.log" 2>&1 || die "pgbench: $(tail -n 3 "$dir/warm.log")"
	theirs_ns=$(replay_ns -c 8 -j 2 -T "$seconds") || exit 1
	theirs=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$dir/pgbench.log")
	echo "run $i: cputop $ours jobs/s, $our_ns ns a statement;" \
		"pgbench ${theirs%.*} jobs/s, $theirs_ns ns"
	calc "$ours / $theirs" >>"$dir/jobs"
	calc "$our_ns / $theirs_ns" >>"$dir/cost"
done
figure_of "at the rate max, cputop / pgbench, jobs a second" "$dir/jobs" "at least 1" "v >= 1"
figure_of "at the rate max, cputop / pgbench, CPU of the load for a statement" "$dir/cost" \
	"at most 1" "v <= 1"
exit "$missed"
