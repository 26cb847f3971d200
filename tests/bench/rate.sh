#!/bin/sh
# 2000 jobs a second are held without a growing backlog.
set -u
. "$(dirname "$0")/bench.sh"

rate=2000
batch -v skiplocked --rate "$rate" --measure 10 --json "$dir/s.json"
cat "$dir/table"
figure "enqueued a second" "$(json "$dir/s.json" \
	'round(window("skiplocked")["jobs"]["enqueued"] / window("skiplocked")["length_ns"] * 1e9)')" \
	"$rate +- 1 %" "v >= $rate * 0.99 && v <= $rate * 1.01"
figure "completed a second" "$(json "$dir/s.json" \
	'round(window("skiplocked")["jobs"]["completed"] / window("skiplocked")["length_ns"] * 1e9)')" \
	"$rate +- 1 %" "v >= $rate * 0.99 && v <= $rate * 1.01"
figure "backlog at the end less at the beginning" "$(json "$dir/s.json" \
	'window("skiplocked")["jobs"]["backlog_after"] - window("skiplocked")["jobs"]["backlog_before"]')" \
	"at most 1 % of a second's jobs" "v <= $rate / 100"
figure "p99 latency, ms" "$(json "$dir/s.json" 'round(window("skiplocked")["latency_ns"]["p99"] / 1e6, 1)')" \
	"below 1000" "v < 1000"
exit "$missed"
