#!/bin/sh
# What skiplocked costs the database per job under cputop, against pgbench replaying the same three
# statements at the same rate, prepared, with as many connections and one session that listens.
# Both run three times in turn, each on a server of its own with the same settings; medians.
set -u
. "$(dirname "$0")/bench.sh"

rate=20
seconds=20
write_scripts
: >"$dir/ours"
: >"$dir/theirs"

replay_cpu()
{
	start_server
	make_tables
	# A session that listens, as the worker has one.
	mkfifo "$dir/fifo"
	sql <"$dir/fifo" >/dev/null 2>&1 &
	exec 9>"$dir/fifo"
	echo 'listen cputop;' >&9
	replay -c 8 -j 2 -R "$rate" -T $((seconds + 8)) >"$dir/pgbench.log" 2>&1 &
	pgbench=$!
	sleep 5 # the warm-up
	jobs0=$(sql -c 'select count(*) from job where state = 2')
	cpu0=$(server_cpu)
	sleep "$seconds" # the window
	cpu1=$(server_cpu)
	jobs1=$(sql -c 'select count(*) from job where state = 2')
	exec 9>&-
	wait "$pgbench" || die "pgbench: $(tail -n 3 "$dir/pgbench.log")"
	rm "$dir/fifo"
	stop_server
	rm -rf "$dir/data"
	calc "($cpu1 - $cpu0) / 1e6 / ($jobs1 - $jobs0)"
}

for i in 1 2 3; do
	batch -v skiplocked --measure "$seconds" --rate "$rate" --json "$dir/s.json"
	json "$dir/s.json" 'cpu_ms("skiplocked", "database")' >>"$dir/ours"
	replay_cpu >>"$dir/theirs"
	echo "run $i: cputop $(tail -n 1 "$dir/ours" | cut -c 1-6) ms, pgbench $(tail -n 1 "$dir/theirs") ms"
done
figure "skiplocked / pgbench, database CPU a job" \
	"$(calc "$(median "$dir/ours") / $(median "$dir/theirs")")" "at most 1.2" "v <= 1.2"
exit "$missed"
