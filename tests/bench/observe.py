"""What an observer costs: cputop, top, htop and pidstat watch the same PostgreSQL at the same
interval in the same seconds, each in a terminal of 80x24 (pidstat writes to no terminal).

Usage: observe.py CPUTOP BACKENDS[,BACKENDS...] SECONDS ROUNDS

The server is the private one of a live cputop with a nearly idle workload; connections that do
nothing are added or ended until it has that many backends. A round goes through all the numbers, the
next one backwards, so that what changes on the machine meanwhile is no difference between them.
Prints a line for each number in each round:

    ROUND BACKENDS NAME ns-a-refresh server-ns-a-refresh

and lines "ROUND BACKENDS processes N" with how many processes there were on the machine. CPU clocks of
the kernel are read, with ns, of all threads. Of cputop: itself, its keepers, and the backend of its
own connection as what it costs the server. Its server, worker and producer are what it watches.
"""
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

INTERVAL = 1
# So long a process is new to cputop, which then looks at it more often.
SETTLE = 4


def cpu_ns(pid):
    """CPU time of a process with all its threads."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().decode(errors="replace").split("\0")
    except OSError:
        return [""]


def until(seconds, what, name):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        got = what()
        if got:
            return got
        time.sleep(0.05)
    sys.exit(f"observe.py: {name}: not within {seconds} s")


class Terminal:
    """A tmux of its own for each program."""

    def __init__(self, directory, name, args, env):
        self.base = ["tmux", "-L", f"bench-{os.getpid()}-{name}", "-f", "/dev/null"]
        self.env = dict(os.environ, TMUX_TMPDIR=directory, LC_ALL="C.UTF-8", SHELL="/bin/sh", **env)
        self.env.pop("TMUX", None)
        self.tmux("new-session", "-d", "-x80", "-y24", "-s", "t", "--", *args)
        self.pid = int(self.tmux("display-message", "-p", "-t", "t", "#{pane_pid}"))

    def tmux(self, *args):
        done = subprocess.run(self.base + list(args), env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "t")

    def alive(self):
        return os.path.exists(f"/proc/{self.pid}")

    def end(self):
        self.tmux("kill-server")


class Connection:
    """As much of the protocol as an idle session and one question need."""

    def __init__(self, port):
        self.s = socket.create_connection(("127.0.0.1", port))
        text = b"user\0postgres\0database\0cputop\0application_name\0bench\0\0"
        self.s.sendall(struct.pack("!ii", 8 + len(text), 196608) + text)
        self.rows()

    def exactly(self, n):
        data = b""
        while len(data) < n:
            more = self.s.recv(n - len(data))
            if not more:
                raise OSError("the server has closed the connection")
            data += more
        return data

    def rows(self):
        """First columns of the rows up to ReadyForQuery."""
        got = []
        while True:
            kind, length = struct.unpack("!ci", self.exactly(5))
            body = self.exactly(length - 4)
            if kind == b"E":
                raise OSError(body.decode(errors="replace"))
            if kind == b"D":
                got.append(body[6:6 + struct.unpack("!i", body[2:6])[0]].decode())
            if kind == b"Z":
                return got

    def query(self, sql):
        text = sql.encode() + b"\0"
        self.s.sendall(b"Q" + struct.pack("!i", 4 + len(text)) + text)
        return self.rows()


class Watched:
    """A live cputop with its server and idle backends."""

    def __init__(self, directory, cputop):
        env = {"TMPDIR": directory, "HOME": directory, "XDG_CONFIG_HOME": directory,
               "XDG_STATE_HOME": directory}
        self.term = Terminal(directory, "cputop", [
            cputop, "-d", str(INTERVAL), "-v", "skiplocked", "--rate", "1",
            "--names", "10", "--warmup", "2", "--measure", "3600",
            "--set", "postgres:max_connections=620"], env)
        self.pid = self.term.pid
        self.connections = []
        until(60, lambda: re.search(r"window +\d+/3600", self.term.screen()), "cputop's window")
        self.keepers = [p for p in children(self.pid) if "cputop-keeper" in command(p)[0]]
        self.server = next(p for k in self.keepers for p in children(k)
                           if command(p)[0].endswith("/postgres"))
        self.let_in()
        self.first = self.connect()
        self.monitors = [int(p) for p in self.first.query(
            "select pid from pg_stat_activity where application_name = 'cputop'")]

    def have(self, backends):
        """Until there are so many."""
        there = self.backends()
        for _ in range(there, backends):
            self.connections.append(self.connect())
        for _ in range(backends, there):
            self.connections.pop().s.close()
        until(10, lambda: self.backends() == backends, f"{backends} backends")

    def let_in(self):
        """The private server's password is secret; who owns its data may change that."""
        words = command(self.server)
        data = words[words.index("-D") + 1]
        self.port = next(int(w[5:]) for w in words if w.startswith("port="))
        with open(f"{data}/pg_hba.conf", "r+") as f:
            text = f.read()
            f.seek(0)
            f.write("host all all 127.0.0.1/32 trust\n" + text)
        os.kill(self.server, signal.SIGHUP)

    def connect(self):
        def attempt():
            try:
                return Connection(self.port)
            except OSError:
                return None
        return until(10, attempt, "a connection")

    def backends(self):
        return int(self.first.query("select count(*) from pg_stat_activity "
                                    "where backend_type = 'client backend'")[0])

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        until(20, lambda: not self.term.alive(), "cputop's end")
        self.term.end()


