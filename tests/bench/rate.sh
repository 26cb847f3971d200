#!/bin/sh
# 2000 jobs a second are held without a growing backlog, on each database that is there. On MariaDB
# and MySQL each commit waits for two writes of the disk, so there it is the disk that decides.
set -u
. "$(dirname "$0")/bench.sh"

rate=2000

# held DIALECT
held()
{
	batch -D "$1" -v skiplocked --rate "$rate" --measure 10 --json "$dir/s.json"
	cat "$dir/table"
	figure "$1: enqueued a second" "$(json "$dir/s.json" \
		'round(window("skiplocked")["jobs"]["enqueued"] / window("skiplocked")["length_ns"] * 1e9)')" \
		"$rate +- 1 %" "v >= $rate * 0.99 && v <= $rate * 1.01"
	figure "$1: completed a second" "$(json "$dir/s.json" \
		'round(window("skiplocked")["jobs"]["completed"] / window("skiplocked")["length_ns"] * 1e9)')" \
		"$rate +- 1 %" "v >= $rate * 0.99 && v <= $rate * 1.01"
	figure "$1: backlog at the end less at the beginning" "$(json "$dir/s.json" \
		'window("skiplocked")["jobs"]["backlog_after"] - window("skiplocked")["jobs"]["backlog_before"]')" \
		"at most 1 % of a second's jobs" "v <= $rate / 100"
	figure "$1: p99 latency, ms" "$(json "$dir/s.json" \
		'round(window("skiplocked")["latency_ns"]["p99"] / 1e6, 1)')" "below 1000" "v < 1000"
}

for d in postgres mariadb mysql; do
	if "$cputop" check --need "$d" >/dev/null 2>&1; then
		held "$d"
	else
		echo "$d: it is not installed"
	fi
done
exit "$missed"
