#!/bin/sh
# clang-format has nothing to change; white space is as "git diff --check" wants it.
set -u
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

# Each release formats a little differently: the one of Debian 12 decides.
wanted=14

clang_format()
{
	formatted=0
	for candidate in "${CLANG_FORMAT:-clang-format-$wanted}" clang-format; do
		version=$("$candidate" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
		if [ "$version" = "$wanted" ]; then
			formatter=$candidate
			return 0
		fi
	done
	return 1
}

format()
{
	formatted=0
	lint_find '*.[ch]' src ui workload tests >"$tap_dir/files"
	xargs "$formatter" --style="file:$top_srcdir/.clang-format" --dry-run -Werror \
		<"$tap_dir/files" >"$tap_dir/format.out" 2>&1 || formatted=$?
	# a line for each file: the rest is long, and clang-format -i shows and mends it
	sed -n 's/^\(.*\):\([0-9]*\):[0-9]*: error: code should be.*/\1 \2/p' "$tap_dir/format.out" |
		awk '{ n[$1]++ } n[$1] == 1 { first[$1] = $2 }
			END { for (f in n) print f ":" first[f] ": " n[f] " places; clang-format -i " f }'
	grep -q 'code should be' "$tap_dir/format.out" || cat "$tap_dir/format.out"
	return "$formatted"
}

# Text that people write; what tests compare with byte by byte is left out.
texts()
{
	for folder in src ui workload man contrib tests .ci; do
		[ ! -d "$folder" ] || find "$folder" -type f \
			! -path 'contrib/build-aux/*' ! -path 'contrib/m4/*' ! -path '*/.deps/*' \
			! -path 'tests/fuzz/corpus/*' ! -path 'tests/unit/fixtures/*' ! -path '*/golden/*' \
			! -name '*.[oa]' ! -name '*.log' ! -name '*.trs' ! -name '*.pyc'
	done
	for file in configure.ac Makefile.am README.md NEWS CONTRIBUTING.md .clang-format .editorconfig \
		.gitignore; do
		[ ! -f "$file" ] || echo "$file"
	done
}

whitespace()
{
	texts | LC_ALL=C sort | while read -r file; do
		# not a text: a program of a build in the source tree
		LC_ALL=C grep -q "$(printf '[\001-\010]')" "$file" && continue
		LC_ALL=C awk '
			/[ \t\r]$/ { print FILENAME ":" FNR ": blanks at the end of the line" }
			/^ *	* +	/ { print FILENAME ":" FNR ": a space before a tab" }
			{ blank = $0 == "" }
			END { if (NR && blank) print FILENAME ":" NR ": blank line at the end of the file" }
		' "$file"
		[ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] ||
			echo "$file: no newline at the end of the file"
	done
}

if clang_format; then
	lint_none "clang-format has nothing to change" format
else
	tap_skip "clang-format has nothing to change" "clang-format $wanted is not installed"
fi
lint_none "white space is clean" whitespace
tap_done
