#!/bin/sh
# The rc file and the environment: who wins, and what a mistake in them says.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"

cputop=$top_builddir/cputop
unset DIALECTS BASE WARMUP MEASURE NAMES RATE PG_BIN MYSQL_BIN MARIADB_BIN
mkdir -p "$tap_dir/cputop" "$tap_dir/home/.config/cputop"
rc=$tap_dir/cputop/cputoprc
export HOME="$tap_dir/home"
export XDG_CONFIG_HOME="$tap_dir"

# says NAME REGEX VARIABLES OPTIONS. Any error after reading the settings shows that they were taken;
# hot-names against names is one that shows their values.
says()
{
	# shellcheck disable=SC2086 # lists of words
	tap_like "$1" "$(env $3 "$cputop" -b --postgres-bin "$tap_dir/none" $4 </dev/null 2>&1)" "$2"
}

printf '# a comment\n\n  names =  7 \nhot-names=8\n' >"$rc"
says "values come from the rc file" '--hot-names 8 is more than --names 7' '' ''
says "options win over it" '--hot-names 9 is more than --names 7' '' '--hot-names 9'
says "the last option wins" '--hot-names 12 is more than --names 7' '' '--hot-names 9 --hot-names=12'
says "the environment wins over it" '--hot-names 8 is more than --names 6' 'NAMES=6' ''
says "options win over the environment" '--hot-names 8 is more than --names 5' 'NAMES=6' '--names 5'
says "CPUTOP_NAMES wins over NAMES" '--hot-names 8 is more than --names 4' 'NAMES=6 CPUTOP_NAMES=4' ''
says "an empty variable is none" '--hot-names 8 is more than --names 7' 'NAMES=' ''
says "a bad variable is named" 'NAMES.*not a whole number: .many.' 'NAMES=many' ''
says "a value out of range too" 'RATE.*out of range' 'RATE=1e99' ''
says "DIALECTS" 'DIALECTS.*unknown database .db2' 'DIALECTS=db2' ''

printf 'names = 1000\n\nrate = fast\n' >"$rc"
says "a bad value: file and line" "$rc:3: rate: not a number: .fast." '' ''
printf 'nosuch = 1\n' >"$rc"
says "an unknown setting" "$rc:1: unknown setting .nosuch" '' ''
printf 'batch = yes\n' >"$rc"
says "what is an option only" "$rc:1: .batch. cannot be set here" '' ''
printf 'names\n' >"$rc"
says "no equals sign" "$rc:1: not .name = value" '' ''
printf 'no-mouse = maybe\n' >"$rc"
says "a switch" "$rc:1: no-mouse: not yes or no" '' ''
printf 'names = 7\nhot-names = 8' >"$rc"
says "the last line needs no newline" '--hot-names 8 is more than --names 7' '' ''
printf 'names = \033[31m\n' >"$rc"
says "what is quoted is escaped" "$rc:1: names: not a whole number: .\\\\(x1b|e|033)" '' ''
rm "$rc"
mkdir "$rc"
says "a folder in its place" "$rc.*(directory|not a regular file)" '' ''
rmdir "$rc"
says "a missing file is none" "$tap_dir/none" '' ''
printf 'names = 3\n' >"$tap_dir/home/.config/cputop/cputoprc"
says "without XDG_CONFIG_HOME: below HOME" '--hot-names 10 is more than --names 3' 'XDG_CONFIG_HOME=' ''
tap_done
