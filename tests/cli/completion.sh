#!/bin/bash
# What the bash completion offers.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/contrib/completions/cputop.bash"

# offers WORD...: what is offered for the last word, on one line.
offers()
{
	COMP_WORDS=("$top_builddir/cputop" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_cputop 2>/dev/null
	echo "${COMPREPLY[*]-}"
}

cd "$tap_dir" || exit 1
mkdir mine
tap_is "an option by its beginning" "$(offers --hot)" "--hot-names --hot-share"
tap_is "one only" "$(offers --mea)" "--measure"
tap_like "everything for a dash" "$(offers -)" '--dialect .*--version -D -v'
tap_is "databases" "$(offers -D p)" "postgres"
tap_is "counter sources" "$(offers --counters '')" "auto perf icount none"
tap_is "with an equals sign" "$(offers --counters = p)" "perf"
tap_is "right after it" "$(offers --cpu-source =)" "auto clocks cgroup"
tap_is "variants, from the program" "$(offers -v skip)" "skiplocked"
tap_is "the next of a list" "$(offers -v pername,skip)" "pername,skiplocked"
tap_is "folders as variants" "$(offers -v mi)" "mine"
tap_is "files" "$(offers --json mi)" "mine"
tap_is "nothing for a number" "$(offers --names '')" ""
tap_is "max for the rate" "$(offers --rate m)" "max"
tap_is "the verb" "$(offers che)" "check"
tap_is "options of the verb" "$(offers check --)" "--need --json --help"
tap_is "what it can need" "$(offers check --need cy)" "cycles"
tap_is "the next that it needs" "$(offers check --need cpu,inst)" "cpu,instructions"
tap_done
