# shellcheck shell=bash disable=SC2154 # in the emulated machine, after guest.sh of tests/pmu
# Database CPU per job: counting, not counting, and not counting but with perf stat attached to the
# server's processes, in turn. Time is this machine's own, which goes with the instructions it runs,
# so how busy the real one is plays no part.
paranoid -1

attach_perf()
{
	local server
	server=$(pgrep -f '^[^ ]*/postgres -D ')
	perf stat -o /tmp/perf.out -e '{instructions,cycles}' \
		-p "$({ echo "$server"; pids_below "$server"; } | joined)" &
	perf=$!
}

# measure NAME OPTION...
measure()
{
	local name=$1
	shift
	perf=
	batch ./cputop -b -v skiplocked --rate 80 --warmup 4 --measure "$BENCH_SECONDS" \
		--json "/tmp/$name.json" "$@"
	case $name in
	stat*)
		wait_phase "warm-up"
		wait_until 20 sh -c '[ "$(pgrep -fc "postgres: .*(idle|claim|enqueue|UPDATE|INSERT|SELECT)")" -ge 8 ]'
		attach_perf
		;;
	esac
	batch_end "$name" >/tmp/said || cat /tmp/said
	[ -z "$perf" ] || wait "$perf"
	cp "/tmp/$name.json" "$out/"
	say "$name"
}

for i in $(seq "$BENCH_ROUNDS"); do
	measure "on$i"
	measure "off$i" --counters none --cpu-source clocks
	measure "stat$i" --counters none --cpu-source clocks
done
if [ -n "${BENCH_MORE:-}" ]; then
	measure clocks --cpu-source clocks
	measure cgroup --counters none
fi
