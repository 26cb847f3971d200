#!/usr/bin/python3
"""pty_faults.py CASE PROGRAM...: runs the program in a pseudo-terminal and does to it what the case
says. Exits 0 when all of it went as it should; else says what did not."""
import errno
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

LIMIT_S = 20


class Terminal:
    """A program in a terminal of its own; what it prints is kept in out."""

    def __init__(self, argv, size=(24, 80), env=None, stdout=None):
        self.out = b""
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            environ = {k: v for k, v in os.environ.items() if k not in ("LINES", "COLUMNS")}
            environ.setdefault("TERM", "xterm-256color")
            for name, value in (env or {}).items():
                environ.pop(name, None)
                if value is not None:
                    environ[name] = value
            if stdout:
                os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
            os.execvpe(argv[0], argv, environ)

    def read(self, seconds):
        """Takes what comes within that time; False when there was nothing, or it ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError as e:
            if e.errno != errno.EIO:
                raise
            data = b""
        self.out += data
        return bool(data)

    def resize(self, rows, columns):
        """The kernel sends SIGWINCH when the size is another one."""
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def keys(self, data):
        os.write(self.fd, data)

    def until(self, text):
        """Reads until text was printed."""
        end = time.monotonic() + LIMIT_S
        while text not in self.out:
            if time.monotonic() > end or (not self.read(0.2) and self.ended()):
                sys.exit(f"{text!r} was not printed, but {self.out[-500:]!r}")

    def quiet(self):
        """Reads until nothing has come for a while."""
        end = time.monotonic() + LIMIT_S
        while self.read(0.05):
            if time.monotonic() > end:
                sys.exit("it never stops drawing")

    def draws_again(self):
        """The whole first screen, at Ctrl-L."""
        self.out = b""
        self.keys(b"1\x0c")
        self.until(b" Quit")

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def wait(self):
        end = time.monotonic() + LIMIT_S
        while not self.ended():
            self.read(0.02)
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                sys.exit(f"it does not end: {self.out[-500:]!r}")
        while self.read(0):
            pass
        return self.status

    def ends_well(self):
        self.keys(b"q")
        status = self.wait()
        if status != 0:
            sys.exit(f"it ended with {status}: {self.out[-500:]!r}")


def size(argv, rows, columns):
    """It starts at that size, draws, and draws all of it when there is room."""
    t = Terminal(argv, (rows, columns))
    t.until(b"\x1b[?1049h")
    t.quiet()
    t.resize(24, 80)
    t.draws_again()
    t.ends_well()


def resizes(argv):
    """Sizes change while it draws, also to nothing."""
    t = Terminal(argv)
    t.until(b" Quit")
    for i in range(300):
        for rows, columns in ((10, 38), (10, 40), (1, 1), (1, 200), (200, 1), (0, 0), (2, 3),
                              (50, 200)):
            t.resize(rows, columns)
            if i % 3 == 0:
                t.read(0)
            if i % 7 == 0:
                t.keys(b"1246"[i % 4:i % 4 + 1])
    t.quiet()
    t.resize(24, 80)
    t.draws_again()
    t.ends_well()


def signals(argv):
    """Ten thousand SIGWINCH: none of them ends it, and it does not draw each."""
    t = Terminal(argv)
    t.until(b" Quit")
    for i in range(10000):
        os.kill(t.pid, signal.SIGWINCH)
        if i % 50 == 0:
            t.resize(20 + i // 50 % 30, 70 + i // 50 % 60)
        t.read(0)
    t.quiet()
    t.resize(24, 80)
    t.draws_again()
    t.ends_well()


def refuses(argv, words, env):
    """An error that says what to do, without a screen."""
    t = Terminal(argv, env=env)
    status = t.wait()
    if status <= 0 or words not in t.out or b"\x1b" in t.out:
        sys.exit(f"status {status}: {t.out!r}")


def file(argv, path):
    """Standard output is a file: an error at once, nothing in the file."""
    t = Terminal(argv, stdout=path)
    status = t.wait()
    if status != 2 or b"cputop -b" not in t.out or os.path.getsize(path) > 0:
        sys.exit(f"status {status}: {t.out!r}")


def typed(argv):
    """Keys behind the q are not left for the shell."""
    t = Terminal(argv)
    t.until(b" Quit")
    shell = os.open(os.readlink(f"/proc/{t.pid}/fd/0"), os.O_RDWR | os.O_NOCTTY)
    t.quiet()
    t.keys(b"qrm -r x\n")
    status = t.wait()
    left = struct.unpack("i", fcntl.ioctl(shell, termios.FIONREAD, bytes(4)))[0]
    if status != 0 or left:
        sys.exit(f"status {status}, {left} bytes are left")


case, args = sys.argv[1], sys.argv[2:]
if case == "size":
    size(args[2:], int(args[0]), int(args[1]))
elif case == "resizes":
    resizes(args)
elif case == "signals":
    signals(args)
elif case == "typed":
    typed(args)
elif case == "term":
    refuses(args[1:], b"TERM=xterm", {"TERM": None if args[0] == "-" else args[0]})
elif case == "file":
    file(args[1:], args[0])
else:
    sys.exit(f"no such case: {case}")