def start_peers(directory):
    """Name: pid of each that there is."""
    terminals, pids = [], {}
    env = {"HOME": directory, "XDG_CONFIG_HOME": directory}
    for name, args in (("top", ["top", "-d", str(INTERVAL)]),
                       ("htop", ["htop", "-d", str(INTERVAL * 10)])):
        if shutil.which(name):
            terminals.append(Terminal(directory, name, args, env))
            pids[name] = terminals[-1].pid
    pidstat = None
    if shutil.which("pidstat"):
        pidstat = subprocess.Popen(["pidstat", "-C", "postgres", str(INTERVAL)],
                                   stdout=subprocess.DEVNULL)
        pids["pidstat"] = pidstat.pid
    return terminals, pidstat, pids


def measure(watched, pids, counts, seconds, rounds):
    sets = {name: [pid] for name, pid in pids.items()}
    sets["cputop"] = [watched.pid] + watched.keepers
    server = {"cputop": watched.monitors}

    def read():
        return (time.monotonic(),
                {n: sum(map(cpu_ns, p)) for n, p in sets.items()},
                {n: sum(map(cpu_ns, p)) for n, p in server.items()})

    for i in range(rounds):
        for backends in counts[::1 if i % 2 == 0 else -1]:
            watched.have(backends)
            time.sleep(SETTLE)
            t0, own0, server0 = read()
            time.sleep(seconds)
            t1, own1, server1 = read()
            refreshes = (t1 - t0) / INTERVAL
            for name in sets:
                print(i, backends, name, round((own1[name] - own0[name]) / refreshes),
                      round((server1.get(name, 0) - server0.get(name, 0)) / refreshes))
            print(i, backends, "processes", sum(d.isdigit() for d in os.listdir("/proc")),
                  flush=True)


def main():
    cputop, counts, seconds, rounds = sys.argv[1:]
    directory = tempfile.mkdtemp(prefix="cpubench-")
    os.chmod(directory, 0o711)
    terminals, pidstat, watched = [], None, None
    try:
        watched = Watched(directory, cputop)
        terminals, pidstat, pids = start_peers(directory)
        measure(watched, pids, [int(n) for n in counts.split(",")], float(seconds), int(rounds))
    finally:
        if pidstat:
            pidstat.kill()
            pidstat.wait()
        for t in terminals:
            t.end()
        if watched:
            watched.end()
        shutil.rmtree(directory, ignore_errors=True)


main()
