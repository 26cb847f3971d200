#!/bin/sh
# What watching costs: CPU time per refresh of cputop (with its keepers, and what its own connection
# costs the server) against top, htop and pidstat, which watch the same server in the same seconds;
# and how it grows with the number of backends. Peers that are not installed are named.
set -u
. "$(dirname "$0")/bench.sh"

seconds=${BENCH_SECONDS:-8}
rounds=${BENCH_ROUNDS:-5}
for peer in top htop pidstat; do
	command -v "$peer" >/dev/null || echo "$peer is not installed: left out"
done
/usr/bin/python3 "$(dirname "$0")/observe.py" "$cputop" 10,100,500 "$seconds" "$rounds" \
	>"$dir/observed" || die "observe.py failed"

# cost BACKENDS NAME: ms a refresh, one a line; the server's share is in it.
cost()
{
	awk -v n="$1" -v name="$2" '$1 == n && $2 == name { printf "%.3f\n", ($3 + $4) / 1e6 }' \
		"$dir/observed" >"$dir/cost-$1-$2"
}

for n in 10 100 500; do
	awk -v n="$n" '$1 == n && $2 == "processes" { print n " backends, " $3 " processes:" }' \
		"$dir/observed"
	for name in cputop top htop pidstat; do
		cost "$n" "$name"
		[ ! -s "$dir/cost-$n-$name" ] ||
			echo "  $name: $(median "$dir/cost-$n-$name") ms a refresh ($(spread "$dir/cost-$n-$name"))"
	done
done
paste -d / "$dir/cost-100-cputop" "$dir/cost-100-top" | awk -F / '{ printf "%.3f\n", $1 / $2 }' \
	>"$dir/against-top"
figure_of "cputop / top, CPU a refresh at 100 backends" "$dir/against-top" "at most 0.5" "v <= 0.5"
# Linear: what a backend more costs does not rise.
growth=$(awk -v a="$(median "$dir/cost-10-cputop")" -v b="$(median "$dir/cost-100-cputop")" \
	-v c="$(median "$dir/cost-500-cputop")" \
	'BEGIN { printf "%.3f\n", ((c - a) / 490) / ((b - a > 0.01 ? b - a : 0.01) / 90) }')
figure "a backend more, from 10 to 500 / from 10 to 100" "$growth" \
	"at most 1.5 (linear, and the noise of the small difference)" "v <= 1.5"
per=$(awk -v a="$(median "$dir/cost-100-cputop")" -v b="$(median "$dir/cost-500-cputop")" \
	'BEGIN { printf "%.3f\n", (b / 500) / (a / 100) }')
figure "CPU a refresh and backend, 500 / 100" "$per" "at most 1" "v <= 1"
exit "$missed"
