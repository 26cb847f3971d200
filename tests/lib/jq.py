#!/usr/bin/python3
"""jq.py FILE EXPRESSION: prints a Python expression over the JSON document d (and windows w, the
last one v), or exits 1 when it is False or cannot be had."""
import json
import sys

d = json.load(open(sys.argv[1]))
w = d.get("windows", []) if isinstance(d, dict) else []
v = w[-1] if w else None


def window(variant):
    """The last valid window of a variant."""
    return [x for x in w if x["variant"] == variant and x["valid"]][-1]


def per_job(variant, role):
    return window(variant)["per_job"][role]["cpu_ns"]


def work(variant, name):
    x = window(variant)
    return x["work"][name] / x["jobs"]["completed"]


value = eval(sys.argv[2])
if value is False:
    sys.exit(1)
print(value)
