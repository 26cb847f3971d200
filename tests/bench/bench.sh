# shellcheck shell=sh disable=SC2154,SC2034 # variables of the test
# For the benchmarks: a PostgreSQL of their own, with the settings of the one that cputop starts;
# pgbench replaying a variant's statements on it; CPU time from /proc. Source it first.
#
# Everything is printed as "NAME: FIGURE (wanted ...): met | missed"; the script fails when one is
# missed. Figures of a busy or shared machine say little: look at the spread of several runs.

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd -P)}"
: "${top_builddir:=$(pwd -P)}"
cputop=$top_builddir/cputop
variant=$top_srcdir/workload/variants/skiplocked
missed=0
postmaster=

die()
{
	echo "$0: $*" >&2
	exit 1
}

bin=${PG_BIN:-}
for d in /usr/lib/postgresql/*/bin; do
	[ -n "${PG_BIN:-}" ] || [ ! -x "$d/postgres" ] || bin=$d
done
[ -x "$bin/postgres" ] || die "PostgreSQL is not installed"

dir=$(mktemp -d "${TMPDIR:-/tmp}/cpubench-XXXXXX") || exit 1
chmod 711 "$dir"
user=
if [ "$(id -u)" -eq 0 ]; then
	user=postgres
	id "$user" >/dev/null 2>&1 || user=nobody
fi

# A server does not run as root.
as_server()
{
	if [ -n "$user" ]; then
		setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@"
	else
		"$@"
	fi
}

bench_end()
{
	trap - EXIT
	[ -z "$postmaster" ] || stop_server
	rm -rf "$dir"
}
trap bench_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

free_port()
{
	/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

sql()
{
	"$bin/psql" -X -q -At -v ON_ERROR_STOP=1 "$@"
}

# The same flags as cputop's private server but for the password.
start_server()
{
	PGHOST=127.0.0.1
	PGPORT=$(free_port)
	PGUSER=bench
	PGDATABASE=postgres
	PGOPTIONS='-c search_path=bench'
	export PGHOST PGPORT PGUSER PGDATABASE PGOPTIONS
	mkdir -m 700 "$dir/data"
	[ -z "$user" ] || chown "$user:" "$dir/data"
	(cd / && as_server "$bin/initdb" -D "$dir/data" -U bench -A trust -E UTF8 --locale=C --no-sync) \
		>"$dir/initdb.log" 2>&1 || die "initdb failed: $(tail -n 1 "$dir/initdb.log")"
	# The pid is written by a shell that then becomes the server.
	(cd / && as_server sh -c 'echo $$ && exec "$@"' sh "$bin/postgres" -D "$dir/data" \
		-c port="$PGPORT" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
		2>"$dir/server.log" >"$dir/pid") &
	for _ in $(seq 200); do
		if sql -c 'create schema if not exists bench' >/dev/null 2>&1; then
			postmaster=$(cat "$dir/pid")
			return
		fi
		sleep 0.05
	done
	die "the server did not start: $(tail -n 1 "$dir/server.log")"
}

stop_server()
{
	kill -INT "$postmaster" 2>/dev/null
	wait
	postmaster=
	unset PGHOST PGPORT PGUSER PGDATABASE PGOPTIONS
}

# statement NAME: its text from the variant, without the semicolon at its end.
statement()
{
	awk -v name="$1" '
		/^-- :/ { on = $2 == ":" name; next }
		on && !/^ *--/ && NF { print }' "$variant/postgres.sql" | sed '$s/;[[:blank:]]*$//'
}

# Fresh tables with 1000 names, filled and settled as cputop does.
make_tables()
{
	sql -c 'drop schema bench cascade' -c 'create schema bench' 2>/dev/null
	statement setup >"$dir/setup.sql"
	sql -f "$dir/setup.sql"
	statement prefill | sed "s/\\\$1/1000/" >"$dir/prefill.sql"
	sql -f "$dir/prefill.sql"
	sql -c 'vacuum (analyze) job' -c checkpoint
}

# The three statements of a job as pgbench scripts: one of a hot name (weight 9), one of any other.
# A claim that finds nothing leaves the id of before, and its completion then changes no row.
write_scripts()
{
	for kind in hot cold; do
		if [ "$kind" = hot ]; then
			printf '%s\n' '\set i random(0, 9)'
		else
			printf '%s\n' '\set i random(10, 999)'
		fi
		printf '%s\n' '\set seq random(1, 1000000000)'
		statement enqueue | sed "s/\\\$1/'job-' || :i/; s/\\\$2/:seq/; s/\\\$3/:seq/"
		echo ';'
		statement claim | sed 's/:limit/1/'
		printf '%s\n' '\aset'
		statement complete | sed "s/\\\$1/:id/"
		echo ';'
	done | awk -v dir="$dir" '/^.set i/ { f = dir "/job" ++n ".sql" } { print > f }'
}

# replay ARGUMENT...: pgbench with both scripts, prepared.
replay()
{
	(cd "$dir" && "$bin/pgbench" -n -M prepared -D id=0 -f job1.sql@9 -f job2.sql@1 "$@")
}

# CPU time of the server, its living processes and those it has reaped, in ns.
server_cpu()
{
	reaped=$(awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$postmaster/stat")
	for p in "$postmaster" $(pgrep -P "$postmaster"); do
		cat "/proc/$p/schedstat" 2>/dev/null
	done | awk -v reaped="$reaped" -v hz="$(getconf CLK_TCK)" '
		{ ns += $1 }
		END { printf "%.0f\n", ns + reaped * 1e9 / hz }'
}

# json FILE EXPRESSION: d is the snapshot, w its windows.
json()
{
	/usr/bin/python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
w = d["windows"]
def window(variant):
    return [x for x in w if x["variant"] == variant and x["valid"]][-1]
def cpu_ms(variant, role):
    return window(variant)["per_job"][role]["cpu_ns"] / 1e6
print(eval(sys.argv[2]))' "$@"
}

# calc EXPRESSION
calc()
{
	awk "BEGIN { printf \"%.3f\\n\", $1 }"
}

# figure NAME VALUE WANTED CONDITION: the condition is one of awk's, on v.
figure()
{
	if awk -v v="$2" "BEGIN { exit !($4) }"; then
		echo "$1: $2 (wanted $3): met"
	else
		echo "$1: $2 (wanted $3): missed"
		missed=1
	fi
}

# median FILE: of the numbers in it, one a line.
median()
{
	sort -g "$1" | awk '
		{ v[NR] = $1 }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# spread FILE: "LOWEST to HIGHEST of N".
spread()
{
	sort -g "$1" | awk 'NR == 1 { low = $1 } END { print low " to " $1 " of " NR }'
}

# figure_of NAME FILE WANTED CONDITION: the median of the numbers in the file, with their spread.
figure_of()
{
	figure "$1, median ($(spread "$2"))" "$(median "$2")" "$3" "$4"
}

batch()
{
	"$cputop" -b "$@" >"$dir/table" 2>"$dir/progress" || {
		cat "$dir/progress" "$dir/table" >&2
		die "cputop -b $* failed"
	}
}
