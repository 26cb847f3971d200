#!/bin/sh
# CPU time by clocks against a cgroup that this test makes itself, while a client reconnects all the
# time: the time of backends that have exited is not lost. Needs root.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || tap_skip_all "making a cgroup needs root"
. "$top_srcdir/tests/integration/cputop.sh"
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mount" ] || tap_skip_all "no cgroup v2 is mounted"
cg=$mount/cputest-$$
mkdir "$cg" || tap_skip_all "no cgroup can be made in $mount"

ct_batch -v skiplocked --rate 200 --cpu-source clocks --warmup 4 --measure 12 --poll-interval 1 \
	--json "$tap_dir/s.json"
ct_wait_phase "warm-up"
server=$(ct_pid_of '^[^ ]*/postgres -D ')
# Into the cgroup: the server with all that it has forked; what it forks from now on follows.
for p in $server $(cat "/proc/$server/task/$server/children"); do
	echo "$p" >"$cg/cgroup.procs"
done
ct_let_in
echo "select 1;" >"$tap_dir/one.sql"
"$ct_pg/pgbench" -C -c 2 -T 60 -n -f "$tap_dir/one.sql" -h 127.0.0.1 -p "$ct_port" -U postgres cputop \
	>"$tap_dir/pgbench.out" 2>&1 &
bench=$!
/usr/bin/python3 - "$cg/cpu.stat" "$ct_pid" >"$tap_dir/usage" <<'END' &
import os, sys, time
while os.path.exists(f"/proc/{sys.argv[2]}"):
    a = time.time_ns()
    for line in open(sys.argv[1]):
        if line.startswith("usage_usec"):
            print((a + time.time_ns()) // 2, line.split()[1], flush=True)
    time.sleep(0.01)
END
poller=$!
ct_wait
kill "$bench" 2>/dev/null
wait "$bench" 2>/dev/null
wait "$poller" 2>/dev/null
tap_is "the run succeeds" "$ct_status" 0
tap_diag <"$tap_dir/err"
tap_ok "by clocks" ct_json "$tap_dir/s.json" 'd["counters"]["cpu_source"] == "clocks"'
cat >"$tap_dir/compare.py" <<'END'
import datetime, json, sys
d = json.load(open(sys.argv[1]))
w = d["windows"][-1]
start = datetime.datetime.fromisoformat(w["start"].replace("Z", "+00:00")).timestamp() * 1e9
points = [tuple(map(int, line.split())) for line in open(sys.argv[2])]


def at(t):
    """Interpolates between the two readings around t."""
    for (t0, u0), (t1, u1) in zip(points, points[1:]):
        if t0 <= t <= t1:
            return u0 + (u1 - u0) * (t - t0) / (t1 - t0)
    sys.exit(f"no reading around {t}")


truth = (at(start + w["length_ns"]) - at(start)) * 1000
p = w["processes"]["database"]
shown = p["cpu_ns"] + w["processes"]["monitor"]["cpu_ns"]
exited = p["parts"]["exited"]["cpu_ns"]
print(f"cgroup {truth / 1e6:.1f} ms, clocks {shown / 1e6:.1f} ms ({shown / truth:.4f}), "
      f"of it exited {exited / 1e6:.1f} ms")
sys.exit(0 if abs(shown / truth - 1) <= 0.03 and exited > 0.2 * shown else 1)
END
tap_ok "clocks agree with the cgroup within 3 %, and much of it has exited" \
	/usr/bin/python3 "$tap_dir/compare.py" "$tap_dir/s.json" "$tap_dir/usage"
/usr/bin/python3 "$tap_dir/compare.py" "$tap_dir/s.json" "$tap_dir/usage" | tap_diag
tap_ok "nothing is left running" wait_until 3 ct_none
tap_ok "no temporary directory is left" ct_clean
wait_until 3 rmdir "$cg"
tap_done
