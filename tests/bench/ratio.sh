#!/bin/sh
# The default run: what pername costs the database against skiplocked.
set -u
. "$(dirname "$0")/bench.sh"

batch --json "$dir/s.json"
cat "$dir/table"
figure "pername, database CPU ms a job" "$(json "$dir/s.json" 'round(cpu_ms("pername", "database"), 3)')" \
	"any" "v > 0"
figure "skiplocked, database CPU ms a job" \
	"$(json "$dir/s.json" 'round(cpu_ms("skiplocked", "database"), 3)')" "any" "v > 0"
figure "pername / skiplocked" "$(json "$dir/s.json" \
	'round(cpu_ms("pername", "database") / cpu_ms("skiplocked", "database"), 2)')" "at least 8" "v >= 8"
figure "skiplocked, statements a job" "$(json "$dir/s.json" \
	'round(window("skiplocked")["work"]["statements"] / window("skiplocked")["jobs"]["completed"], 3)')" \
	"3 +- 0.2" "v >= 2.8 && v <= 3.2"
exit "$missed"
