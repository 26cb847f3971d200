# shellcheck shell=bash disable=SC2154 # in the emulated machine, after guest.sh of tests/pmu
# Database CPU per job, counting and not counting in turn. Time is this machine's own, which goes
# with the instructions it runs, so how busy the real one is plays no part.
paranoid -1
measure()
{
	batch ./cputop -b -v skiplocked --rate 40 --warmup 5 --measure "$BENCH_SECONDS" \
		--json "/tmp/$1.json" "${@:2}"
	batch_end "$1" >/tmp/said || cat /tmp/said
	cp "/tmp/$1.json" "$out/"
	say "$1"
}

for i in $(seq "$BENCH_ROUNDS"); do
	if [ $((i % 2)) -eq 0 ]; then
		measure "off$i" --counters none --cpu-source clocks
		measure "on$i"
	else
		measure "on$i"
		measure "off$i" --counters none --cpu-source clocks
	fi
done
