#!/bin/sh
# The lint tests find what they are for: each runs on a small clean tree, and on copies of it that
# break one rule.
set -u
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

tree=$tap_dir/tree
broken=$tap_dir/broken

# put FILE: its text comes on stdin.
put()
{
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

clean_tree()
{
	put "$tree/src/lib/a.h" <<-'END'
		#ifndef CPUTOP_A_H
		#define CPUTOP_A_H

		int a_add(int x, int y);

		#endif
	END
	put "$tree/src/lib/a.c" <<'END'
/* strcpy(), "sprintf(" and system() may stand in comments and in strings. */
#include "config.h"

#include "lib/a.h"

#include <stddef.h>

int a_add(int x, int y)
{
	const char *s = "strcpy(\"/*"; /* gets( */

	return x + y + (s == NULL);
}
END
	put "$tree/ui/term.c" <<-'END'
		#include "config.h"

		#include <curses.h>

		#include "lib/a.h"
	END
	echo 'exit 0' | put "$tree/tests/x.sh"
	put "$tree/man/cputop.1" <<-'END'
		.Dd November 30, 2026
		.Dt CPUTOP 1
		.Os
		.Sh NAME
		.Nm cputop
		.Nd a test
		.Sh OPTIONS
		.Bl -tag -width Ds
		.It Fl r Ar n , Fl -rate Ar n
		Jobs.
		.It Fl -keep
		Keep it.
		.El
	END
	put "$tree/cputop" <<-'END'
		#!/bin/sh
		echo 'Usage: cputop'
		echo '  -r, --rate N     jobs --all'
		echo '      --keep       keep it'
	END
	chmod +x "$tree/cputop"
	cp "$top_srcdir/.clang-format" "$tree/"
}

lint()
{
	top_srcdir=$2 top_builddir=$2 "$lint_dir/$1.sh" 2>&1
}

# finds LINT REGEX NAME: the lint fails on the broken tree, with a line like this one, and on the
# clean one with none.
finds()
{
	found=$(lint "$1" "$broken")
	status=$?
	tap_like "$1 finds $3" "$found" "^# .*$2"
	tap_is "$1 fails then" "$status" 1
	rm -rf "$broken"
	cp -R "$tree" "$broken"
}

clean_tree
cp -R "$tree" "$broken"
for name in includes headers sizes banned format man; do
	found=$(lint "$name" "$tree")
	tap_is "$name passes on a clean tree" "$?" 0
	tap_is "$name finds nothing there" "$(echo "$found" | grep '^\(not ok\|#\)')" ""
done

echo '#include "model/b.h"' >>"$broken/src/lib/a.c"
finds includes 'src/lib/a.c:[0-9]*: lib may not include model/b.h' "a forbidden direction"
echo '  #  include  "ui/x.h"' >>"$broken/src/lib/a.h"
finds includes 'lib may not include ui/x.h' "an include with blanks"
echo '#include "lib/none.h"' >>"$broken/src/lib/a.c"
finds includes 'none.h is neither' "a header that is not there"
echo '#include "a.h"' >>"$broken/src/lib/a.c"
finds includes 'does not name its room' "an include without its room"
echo '#include <curses.h>' | put "$broken/ui/canvas.c"
finds includes 'ui/canvas.c:1: curses is confined' "curses elsewhere"
echo '#include <libpq-fe.h>' >>"$broken/src/lib/a.c"
finds includes 'libpq is confined' "libpq elsewhere"
echo '#include <jansson.h>' | put "$broken/src/app/x.c"
finds includes 'jansson is confined' "jansson elsewhere"
printf '#include "config.h"\n#include "ui/ui.h"\n' | put "$broken/src/app/x.c"
finds includes 'app may not include ui/ui.h' "ui in another file than main.c"
echo '#include "config.h"' | put "$broken/src/attic/x.c"
echo '#include "attic/x.h"' >>"$broken/src/attic/x.c"
finds includes '"attic" is no room' "a room that is not in the house"
sed -i '/config.h/d' "$broken/src/lib/a.c"
finds includes '"config.h" comes first' "a file without config.h"

echo 'extern size_t a;' >>"$broken/src/lib/a.h"
lint headers "$broken" >"$tap_dir/found"
tap_ok "headers finds a header that does not compile alone" \
	grep -q '^not ok .*src/lib/a.h compiles alone' "$tap_dir/found"
rm -rf "$broken"
cp -R "$tree" "$broken"
sed -i 's/CPUTOP_A_H/A_H/' "$broken/src/lib/a.h"
finds headers 'no guard CPUTOP_A_H' "a wrong guard"
put "$broken/src/model/a.h" <"$tree/src/lib/a.h"
finds headers 'guard CPUTOP_A_H is used twice' "a guard used twice"

# repeat N TEXT
repeat()
{
	awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) print text }'
}

