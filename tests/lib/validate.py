#!/usr/bin/python3
"""Checks JSON files against a JSON Schema: validate.py SCHEMA FILE...

Prints one line for each violation ("FILE: PATH: what is wrong"). Exit status: 0 all files are
valid, 1 one is not, 2 usage or an unreadable schema, 77 the module jsonschema is missing (on
Debian: python3-jsonschema).

Stricter than JSON Schema where a snapshot must be: an integer is written without a fraction (20.0
is none), NaN, Infinity and members of one name are no JSON.
"""

import json
import sys

MISSING = 77


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


def _members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"member {twice!r} stands there twice")
    return members


def parse(text):
    """The value of a JSON text; ValueError when it is not strict JSON."""
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_members)


def validator(schema):
    """A validator of the schema (a value) with strict integers."""
    import jsonschema

    base = jsonschema.validators.validator_for(schema)
    base.check_schema(schema)
    checker = base.TYPE_CHECKER.redefine(
        "integer", lambda _, v: isinstance(v, int) and not isinstance(v, bool)
    )
    return jsonschema.validators.extend(base, type_checker=checker)(schema)


def load_schema(path):
    with open(path, encoding="utf-8") as file:
        return validator(parse(file.read()))


def violations(checker, path):
    """Lines that say what is wrong with the file."""
    try:
        with open(path, encoding="utf-8") as file:
            document = parse(file.read())
    except (OSError, ValueError) as why:
        return [f"{path}: {why}"]
    lines = []
    for error in sorted(checker.iter_errors(document), key=lambda e: [str(p) for p in e.path]):
        where = "/".join(str(p) for p in error.absolute_path) or "(top)"
        what = " ".join(error.message.split())
        if len(what) > 160:
            what = what[:60] + " ... " + what[-95:]
        lines.append(f"{path}: {where}: {what}")
    return lines


def main(argv):
    if len(argv) < 3:
        print("usage: validate.py SCHEMA FILE...", file=sys.stderr)
        return 2
    try:
        checker = load_schema(argv[1])
    except ImportError:
        print("validate.py: python3-jsonschema is not installed", file=sys.stderr)
        return MISSING
    except (OSError, ValueError) as why:
        print(f"validate.py: {argv[1]}: {why}", file=sys.stderr)
        return 2
    lines = [line for path in argv[2:] for line in violations(checker, path)]
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
