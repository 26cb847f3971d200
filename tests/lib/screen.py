#!/usr/bin/python3
"""screen.py SCREEN SNAPSHOT: whether the cost table of a captured live screen shows the figures of
the snapshot's last window. Columns are found by the table's title line; a column that the terminal
is too narrow for is left out, but CPU must be there. Prints what differs, exits 1 then."""
import json
import sys

COLUMNS = {"CPU MS": ("cpu_ns", 1e6), "INSTR M": ("instructions", 1e6), "CYCLES M": ("cycles", 1e6)}
ROWS = {"worker": "worker", "producer": "producer", "database": "database", "TOTAL": "total"}

lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
window = json.load(open(sys.argv[2]))["windows"][-1]
at = next((i for i, text in enumerate(lines) if text.startswith("PER JOB")), None)
if at is None:
    sys.exit("no line begins with PER JOB")
compared = bad = 0
for title, (field, unit) in COLUMNS.items():
    if title not in lines[at]:
        continue
    right = lines[at].index(title) + len(title)
    for row, key in ROWS.items():
        text = next((t for t in lines[at + 1:] if t.split(" ")[0] == row), None)
        if text is None:
            print(f"no row {row}")
            bad += 1
            continue
        shown = text[:right].split(" ")[-1]
        value = window["per_job"] and window["per_job"][key][field]
        wanted = "-" if value is None else f"{value / unit:.2f}"
        compared += shown != "-"
        if shown != wanted:
            print(f"{row} {title}: the screen shows {shown}, the snapshot has {wanted}")
            bad += 1
if not compared:
    print("no figure could be compared")
sys.exit(1 if bad or not compared else 0)
