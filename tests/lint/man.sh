#!/bin/sh
# cputop(1) lists exactly the options of the program, of a verb in a section of its own, and every
# manual page is clean mdoc.
set -u
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

# One line an option: its letter, when it has one, and its name.
options_of_help()
{
	sed -n -e 's/^ *\(-[A-Za-z0-9]\), \(--[a-z0-9-]*\).*/\1 \2/p' \
		-e 's/^ *\(--[a-z0-9-]*\).*/\1/p' "$1" | LC_ALL=C sort
}

# ".It Fl D Ar list , Fl -dialect Ar list": each word behind Fl is a flag, up to the next macro.
# Those of the verb check are in the section that checks the machine.
options_of_man()
{
	awk -v verb="${2:-}" '
		/^[.]Sh / {
			of = /CHECKING THE MACHINE/ ? "check" : ""
		}
		/^[.]It Fl / && of == verb {
			line = ""
			flag = 0
			for (i = 2; i <= NF; i++) {
				word = $i
				gsub(/\\/, "", word)
				if (word ~ /^[A-Z][a-z]$/)
					flag = word == "Fl"
				else if (flag && word != ",")
					line = line (line == "" ? "" : " ") "-" word
			}
			print line
		}
	' "$1" | LC_ALL=C sort
}

compare()
{
	# the settings of whoever runs the test must not matter
	HOME="$tap_dir" XDG_CONFIG_HOME="$tap_dir" "$top_builddir/cputop" --help >"$tap_dir/help" || return 1
	options_of_help "$tap_dir/help" >"$tap_dir/of-help"
	options_of_man man/cputop.1 >"$tap_dir/of-man"
	test -s "$tap_dir/of-help" || return 1
	echo "--- cputop --help   +++ man/cputop.1"
	diff -u "$tap_dir/of-help" "$tap_dir/of-man"
}

compare_verb()
{
	"$top_builddir/cputop" check --help >"$tap_dir/help" || return 1
	options_of_help "$tap_dir/help" >"$tap_dir/of-help"
	options_of_man man/cputop.1 check >"$tap_dir/of-man"
	test -s "$tap_dir/of-help" || return 1
	echo "--- cputop check --help   +++ man/cputop.1"
	diff -u "$tap_dir/of-help" "$tap_dir/of-man"
}

# groff tells what is wrong on stderr and ends with 0.
with_groff()
{
	groff -mdoc -ww -Tutf8 -z "$1"
}

with_mandoc()
{
	mandoc -Tlint -W warning "$1"
}

checker=
! groff -mdoc -Tutf8 -z /dev/null >/dev/null 2>&1 || checker=with_groff
! command -v mandoc >/dev/null 2>&1 || checker=with_mandoc

name="cputop.1 lists exactly the options of --help"
if [ -x "$top_builddir/cputop" ]; then
	tap_ok "$name" compare
	if grep -q '^[.]Sh CHECKING THE MACHINE' man/cputop.1; then
		tap_ok "and those of cputop check --help" compare_verb
	fi
else
	tap_skip "$name" "there is no $top_builddir/cputop; make it first"
fi

lint_find '*.[1-8]' man >"$tap_dir/pages"
tap_ok "there are manual pages" test -s "$tap_dir/pages"
while read -r page; do
	if [ -n "$checker" ]; then
		lint_none "$page is clean" "$checker" "$page"
	else
		tap_skip "$page is clean" "neither mandoc nor groff is installed"
	fi
done <"$tap_dir/pages"
tap_done