repeat 501 '/* x */' | put "$broken/src/lib/long.c"
finds sizes 'long.c:501: file of 501' "a long file"
{ printf 'int f(void)\n{\n'; repeat 58 '	f();'; echo '}'; } | put "$broken/src/lib/b.c"
finds sizes 'b.c:1: function of 61 lines' "a long function"
{
	printf 'int f(void)\n{\n	switch (x) {\n'
	repeat 56 '	case 1:'
	printf '	}\n}\n'
} | put "$broken/src/lib/b.c"
tap_is "a switch may be longer" "$(lint sizes "$broken" | grep '^#')" ""
{
	printf 'int f(void)\n{\n	switch (x) {\n'
	repeat 117 '	case 1:'
	printf '	}\n}\n'
} | put "$broken/src/lib/b.c"
finds sizes 'b.c:1: function of 122 lines' "a long switch"
{
	printf 'int f(void)\n{\n	switch (x) {\n	}\n'
	repeat 58 '	f();'
	echo '}'
} | put "$broken/src/lib/b.c"
finds sizes 'function of 63 lines, at most 60' "a long function with a small switch"
put "$broken/src/lib/b.c" <<-'END'
	static int __attribute__((format(printf, 1, 2))) f(int (*a)(int, int), int b, int c,
							   int d, int e, int f, int g)
	{
	}
END
finds sizes 'b.c:1: 7 parameters' "too many parameters"
echo 'int f(int, int, int, int, int, int, int);' >>"$broken/src/lib/a.h"
finds sizes 'a.h:[0-9]*: 7 parameters' "too many parameters in a prototype"
{
	printf 'int f(void)\n{\n'
	repeat 5 'if (1) {'
	repeat 5 '	}'
	echo '}'
} | put "$broken/src/lib/b.c"
finds sizes 'nested 5 deep' "deep nesting"

printf 'int f(void)\n{\n	return strcpy (a, b);\n}\n' | put "$broken/src/lib/b.c"
finds banned 'b.c:3: strcpy' "an unsafe call"
printf 'int x = /* " */ system("x"); // "\n' | put "$broken/src/lib/b.c"
finds banned 'b.c:1: system' "an unsafe call behind a comment"
printf 'double x = strtod(s, 0);\n' | put "$broken/src/lib/b.c"
finds banned 'strtod' "a call that depends on the locale"
printf 'setlocale(LC_ALL, "");\n' | put "$broken/ui/x.c"
finds banned 'ui/x.c:1: numbers' "a locale for numbers"
printf 'exit(1);\n' | put "$broken/src/lib/b.c"
finds banned 'exit' "an exit in a library"
printf '/* %s: later */\n' 'TO''DO' | put "$broken/src/lib/b.c"
finds banned 'unfinished' "a mark of unfinished work"

if command -v clang-format >/dev/null 2>&1; then
	printf 'int  x ;\n' | put "$broken/src/lib/b.c"
	finds format 'b.c:1: .*clang-format -i' "code that is not formatted"
else
	tap_skip "format finds code that is not formatted" "clang-format is not installed"
fi
printf 'x \n' | put "$broken/man/x.5"
finds format 'x.5:1: blanks at the end' "trailing blanks"
printf 'x' | put "$broken/README.md"
finds format 'README.md: no newline' "a file without a newline at its end"
printf 'x\n\n' | put "$broken/man/x.5"
finds format 'x.5:2: blank line at the end' "a blank line at the end"
printf '  \tx\n' | put "$broken/tests/y.sh"
finds format 'y.sh:1: a space before a tab' "a space before a tab"

sed -i '/-keep/d' "$broken/man/cputop.1"
finds man '^# ---keep|-[-]+keep' "an option that the page does not have"
sed -i 's/Fl -keep/Fl -kept/' "$broken/man/cputop.1"
finds man '[+]--kept' "an option that the program does not have"
sed -i 's/Fl r Ar n , //' "$broken/man/cputop.1"
finds man '--rate' "a letter that the page does not have"
if command -v groff >/dev/null 2>&1 || command -v mandoc >/dev/null 2>&1; then
	echo '.Xq nonsense' >>"$broken/man/cputop.1"
	finds man 'Xq' "an unknown macro"
else
	tap_skip "man finds an unknown macro" "neither groff nor mandoc is installed"
fi
tap_done
