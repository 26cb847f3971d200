#!/bin/sh
# Every header compiles alone, and twice, under a guard that no other header has.
set -u
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

CC=${CC:-cc}
pkg_config=${PKG_CONFIG:-pkg-config}
flags="-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I$top_srcdir/src -I$top_srcdir -I$top_builddir"
for library in libuv libpq libmariadb jansson ncursesw; do
	flags="$flags $("$pkg_config" --cflags "$library" 2>/dev/null)"
done
# A build may be without one of the clients.
without=' '
"$pkg_config" --exists libpq || without="$without src/db/pg_"
"$pkg_config" --exists libmariadb || without="$without src/db/my_"

compile()
{
	printf '#include "%s"\n#include "%s"\n' "$1" "$1" >"$tap_dir/alone.c"
	# shellcheck disable=SC2086 # words are meant
	$CC $flags -fsyntax-only "$tap_dir/alone.c"
}

# The guard is CPUTOP_FILE_H or CPUTOP_ROOM_FILE_H, at its three places.
guards()
{
	while read -r header; do
		file=$(basename "$header" .h | tr 'a-z-' 'A-Z_')
		guard=$(sed -n 's/^#ifndef \(CPUTOP_[A-Z0-9_]*_H\)$/\1/p' "$header" | head -n 1)
		case $guard in
		CPUTOP_"$file"_H | CPUTOP_*_"$file"_H) ;;
		*) echo "$header: no guard CPUTOP_${file}_H but '$guard'" ;;
		esac
		grep -q "^#define $guard\$" "$header" || echo "$header: $guard is not defined"
		echo "$guard $header" >>"$tap_dir/guards"
	done <"$tap_dir/headers"
	sort "$tap_dir/guards" | awk '$1 == last { print $2 ": guard " $1 " is used twice" } { last = $1 }'
}

lint_find '*.h' src ui workload >"$tap_dir/all"
for prefix in $without; do
	grep -v "$prefix" "$tap_dir/all" >"$tap_dir/rest"
	mv "$tap_dir/rest" "$tap_dir/all"
done
mv "$tap_dir/all" "$tap_dir/headers"
tap_ok "there are headers" test -s "$tap_dir/headers"
while read -r header; do
	tap_ok "$header compiles alone" compile "$header"
done <"$tap_dir/headers"
lint_none "guards are named after the file and unique" guards
tap_done
