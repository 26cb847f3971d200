#!/bin/sh
# What counting costs the measured server: database CPU per job with all sources that a machine has,
# against none but the clocks; in turn.
#
# On the emulated machine of tests/pmu, whose time goes with the instructions that it runs, so that
# a thousandth is seen; and here, where there are hardware counters. Without them nothing of perf is
# opened, and the server runs as if nobody looked.
set -u
. "$(dirname "$0")/bench.sh"

rounds=${BENCH_ROUNDS:-5}
pmu=$top_srcdir/tests/pmu
cache=${CPUTOP_PMU_CACHE:-/var/tmp/cputop-pmu}

emulated()
{
	programs=$(top_builddir=$top_builddir bash "$pmu/build.sh" 2>"$dir/build.log" | tail -n 1)
	[ -n "$programs" ] || die "no programs for the emulated machine: $(tail -n 1 "$dir/build.log")"
	bash "$pmu/boot.sh" "$programs" "$dir/out" "$top_srcdir/tests/bench/counting-guest.sh" \
		BENCH_ROUNDS=2 BENCH_SECONDS=10 >"$dir/boot.log" 2>&1 || die "$(tail -n 3 "$dir/boot.log")"
	for i in 1 2; do
		for how in on stat off; do
			json "$dir/out/$how$i.json" 'round(cpu_ms("skiplocked", "database") * 1e6)' \
				>"$dir/$how"
		done
		echo "emulated, run $i: counting $(cat "$dir/on") ns a job, perf stat beside it" \
			"$(cat "$dir/stat") ns, not counting $(cat "$dir/off") ns"
		calc "$(cat "$dir/on") / $(cat "$dir/off")" >>"$dir/emulated"
		calc "$(cat "$dir/stat") / $(cat "$dir/off")" >>"$dir/emulated.stat"
	done
	figure_of "emulated, perf stat -p / nothing, CPU of the database for a job" \
		"$dir/emulated.stat" "any" "v > 0"
	figure_of "emulated, counting / not counting, CPU of the database for a job" \
		"$dir/emulated" "at most 1.01" "v <= 1.01"
}

# statement_ns OPTION...: database CPU for a statement.
statement_ns()
{
	batch -D postgres -v skiplocked --rate max --warmup 3 --poll-interval 1 \
		--measure "${BENCH_SECONDS:-8}" --json "$dir/s.json" "$@" || exit 1
	json "$dir/s.json" 'round(window("skiplocked")["processes"]["database"]["cpu_ns"]
		/ window("skiplocked")["work"]["statements"])'
}

here()
{
	for i in $(seq "$rounds"); do
		if [ $((i % 2)) -eq 0 ]; then
			off=$(statement_ns --counters none --cpu-source clocks) || exit 1
			on=$(statement_ns) || exit 1
		else
			on=$(statement_ns) || exit 1
			off=$(statement_ns --counters none --cpu-source clocks) || exit 1
		fi
		echo "here, run $i: counting $on ns a statement, not counting $off ns"
		calc "$on / $off" >>"$dir/here"
	done
	figure_of "here, counting / not counting, CPU of the database for a statement" \
		"$dir/here" "at most 1.01" "v <= 1.01"
}

if [ -e "$cache/root.ext4" ]; then
	emulated
else
	echo "the emulated machine is left out: no image in $cache; make check-pmu makes it"
fi
if "$cputop" check --need instructions >/dev/null 2>&1; then
	here
else
	echo "this machine is left out: it has no hardware counters"
fi
exit "$missed"
