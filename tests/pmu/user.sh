#!/bin/sh
# perf_event_paranoid 2 and an ordinary user: the kernel is not counted, and that is said. What is
# counted agrees with perf stat beside it, backends that have exited included.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/pmu/pmu.sh"

# What perf stat counted between the two readings, and how far cputop is from it.
cat >"$tap_dir/agree.py" <<'END'
import json, sys

dir, role = sys.argv[1:]
load = lambda name: json.load(open(f"{dir}/{name}.json"))
processes = load("user")["windows"][-1]["processes"]
shown = processes[role]["instructions"]
if role == "database":
    shown += processes["monitor"]["instructions"]
points = [line.split() for line in open(f"{dir}/{role}.perf")]


def at(t):
    """Between the two of perf's readings around t."""
    for (t0, n0, _), (t1, n1, _) in zip(points, points[1:]):
        if int(t0) <= t <= int(t1):
            share = (t - int(t0)) / (int(t1) - int(t0))
            return int(n0) + (int(n1) - int(n0)) * share
    sys.exit(f"no reading around {t}")


counted = at(load("after")["taken_ns"]) - at(load("before")["taken_ns"])
print(f"{role}: perf stat {counted / 1e6:.3f} M, cputop {shown / 1e6:.3f} M, "
      f"{(shown / counted - 1) * 100:+.3f} %")
if role == "database":
    print({name: part["instructions"] for name, part in processes[role]["parts"].items()})
sys.exit(abs(shown / counted - 1) > 0.005 or any(float(p[2]) < 100 for p in points))
END
agree()
{
	/usr/bin/python3 "$tap_dir/agree.py" "$pmu_out" "$1"
}

pmu_start
pmu_boot user-guest.sh
for role in worker producer database; do
	tap_ok "user instructions of the $role agree with perf stat within 0.5 %" agree "$role"
	agree "$role" | tap_diag
done
tap_ok "dead backends are in it: much of the database has exited" pmu_json user.json \
	'v["processes"]["database"]["parts"]["exited"]["instructions"] > 0.2 * v["processes"]["database"]["instructions"]'
tap_ok "the snapshot says user only" pmu_json user.json 'd["counters"]["user_only"]'
tap_ok "instructions_user are the instructions" pmu_json user.json \
	'all(v["processes"][r][c] == v["processes"][r][c + "_user"] > 0 for r in ("worker", "producer", "database") for c in ("instructions", "cycles"))'
tap_ok "cycles are 4 times the instructions" pmu_json user.json \
	'all(v["processes"][r]["cycles"] == 4 * v["processes"][r]["instructions"] for r in ("worker", "producer", "database"))'
tap_like "the titles of the columns say user only" "$(cat "$pmu_out/user.table")" \
	'Instructions \(user\) +Cycles \(user\)'
screen=$(cat "$pmu_out/screen")
tap_like "so do those of the screen" "$screen" 'INSTR:u M +CYCLES:u M'
tap_like "and its header" "$screen" 'perf, user only'
for row in worker producer database TOTAL; do
	tap_like "instructions per cycle of $row: 0.25" "$screen" "^$row +[0-9.]+ +[0-9.]+ +0\\.25 "
done
tap_done
