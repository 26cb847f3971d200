#!/usr/bin/python3
"""perfstat.py NAME PID,PID...: perf stat of the user instructions of these processes and of what they
fork from now on. NAME.perf gets the machine's monotonic clock and the count until then for every 10
ms; NAME.attached is there once perf counts. Ends with the standard input."""
import signal
import subprocess
import sys
import threading
import time

name, pids = sys.argv[1:]
perf = subprocess.Popen(
    ["perf", "stat", "-x,", "-I", "10", "-e", "instructions:u", "-p", pids],
    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


def end():
    sys.stdin.read()
    perf.send_signal(signal.SIGINT)


threading.Thread(target=end, daemon=True).start()
lines = []
for line in perf.stderr:
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    fields = line.split(",")
    if len(fields) > 5 and fields[1].isdigit():
        if not lines:
            open(name + ".attached", "w").close()
        lines.append((float(fields[0]) * 1e9, int(fields[1]), float(fields[5]), now))
    elif line.strip() and not line.startswith("#"):
        sys.stderr.write(line)
# perf's clock begins at its start; the quickest line tells when that was.
start = min(now - at for at, _, _, now in lines)
with open(name + ".perf", "w") as f:
    total = 0
    for at, count, share, _ in lines:
        total += count
        f.write(f"{int(start + at)} {total} {share}\n")
