#!/usr/bin/python3
"""screen.py SCREEN SNAPSHOT WIDTH [live|results|latency|environment]: whether the figures on a
captured screen are those of the snapshot that was written at that moment. Columns are found by the
title line of a table; what the terminal is too narrow for is left out, but something must have been
compared. Prints what differs and exits 1 then."""
import json
import re
import sys

lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
snapshot = json.load(open(sys.argv[2]))
width = int(sys.argv[3])
kind = sys.argv[4] if len(sys.argv) > 4 else "live"
compared = bad = 0


def check(what, shown, wanted):
    """Counts one comparison; a dash on both sides shows nothing."""
    global compared, bad
    compared += shown != "-"
    if shown != wanted:
        print(f"{what}: the screen shows {shown}, the snapshot has {wanted}")
        bad += 1


def fixed(value, unit):
    return "-" if value is None else f"{value / unit:.2f}"


def title_line(start):
    at = next((i for i, text in enumerate(lines) if text.startswith(start)), None)
    if at is None:
        sys.exit(f"no line begins with {start}")
    return at


def cell(text, title, at):
    right = lines[at].index(title) + len(title)
    return text[:right].split(" ")[-1]


def live():
    columns = {"CPU MS": ("cpu_ns", 1e6), "INSTR M": ("instructions", 1e6),
               "CYCLES M": ("cycles", 1e6)}
    rows = {"worker": "worker", "producer": "producer", "database": "database", "TOTAL": "total"}
    per_job = snapshot["windows"][-1]["per_job"]
    at = title_line("PER JOB")
    for title, (field, unit) in columns.items():
        for row, key in rows.items():
            text = next((t for t in lines[at + 1:] if t.split(" ")[0] == row), None)
            if title in lines[at] and text is not None:
                check(f"{row} {title}", cell(text, title, at),
                      fixed(per_job and per_job[key][field], unit))


def results():
    columns = {"worker": "worker", "prod.": "producer", "database": "database", "TOTAL": "total"}
    at = title_line("PER JOB")
    first = next(i for i in range(at, len(lines)) if lines[i].startswith("CPU TIME"))
    for result in snapshot["results"]:
        text = next((t for t in lines[first + 1:] if re.search(rf"\b{result['variant']}\b", t)), None)
        for title, key in columns.items():
            if text is not None and title in lines[at]:
                check(f"{result['variant']} {title}", cell(text, title, at),
                      fixed(result["per_job"][key]["cpu_ns"]["median"], 1e6))


def latency():
    for title, values in {"due to done": snapshot["windows"][-1]["latency_ns"],
                          "due to sent": snapshot["windows"][-1]["lateness_ns"]}.items():
        text = next((t for t in lines if t.startswith(title)), None)
        if text is None:  # a low screen has one line
            text = lines[title_line("LATENCY MS")] if title == "due to done" else ""
        for name, field in {"mean": "mean", "±": "sd", "p50": "p50", "p95": "p95",
                            "p99": "p99"}.items():
            found = re.search(rf"{name} +([0-9.]+)", text)
            if found and found.end() < width:  # a number at the edge may be cut
                check(f"{title} {name}", found.group(1), fixed(values[field], 1e6))


def environment():
    host = snapshot["host"]
    for name, wanted in {"kernel": f"{host['kernel']} {host['arch']}",
                         "CPUs online": str(host["cpus_online"])}.items():
        text = next((t for t in lines if re.search(rf"\b{name}\b", t)), None)
        if text is not None:
            shown = text.split(name, 1)[1].strip()
            if shown.endswith("…"):  # too narrow: what is there must agree
                wanted = wanted[:len(shown) - 1] + "…"
            check(name, shown, wanted)


{"live": live, "results": results, "latency": latency, "environment": environment}[kind]()
if not compared:
    print("no figure could be compared")
sys.exit(1 if bad or not compared else 0)
