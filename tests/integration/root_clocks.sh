#!/bin/sh
# CPU time by clocks against a cgroup that this test makes itself, while clients come and go all the
# time: the time of backends and threads that have ended is not lost. Needs root.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || tap_skip_all "making a cgroup needs root"
. "$top_srcdir/tests/integration/cputop.sh"
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mount" ] || tap_skip_all "no cgroup v2 is mounted"
cg=$mount/cputest-$$
mkdir "$cg" || tap_skip_all "no cgroup can be made in $mount"

cat >"$tap_dir/poll.py" <<'END'
import os, sys, time
while os.path.exists(f"/proc/{sys.argv[2]}"):
    a = time.time_ns()
    for line in open(sys.argv[1]):
        if line.startswith("usage_usec"):
            print((a + time.time_ns()) // 2, line.split()[1], flush=True)
    time.sleep(0.01)
END
# Whoever connects gets a thread, and it ends with the connection.
cat >"$tap_dir/knock.py" <<'END'
import socket, sys, time
while True:
    try:
        with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as s:
            s.recv(100)
    except OSError:
        pass
    time.sleep(0.005)
END
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
least = float(sys.argv[3])
print(f"cgroup {truth / 1e6:.1f} ms, clocks {shown / 1e6:.1f} ms ({shown / truth:.4f}), "
      f"of it exited {exited / 1e6:.1f} ms")
sys.exit(0 if abs(shown / truth - 1) <= 0.03 and exited >= least * shown - 1e5 else 1)
END

# agree DIALECT REGEX LEAST: LEAST is the share that must have exited.
agree()
{
	no_cache=
	[ "$1" = postgres ] || no_cache="--set $1:thread_cache_size=0"
	# shellcheck disable=SC2086 # an option and its value, or nothing
	ct_batch -D "$1" -v skiplocked --rate 200 --cpu-source clocks --warmup 4 --measure 12 \
		--poll-interval 1 --json "$tap_dir/s.json" $no_cache
	ct_wait_phase "warm-up" 60
	server=$(ct_pid_of "$2")
	# Into the cgroup: the server with all that it has forked; what it forks from now on follows.
	for p in $server $(cat "/proc/$server/task/$server/children"); do
		echo "$p" >"$cg/cgroup.procs"
	done
	if [ "$1" = postgres ]; then
		ct_let_in
		echo "select 1;" >"$tap_dir/one.sql"
		"$ct_pg/pgbench" -C -c 2 -T 60 -n -f "$tap_dir/one.sql" -h 127.0.0.1 -p "$ct_port" \
			-U postgres cputop >"$tap_dir/pgbench.out" 2>&1 &
	else
		/usr/bin/python3 "$tap_dir/knock.py" \
			"$(tr '\0' '\n' <"/proc/$server/cmdline" | sed -n 's/^--port=//p')" &
	fi
	bench=$!
	/usr/bin/python3 "$tap_dir/poll.py" "$cg/cpu.stat" "$ct_pid" >"$tap_dir/usage" &
	poller=$!
	ct_wait
	kill "$bench" 2>/dev/null
	wait "$bench" 2>/dev/null
	wait "$poller" 2>/dev/null
	tap_is "$1: the run succeeds" "$ct_status" 0
	tap_diag <"$tap_dir/err"
	tap_ok "$1: by clocks" ct_json "$tap_dir/s.json" 'd["counters"]["cpu_source"] == "clocks"'
	tap_ok "$1: clocks agree with the cgroup within 3 %, with what has exited" \
		/usr/bin/python3 "$tap_dir/compare.py" "$tap_dir/s.json" "$tap_dir/usage" "$3"
	/usr/bin/python3 "$tap_dir/compare.py" "$tap_dir/s.json" "$tap_dir/usage" "$3" | tap_diag
	tap_ok "$1: nothing is left running" wait_until 3 ct_none
	tap_ok "$1: no temporary directory is left" ct_clean
}

agree postgres '^[^ ]*/postgres -D ' 0.2
agree mariadb '^[^ ]*/(mariadbd|mysqld) --no-defaults --datadir' 0.02
if "$ct" check --need mysql >/dev/null 2>&1; then
	agree mysql '^[^ ]*/mysqld --no-defaults --datadir' 0.02
else
	tap_skip "clocks of MySQL" "it is not installed"
fi
wait_until 3 rmdir "$cg"
tap_done
