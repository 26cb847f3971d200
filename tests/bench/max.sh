#!/bin/sh
# The load at --rate max against pgbench that does one insert, one claim and one completion a job
# with the same number of connections in total (4 of the producer, 4 of the worker), prepared, same
# settings: jobs a second, and the CPU time of the load for a statement. Both run in turn, in slices
# of a quarter of a second (duel.py).
#
# pgbench hears of no new jobs. For the same statements the worker does not either: it listens where
# nobody notifies, and polls. What hearing adds is printed beside it: a worker that keeps up then
# waits for the producer, whose four connections wait for their commits, where pgbench's eight share
# them.
set -u
. "$(dirname "$0")/bench.sh"

seconds=${BENCH_SECONDS:-6}
rounds=${BENCH_ROUNDS:-5}
deaf=$dir/deaf
mkdir "$deaf"
cp "$variant/variant.ini" "$deaf/"
sed 's/^listen cputop;/listen nothing;/' "$variant/postgres.sql" >"$deaf/postgres.sql"
grep -q '^listen nothing;' "$deaf/postgres.sql" || die "the variant listens in other words"
start_server
write_scripts

# duel NAME VARIANT OPTION...: its figures are added to files of that name.
duel()
{
	name=$1
	make_tables
	shift
	(cd "$dir" && /usr/bin/python3 "$top_srcdir/tests/bench/duel.py" "$seconds" "$dir/s.json" \
		"$dir/pgbench.log" "$cputop" -b --rate max --warmup 2 -v "$@" -- \
		"$bin/pgbench" -n -M prepared -D id=0 -f job1.sql@9 -f job2.sql@1 -c 8 -j 2) \
		>"$dir/duel" || die "no figures"
	/usr/bin/python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
us, they = d["cputop"], d["pgbench"]
print("{}: cputop {:.0f} jobs/s, {:.0f} ns a statement, {:.0f} ns a job; pgbench {:.0f} jobs/s, "
      "{:.0f} ns, {:.0f} ns".format(sys.argv[2], us["rate"], us["statement_ns"], us["job_ns"],
                                    they["rate"], they["statement_ns"], they["job_ns"]))
for key in us:
    with open(sys.argv[3] + "." + key, "a") as f:
        print(round(us[key] / they[key], 3), file=f)' "$dir/duel" "run $i, $name" "$dir/$name"
}

for i in $(seq "$rounds"); do
	duel polling "$deaf" --poll-interval 0.2
	duel notified skiplocked --poll-interval 1
done
figure_of "at the rate max, cputop / pgbench, jobs a second" "$dir/polling.rate" "at least 1" "v >= 1"
figure_of "with the wake-ups that pgbench does not get, jobs a second" "$dir/notified.rate" "any" "v > 0"
figure_of "the same statements, cputop / pgbench, CPU of the load for a statement" \
	"$dir/polling.statement_ns" "at most 1" "v <= 1"
figure_of "with the wake-ups, CPU for a statement" \
	"$dir/notified.statement_ns" "any" "v > 0"
figure_of "with the wake-ups, CPU for a job" "$dir/notified.job_ns" "any" "v > 0"
exit "$missed"
