#!/usr/bin/python3
"""ours.py DIR [REGEX]: pids of the processes that belong to a cputop whose TMPDIR is DIR: by their
environment, command line or working directory. Zombies count as gone. With REGEX only those whose
command line matches."""
import os
import re
import sys

mark = sys.argv[1].encode()
want = re.compile(sys.argv[2]) if len(sys.argv) > 2 else None


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


def cwd(pid):
    try:
        return os.readlink(f"/proc/{pid}/cwd").encode()
    except OSError:
        return b""


found = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) in (os.getpid(), os.getppid()):
        continue
    stat = read(pid, "stat")
    comm = stat[stat.find(b"(") + 1:stat.rfind(b")")].decode(errors="replace")
    if not stat or stat[stat.rfind(b")") + 2:][:1] in (b"Z", b"X"):
        continue
    if not comm.startswith(("cputop", "postgres", "initdb", "pgbench", "psql", "gdb", "mariadb",
                            "mysql")):
        continue
    line = read(pid, "cmdline")
    if b"TMPDIR=" + mark + b"\0" not in read(pid, "environ") + b"\0" and mark not in line \
            and not cwd(pid).startswith(mark):
        continue
    text = line.replace(b"\0", b" ").decode(errors="replace").strip()
    if want is None or want.search(text):
        found.append(pid)
print("\n".join(found))
