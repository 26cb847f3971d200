#!/bin/sh
# What counting costs the measured server: database CPU per job with all sources that this machine
# and user have, against none but the clocks; in turn, five times. The same server version, settings,
# jobs; statements per job are the same in both, so the CPU of a statement is compared.
set -u
. "$(dirname "$0")/bench.sh"

seconds=${BENCH_SECONDS:-8}
rounds=${BENCH_ROUNDS:-5}

# statement_ns OPTION...: database CPU for a statement.
statement_ns()
{
	batch -v skiplocked --rate max --warmup 3 --poll-interval 1 --measure "$seconds" \
		--json "$dir/s.json" "$@" || exit 1
	json "$dir/s.json" 'round(window("skiplocked")["processes"]["database"]["cpu_ns"]
		/ window("skiplocked")["work"]["statements"])'
}

for i in $(seq "$rounds"); do
	if [ $((i % 2)) -eq 0 ]; then
		off=$(statement_ns --counters none --cpu-source clocks) || exit 1
		on=$(statement_ns --counters auto --cpu-source auto) || exit 1
	else
		on=$(statement_ns --counters auto --cpu-source auto) || exit 1
		off=$(statement_ns --counters none --cpu-source clocks) || exit 1
	fi
	echo "run $i: counting $on ns a statement, not counting $off ns"
	calc "$on / $off" >>"$dir/ratio"
done
figure_of "counting / not counting, CPU of the database for a statement" "$dir/ratio" \
	"at most 1.01" "v <= 1.01"
exit "$missed"
