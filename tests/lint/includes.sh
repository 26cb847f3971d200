#!/bin/sh
# The rooms include each other only in the allowed directions; libraries stay in their room.
set -u
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

lint_none "rooms include only what they may" lint_awk includes.awk rooms '*.[ch]' src ui workload
lint_none "curses, libpq, MySQL and jansson stay in their rooms" \
	lint_awk includes.awk confined '*.[ch]' src ui workload
lint_none "config.h is first, the own header second" \
	lint_awk includes.awk order '*.c' src ui workload
tap_done
