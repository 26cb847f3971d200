# shellcheck shell=bash disable=SC2154 # in the emulated machine, after guest.sh
# A machine without a counter of instructions; then a user who may not count at all.
paranoid -1
workload="-v skiplocked --rate 50 --warmup 1 --measure 3 --poll-interval 1"
say "no instructions"
# shellcheck disable=SC2086 # words
batch ./cputop -b $workload --json $out/half.json
batch_end half
say "not permitted"
paranoid 3
mkdir -m 777 /tmp/o
# shellcheck disable=SC2086
batch as_nobody ./cputop -b $workload --json /tmp/o/none.json
batch_end none
cp /tmp/o/none.json $out/
say "not permitted, and asked for"
# shellcheck disable=SC2086
as_nobody ./cputop -b $workload --counters perf 2>$out/asked.err
echo $? >$out/asked.status
cat $out/asked.err
say "end"
