"""Two loads in turn: cputop -b and pgbench run at the same time, each on its own server, but in
slices of a quarter of a second one of them stands still. So both meet the same machine, however
busy others make it.

Usage: duel.py SECONDS SNAPSHOT LOG CPUTOP-ARGUMENTS... -- PGBENCH-ARGUMENTS...

SECONDS is how long each of them runs; cputop gets --measure and --json from here, pgbench -T and -t.
LOG gets pgbench's output. Prints JSON: for "cputop" (its worker and producer) and "pgbench" each jobs
a second, and ns of CPU time for a job and for a statement. pgbench's start and end are taken out of
its CPU time.
"""
import datetime
import json
import os
import resource
import signal
import subprocess
import sys
import time

SLICE = 0.25


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def loads(pid):
    """The worker and the producer of a cputop: below a keeper each."""
    found = []
    for child in (c for keeper in children(pid) for c in children(keeper)):
        with open(f"/proc/{child}/cmdline", "rb") as f:
            if f.read().split(b"\0")[0].endswith(b"/cputop-load"):
                found.append(child)
    return found


class Side:
    """Processes that run and stand still together, and when they ran."""

    def __init__(self, pids):
        self.pids = pids
        self.runs = []
        self.since = None

    def signal(self, number):
        for pid in self.pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def go(self):
        self.signal(signal.SIGCONT)
        self.since = time.time()

    def halt(self):
        self.signal(signal.SIGSTOP)
        if self.since is not None:
            self.runs.append((self.since, time.time()))
        self.since = None

    def ran(self, begin, end):
        return sum(max(0, min(b, end) - max(a, begin)) for a, b in self.runs)


def wait_for_window(cputop):
    for line in cputop.stderr:
        if line.rstrip().endswith(": window"):
            return
    sys.exit("duel.py: cputop has ended before its window")


def reaped_ns():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (u.ru_utime + u.ru_stime) * 1e9


def ours(snapshot, side):
    with open(snapshot) as f:
        w = [w for w in json.load(f)["windows"] if w["valid"]][-1]
    begin = datetime.datetime.fromisoformat(w["start"].replace("Z", "+00:00")).timestamp()
    ns = sum(w["processes"][role]["cpu_ns"] for role in ("worker", "producer"))
    jobs = w["jobs"]["completed"]
    return {"rate": jobs / side.ran(begin, begin + w["length_ns"] / 1e9), "job_ns": ns / jobs,
            "statement_ns": ns / w["work"]["statements"]}


def theirs(log, side, ns):
    with open(log) as f:
        jobs = next(int(line.split()[-1]) for line in f
                    if line.startswith("number of transactions actually processed"))
    return {"rate": jobs / side.ran(0, time.time()), "job_ns": ns / jobs,
            "statement_ns": ns / jobs / 3}


def take_turns(a, b, pgbench, seconds):
    """Until pgbench ends; a runs when this returns."""
    a.since = b.since = begin = time.time()
    while pgbench.poll() is None:
        a.halt()
        b.go()
        if time.time() > begin + seconds - SLICE:
            pgbench.wait()  # it ends by the clock, which goes on while it stands still
        else:
            time.sleep(SLICE)
        b.halt()
        a.go()
        time.sleep(SLICE)


def main():
    seconds, snapshot, log = float(sys.argv[1]), sys.argv[2], sys.argv[3]
    split = sys.argv.index("--")
    cputop_args, pgbench_args = sys.argv[4:split], sys.argv[split + 1:]
    # what is for pgbench's server must not find its way to cputop's
    plain = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
    with open(log, "w") as out:
        subprocess.check_call(pgbench_args + ["-t", "1"], stdout=out, stderr=out)
    start_ns = reaped_ns()
    cputop = subprocess.Popen(cputop_args + ["--measure", str(2 * seconds), "--json", snapshot],
                              env=plain, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
    wait_for_window(cputop)
    a = Side(loads(cputop.pid))
    pgbench_seconds = round(2 * seconds - 1)
    with open(log, "w") as out:
        pgbench = subprocess.Popen(pgbench_args + ["-T", str(pgbench_seconds)], stdout=out,
                                   stderr=out)
    b = Side([pgbench.pid])
    take_turns(a, b, pgbench, pgbench_seconds)
    # cputop has not been reaped yet
    their = theirs(log, b, reaped_ns() - 2 * start_ns)
    rest = cputop.communicate()[1]
    a.runs.append((a.since, time.time()))
    if cputop.returncode != 0 or pgbench.returncode != 0:
        sys.exit(f"duel.py: cputop ended with {cputop.returncode} ({rest.strip()[-200:]}), "
                 f"pgbench with {pgbench.returncode}")
    print(json.dumps({"cputop": ours(snapshot, a), "pgbench": their}))


main()
