#!/bin/sh
# What watching costs: CPU time per refresh of cputop (with its keepers, and what its own connection
# costs the server) against top, htop and pidstat, which watch the same server in the same seconds;
# and how it grows with the number of backends, which changes all the time: each figure is a median of
# BENCH_ROUNDS (5) rounds, with its range. Peers that are not installed are named.
set -u
. "$(dirname "$0")/bench.sh"

seconds=${BENCH_SECONDS:-8}
count=${BENCH_ROUNDS:-5}
for peer in top htop pidstat; do
	command -v "$peer" >/dev/null || echo "$peer is not installed: left out"
done
/usr/bin/python3 "$(dirname "$0")/observe.py" "$cputop" 10,100,300,500 "$seconds" "$count" \
	>"$dir/observed" || die "observe.py failed"

# cost BACKENDS NAME: ms a refresh, one line a round; the server's share is in it.
cost()
{
	awk -v n="$1" -v name="$2" '$2 == n && $3 == name { printf "%.3f\n", ($4 + $5) / 1e6 }' \
		"$dir/observed" >"$dir/cost-$1-$2"
}

for n in 10 100 300 500; do
	awk -v n="$n" '$2 == n && $3 == "processes" { p = $4 }
		END { print n " backends, " p " processes:" }' "$dir/observed"
	for name in cputop top htop pidstat; do
		cost "$n" "$name"
		[ ! -s "$dir/cost-$n-$name" ] ||
			echo "  $name: $(median "$dir/cost-$n-$name") ms a refresh ($(spread "$dir/cost-$n-$name"))"
	done
done

# rounds NAME EXPRESSION: the expression of awk for each round, of cputop's ms a refresh at 100, 300
# and 500 backends in a, b and c, and top's at 100 in t.
rounds()
{
	paste -d ' ' "$dir/cost-100-cputop" "$dir/cost-300-cputop" "$dir/cost-500-cputop" \
		"$dir/cost-100-top" | awk "{ a = \$1; b = \$2; c = \$3; t = \$4
		printf \"%.4f\n\", $2 }" >"$dir/$1"
}

rounds against-top "a / t"
figure_of "cputop / top, CPU a refresh at 100 backends" "$dir/against-top" "at most 0.5" "v <= 0.5"
# No faster than linearly: five times the backends, at most five times the CPU. The 5 % are noise.
rounds per-backend "(c / 500) / (a / 100)"
figure_of "CPU a refresh and backend, 500 / 100" "$dir/per-backend" "at most 1.05" "v <= 1.05"
# What does not depend on the backends could hide a growth, so the line with it, too, to look at. (It
# does not begin at 10: for so few processes context switches and I/O are read at each refresh.)
rounds low "(b - a) / 200 * 1000"
rounds high "(c - b) / 200 * 1000"
rounds fixed "a - 100 * (c - a) / 400"
rounds straight "b / ((a + c) / 2)"
echo "a backend more costs, us a refresh: from 100 to 300 $(median "$dir/low") ($(spread "$dir/low"))," \
	"from 300 to 500 $(median "$dir/high") ($(spread "$dir/high"))"
echo "the line through 100 and 500: $(median "$dir/fixed") ms without backends ($(spread "$dir/fixed"));" \
	"measured / line at 300: $(median "$dir/straight") ($(spread "$dir/straight"))"
exit "$missed"
