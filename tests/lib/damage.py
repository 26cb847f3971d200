#!/usr/bin/python3
"""Shows that a schema is strict: damage.py SCHEMA FILE KIND

Damages the document in FILE in one place after another, and prints a line for each damage that the
schema does not notice. Kinds:
  remove   each member of each object is taken away
  extra    each object gets a member more
  type     each value is replaced by values of other types
  null     the members that may never be missing become null
  text     damages of the text: NaN, Infinity, a member twice, a fraction on an integer, cut short
Places that differ only by the number of an array item count as one. Objects whose members are named
by the data (settings, parts) may lose and get members. The last line says how many damages were
made; exit status 1 when one was not noticed, or none was made.
"""

import copy
import json
import re
import sys

import validate

# Objects with names of their own: members come and go.
OPEN = {"settings", "parts", "mitigations", "missing"}

# What a document can't do without, whatever failed.
NEVER_NULL = """
schema version tool created complete host workload from_environment databases variants windows
results source user_only cpu_source available names hot_names hot_share rate backlog concurrency
workers pool poll_interval_s enqueue enqueue_batch payload_bytes warmup_s measure_s repeat completed
mutex_keys hold_s blocked queued seed dialect settings name kind index variant order start valid
unbalanced events jobs checks latency_ns work processes per_second backlog_before histogram lateness_ns missing work_per_job work_per_second worker producer database monitor cputop machine parts total n base
taken_ns pid role part tables bytes indexes loadavg
before after
""".split()


def places(value, path=(), seen=None):
    """Every place of the document (path, value), those of one pattern once."""
    seen = set() if seen is None else seen
    pattern = tuple("*" if isinstance(p, int) else p for p in path)
    kind = type(value).__name__
    if (pattern, kind) not in seen:
        seen.add((pattern, kind))
        yield path, value
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, item in items:
        yield from places(item, path + (key,), seen)


def pruned(value, path=(), seen=None):
    """The document without the array items that show no place of a new pattern."""
    seen = set() if seen is None else seen
    if isinstance(value, dict):
        return {key: pruned(item, path + (key,), seen) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    fixed = len(value) <= 3
    kept = []
    for item in value:
        before = len(seen)
        for _ in places(item, path + (0,), seen):
            pass
        if fixed or len(seen) > before:
            kept.append(item)
    return kept


def parent(document, path):
    for key in path[:-1]:
        document = document[key]
    return document


def removed(document):
    for path, _ in list(places(document)):
        if not path or isinstance(path[-1], int) or (len(path) > 1 and path[-2] in OPEN):
            continue
        damaged = copy.deepcopy(document)
        del parent(damaged, path)[path[-1]]
        yield path, "taken away", damaged


def extended(document):
    for path, value in list(places(document)):
        if not isinstance(value, dict) or (path and path[-1] in OPEN):
            continue
        damaged = copy.deepcopy(document)
        target = parent(damaged, path)[path[-1]] if path else damaged
        target["extra"] = 1
        yield path, "a member more", damaged


def others(value):
    """Values that may not stand where value stands."""
    if isinstance(value, bool):
        return [0]
    if isinstance(value, int):
        return [str(value), float(value) + 0.5, True]
    if isinstance(value, float):
        return [str(value), False]
    if isinstance(value, list):
        return [{}]
    return [[value]] if value is None else [1]


def retyped(document):
    for path, value in list(places(document)):
        for other in others(value) if path else [[], 1, None]:
            damaged = copy.deepcopy(document)
            if path:
                parent(damaged, path)[path[-1]] = other
            yield path, f"{other!r} instead of {value!r:.40}", damaged if path else other


def nulled(document):
    for path, _ in list(places(document)):
        # these are never null elsewhere: an option, the version of cputop
        optional = (path[:1] == ("windows",) and path[-1] == "completed") or (
            path[:1] == ("databases",) and path[-1] == "version"
        )
        if path and path[-1] in NEVER_NULL and not optional:
            damaged = copy.deepcopy(document)
            parent(damaged, path)[path[-1]] = None
            yield path, "null", damaged


def texts(text):
    """Damages of the text itself."""
    number = re.search(r": (\d+)(?=[,\n])", text)
    begin, end = number.span(1)
    for word in ("NaN", "Infinity", "-Infinity", number.group(1) + ".0", "0x10", "1,5"):
        yield word, text[:begin] + word + text[end:]
    yield "a member twice", text.replace("{", '{"twice": 1, "twice": 1,', 1)
    yield "cut short", text[: len(text) // 2]
    yield "empty", ""


def unnoticed(checker, text, kind):
    """Yields (place, damage, noticed)."""
    if kind == "text":
        for what, damaged in texts(text):
            try:
                noticed = not checker.is_valid(validate.parse(damaged))
            except ValueError:
                noticed = True
            yield "(text)", what, noticed
        return
    make = {"remove": removed, "extra": extended, "type": retyped, "null": nulled}[kind]
    document = pruned(json.loads(text))
    assert checker.is_valid(document)
    for path, what, damaged in make(document):
        yield "/".join(map(str, path)), what, not checker.is_valid(damaged)


def main(argv):
    checker = validate.load_schema(argv[1])
    with open(argv[2], encoding="utf-8") as file:
        text = file.read()
    done = failed = 0
    for place, what, noticed in unnoticed(checker, text, argv[3]):
        done += 1
        if not noticed:
            failed += 1
            print(f"not noticed: {place or '(top)'}: {what}")
    print(f"{done} damages, {failed} not noticed")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
