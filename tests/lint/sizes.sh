#!/bin/sh
# Files, functions and parameter lists stay small enough to read.
set -u
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

sizes()
{
	lint_awk "strip.awk sizes.awk" "$1" "$2" src ui workload tests
}

lint_none "files have at most 500 lines" sizes files '*.[ch]'
lint_none "scripts have at most 500 lines" sizes files '*.sh'
lint_none "functions have at most 60 lines, 120 around a switch" sizes functions '*.[ch]'
lint_none "blocks are nested at most 4 deep" sizes nesting '*.[ch]'
lint_none "functions have at most 6 parameters" sizes parameters '*.[ch]'
tap_done
