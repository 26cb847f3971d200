# The JSON files against their schemas; uses python3-jsonschema, and says so when it is missing.
TESTS += tests/cli/schema.sh
EXTRA_DIST += tests/cli/schema.sh tests/lib/damage.py tests/lib/validate.py
