# shellcheck shell=bash disable=SC2154 # in the emulated machine, after guest.sh
# Four windows with the kernel counted: alone; beside a perf that leaves no room for the parts; with
# all counters taken for a moment; and all the time.
paranoid -1
batch ./cputop -b -v skiplocked --repeat 4 --rate 50 --warmup 2 --measure 4 --poll-interval 1 \
	--json $out/shared.json
wait_phase "\\[2/4\\] postgres skiplocked: starting"
say "the counters of the parts do not fit"
hold_counters 4 $out/four.perf
wait_phase "\\[3/4\\] postgres skiplocked: starting"
let_counters
wait_phase "\\[3/4\\] postgres skiplocked: window"
say "all counters are taken for a moment"
take_counters 7 sleep 0.1 2>$out/moment.perf
wait_phase "\\[4/4\\] postgres skiplocked: starting"
say "all counters are taken"
hold_counters 7 $out/seven.perf
wait_phase "^cputop: window 3"
let_counters
batch_end shared
cat $out/*.perf
say "end"
