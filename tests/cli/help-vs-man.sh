#!/bin/sh
# What is written about options agrees with --help: cputop-load(1) lists them, cputop(1) has their
# defaults, the completion offers them, cputoprc(5) lists those that the rc file takes. (That cputop(1)
# lists them is checked by tests/lint/man.sh.)
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"

# "-b --batch" or "--rate", one line an option, sorted.
help_options()
{
	"$@" --help | sed -n 's/^ *\(-[A-Za-z], \)\{0,1\}\(--[a-z-]*\).*/\1\2/p' | tr -d , | sort
}

# An entry ".It Fl b , Fl -batch" or ".It Fl -names Ns = Ns Ar n , Fl -rate Ns = ...".
man_options()
{
	sed -n 's/^\.It \(Fl .*\)/\1/p' "$1" | awk '{
		letter = ""
		for (i = 1; i < NF; i++) {
			if ($i != "Fl")
				continue
			name = $(i + 1)
			if (length(name) == 1) {
				letter = "-" name " "
			} else {
				print letter "-" name
				letter = ""
			}
		}
	}' | sort
}

man=$top_srcdir/man
tap_is "cputop-load(1) lists exactly the options of --help" "$(man_options "$man/cputop-load.1")" \
	"$(help_options "$top_builddir/cputop-load")"

# Defaults: the help ends an entry in "(VALUE)"; the manual has the same after the option.
"$top_builddir/cputop" --help | awk '
	/^ *-/ { if (entry) print entry; entry = "" }
	/^ / { sub(/^ +/, ""); entry = entry " " $0 }
	END { print entry }' | sed -n 's/^ *\(-[A-Za-z], \)\{0,1\}--\([a-z-]*\) .*(\([0-9.]*\))$/\2 \3/p' >"$tap_dir/defaults"
tap_ok "defaults are found in the help" test "$(wc -l <"$tap_dir/defaults")" -ge 12
while read -r name value; do
	text=$(sed -n "/^\.It .*Fl -$name /,/^\.It/p" "$man/cputop.1")
	tap_like "the manual gives the default of --$name: $value" "$text" "\($value\)"
done <"$tap_dir/defaults"

words=$(sed -n "/local options='/,/'\$/p;/local letters='/p" \
	"$top_srcdir/contrib/completions/cputop.bash" | sed "s/.*='//" | tr -d "'" | tr -s '[:blank:]' '\n' |
	sed '/^$/d' | sort)
tap_is "the completion offers exactly the options of --help" "$words" \
	"$(help_options "$top_builddir/cputop" | tr ' ' '\n' | sort)"

# Every setting of cputoprc(5) is taken from an rc file, and no other option is.
mkdir -p "$tap_dir/cputop"
sed -n '/^\.Sh SETTINGS/,/^\.El/s/^\.It Ic //p' "$man/cputoprc.5" | sort >"$tap_dir/documented"
"$top_builddir/cputop" --help | sed -n 's/^ *\(-[A-Za-z], \)\{0,1\}--\([a-z-]*\).*/\2/p' | sort |
	while read -r name; do
		printf '%s = \001\n' "$name" >"$tap_dir/cputop/cputoprc"
		XDG_CONFIG_HOME=$tap_dir "$top_builddir/cputop" --version 2>&1 |
			grep -q 'cannot be set here' || echo "$name"
	done >"$tap_dir/taken"
tap_is "cputoprc(5) lists exactly what the rc file takes" "$(cat "$tap_dir/documented")" \
	"$(cat "$tap_dir/taken")"

tap_done
