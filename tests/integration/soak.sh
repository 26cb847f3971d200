#!/bin/sh
# Ten refreshes a second while connections are made and ended all the time: memory, open files and
# CPU time for a refresh stay the same. SOAK_SECONDS (60) is how long; before that all rings fill.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/term/term.sh"
. "$top_srcdir/tests/integration/cputop.sh"
LC_ALL=C.UTF-8
export LC_ALL
seconds=${SOAK_SECONDS:-60}

term_start 80 24 "$ct" -d 0.1 -v skiplocked --warmup 1 --measure $((seconds + 3600)) \
	--poll-interval 1
tap_ok "the window is open" term_wait 'window +[0-9]+/' 30
cputop=$(ct_pid_of '^[^ ]*/cputop -d 0.1')
tap_ok "the server lets pgbench in" ct_let_in
# Each lives for a refresh, so that it is seen.
echo "select pg_sleep(0.1);" >"$tap_dir/one.sql"
"$ct_pg/pgbench" -C -c 24 -j 2 -T $((seconds + 120)) -n -f "$tap_dir/one.sql" -h 127.0.0.1 \
	-p "$ct_port" -U postgres cputop >"$tap_dir/pgbench.out" 2>&1 &
bench=$!
cat >"$tap_dir/soak.py" <<'END'
import os, statistics, sys, time

pid, seconds = int(sys.argv[1]), float(sys.argv[2])
SETTLE, STEP = 75, 0.5


def forks():
    return next(int(l.split()[1]) for l in open("/proc/stat") if l.startswith("processes"))


def read():
    """KiB of memory of its own, open files, ns of CPU."""
    rss = next(int(l.split()[1]) for l in open(f"/proc/{pid}/status") if l.startswith("RssAnon"))
    return rss, len(os.listdir(f"/proc/{pid}/fd")), time.clock_gettime_ns((~pid << 3) | 2)


time.sleep(SETTLE)
points, begin, born = [], time.monotonic(), forks()
while time.monotonic() < begin + seconds:
    points.append((time.monotonic(), *read()))
    time.sleep(STEP)
third = len(points) // 3


def stretch(part):
    cpu = (part[-1][3] - part[0][3]) / (part[-1][0] - part[0][0]) / 1e6 / 10
    return statistics.median(p[1] for p in part), statistics.median(p[2] for p in part), cpu


a, b = stretch(points[:third]), stretch(points[-third:])
born = forks() - born
print(f"{born} processes; memory {a[0]:.0f} to {b[0]:.0f} KiB, files {a[1]:.0f} to {b[1]:.0f}, "
      f"CPU a refresh {a[2]:.3f} to {b[2]:.3f} ms")
# Half of the smallest piece of memory for each process of the time between the two medians; and no
# more than what holes in the heap take, which come to about half a MiB while what is in use stays the
# same (test_nothing_is_kept looks at that).
kept = min(born * 2 / 3 * 16 / 1024, 512)
flat = {"processes": born >= min(10000, seconds * 100), "memory": b[0] - a[0] <= max(256, kept),
        "files": b[1] <= a[1] + 24, "cpu": b[2] <= a[2] * 1.4}
for name in sys.argv[3:]:
    print(name, "flat" if flat[name] else "not flat")
END
/usr/bin/python3 "$tap_dir/soak.py" "$cputop" "$seconds" processes memory files cpu >"$tap_dir/soak"
tap_diag <"$tap_dir/soak"
for what in processes memory files cpu; do
	case $what in
	processes) name="many connections have come and gone" ;;
	memory) name="memory stays the same" ;;
	files) name="the number of open files stays the same" ;;
	*) name="CPU time for a refresh stays the same" ;;
	esac
	tap_ok "$name" grep -qx "$what flat" "$tap_dir/soak"
done
term_keys q
tap_ok "it ends" term_wait_exit 5
kill "$bench" 2>/dev/null
wait "$bench" 2>/dev/null
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
