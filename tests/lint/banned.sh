#!/bin/sh
# Unsafe calls, calls that depend on the locale, and marks of unfinished work.
set -u
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

programs="strip.awk banned.awk"

# cformat.c is where the C locale is put in force.
locale()
{
	lint_awk "$programs" locale '*.[ch]' src ui workload | grep -v '^src/lib/cformat[.]c:'
	return 0
}

lint_none "no unsafe calls" lint_awk "$programs" unsafe '*.[ch]' src ui workload tests
lint_none "no numbers that depend on the locale" locale
lint_none "no library code ends the program" lint_awk "$programs" abort '*.[ch]' src/lib src/model \
	src/measure src/db src/variant src/server src/run src/result ui
lint_none "nothing is marked as unfinished" lint_awk "$programs" words '*.[ch]' src ui workload tests
tap_done
