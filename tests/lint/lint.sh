# shellcheck shell=sh
# For the lint tests. They read $top_srcdir only, and find files by name: a release has no .git and
# may be read-only.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

lint_dir=$(cd "$(dirname "$0")" && pwd -P)
lint_out=$tap_dir/violations
top_builddir=$(cd "$top_builddir" && pwd -P) || exit 99
cd "$top_srcdir" || exit 99
top_srcdir=$(pwd -P)

# lint_find PATTERN FOLDER...: the files of the folders that are there, sorted.
lint_find()
{
	lint_pattern=$1
	shift
	for lint_folder in "$@"; do
		[ ! -d "$lint_folder" ] || find "$lint_folder" -name "$lint_pattern" -type f
	done | LC_ALL=C sort
}

# lint_none NAME COMMAND...: passes when the command prints nothing and does not fail.
lint_none()
{
	lint_name=$1
	shift
	if "$@" >"$lint_out" 2>&1 && [ ! -s "$lint_out" ]; then
		tap_report 0 "$lint_name"
	else
		tap_report 1 "$lint_name"
		tap_diag <"$lint_out"
	fi
}

# lint_awk "PROGRAM..." RULE PATTERN FOLDER...: runs the awk programs of this folder over the files.
lint_awk()
{
	lint_programs=$1
	lint_rule=$2
	shift 2
	lint_args=
	for lint_program in $lint_programs; do
		lint_args="$lint_args -f $lint_dir/$lint_program"
	done
	lint_find "$@" >"$tap_dir/files"
	# an awk without files would wait for its input
	if [ ! -s "$tap_dir/files" ]; then
		echo "no files $* below $top_srcdir"
		return 1
	fi
	# shellcheck disable=SC2086 # words are meant
	xargs awk -v rule="$lint_rule" $lint_args <"$tap_dir/files"
}
