#!/bin/sh
# cputop -b on every database that is there: six rows from one command, each job once, the old way
# much dearer than the good one on each, what is missing named once.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
unset CPUTOP_DIALECTS
s=$tap_dir/s.json

# MariaDB is a package of Debian; MySQL is not.
mysql=yes
"$ct" check --need mysql >/dev/null 2>&1 || mysql=
names="postgres mariadb${mysql:+ mysql}"
rows=$(($(echo "$names" | wc -w) * 2))

ct_batch --warmup 2 --measure 6 --poll-interval 2 --json "$s"
ct_wait
tap_is "cputop -b succeeds" "$ct_status" 0
tap_diag <"$tap_dir/err"
tap_diag <"$tap_dir/out"
for d in $names; do
	for v in pername skiplocked; do
		tap_like "a row for $d $v" "$(cat "$tap_dir/out")" "^$d +$v +[0-9]+ "
	done
	tap_ok "$d: pername costs the database at least 6 times skiplocked" ct_json "$s" \
		"(lambda c: c['pername'] >= 6 * c['skiplocked'])({x['variant']: x['per_job']['database']['cpu_ns'] for x in w if x['dialect'] == '$d'})"
	tap_ok "$d: its server is in the snapshot" ct_json "$s" \
		"any(x['dialect'] == '$d' and x['version'] for x in d['databases'])"
done
tap_ok "$rows valid windows" ct_json "$s" "len([x for x in w if x['valid']]) == $rows"
tap_ok "none lost, none twice" ct_json "$s" \
	'all(x["checks"]["lost"] == 0 and x["checks"]["duplicates"] == 0 for x in w)'
tap_ok "about 20 jobs a second each" ct_json "$s" \
	'all(100 <= x["jobs"]["completed"] <= 140 for x in w)'
tap_ok "a claim for each name on each wake-up of pername" ct_json "$s" \
	'all(100 <= x["work"]["statements"] / x["jobs"]["completed"] <= 1100 for x in w if x["variant"] == "pername")'
tap_ok "skiplocked: 3 statements a job, 4 where a claim is two" ct_json "$s" \
	'all(abs(x["work"]["statements"] / x["jobs"]["completed"] - (3 if x["dialect"] == "postgres" else 4)) <= 0.3 for x in w if x["variant"] == "skiplocked")'
tap_ok "log bytes are counted on each" ct_json "$s" \
	'all(100 < x["work"]["wal_bytes"] / x["jobs"]["completed"] < 20000 for x in w)'
tap_ok "parts sum to the total" ct_json "$s" \
	'all(sum(p["cpu_ns"] for p in x["processes"]["database"]["parts"].values()) == x["processes"]["database"]["cpu_ns"] for x in w)'
tap_ok "most of it is in connections" ct_json "$s" \
	'all(sum(x["processes"]["database"]["parts"].get(n, {"cpu_ns": 0})["cpu_ns"] for n in ("backend", "connection")) >= 0.6 * x["processes"]["database"]["cpu_ns"] for x in w)'
tap_ok "8 connections" ct_json "$s" \
	'all(sum(x["processes"]["database"]["parts"].get(n, {"processes": 0})["processes"] for n in ("backend", "connection")) == 8 for x in w)'
tap_ok "the monitor costs nothing inside a window" ct_json "$s" \
	'all(x["processes"]["monitor"]["cpu_ns"] <= 0.01 * x["processes"]["database"]["cpu_ns"] for x in w)'
tap_ok "the snapshot is valid" /usr/bin/python3 "$top_srcdir/tests/lib/validate.py" \
	"$top_srcdir/contrib/snapshot.schema.json" "$s"
tap_ok "nothing is left running" wait_until 3 ct_none
tap_ok "no temporary directory is left" ct_clean
if [ -n "$mysql" ]; then
	tap_is "nothing is said to be missing" "$(grep -c 'left out' "$tap_dir/err")" 0
else
	tap_is "MySQL is named once" "$(grep -c 'mysql is left out' "$tap_dir/err")" 1
fi

# Asked for and not there: an error before anything starts.
ct_run -b -D mysql --mysql-bin "$tap_dir" -v skiplocked --warmup 0 --measure 1
tap_is "MySQL asked for in a place that has none: status" "$ct_status" 2
tap_like "it is said in one line" "$(cat "$tap_dir/err")" "^cputop: there is no program mysqld in $tap_dir; --mysql-bin"
tap_is "and nothing else" "$(wc -l <"$tap_dir/err" | tr -d ' ')" 1
variant=$tap_dir/onlypg
mkdir "$variant"
cp "$top_srcdir/workload/variants/skiplocked/variant.ini" \
	"$top_srcdir/workload/variants/skiplocked/postgres.sql" "$variant"
ct_run -b -v "$variant" --warmup 0.5 --measure 2 --poll-interval 1 --json "$s"
tap_is "a variant with SQL for PostgreSQL only: status" "$ct_status" 0
tap_is "a database that it has no SQL for is named once" \
	"$(grep -c 'mariadb is left out: variant onlypg has no SQL for mariadb' "$tap_dir/err")" 1
tap_ok "and has no window" ct_json "$s" 'all(x["dialect"] == "postgres" for x in w)'
ct_run -b -D mariadb -v "$variant" --warmup 0.5 --measure 2
tap_is "asked for, it is a usage error" "$ct_status" 2
tap_like "that names the file" "$(cat "$tap_dir/err")" 'write .*mariadb.sql'

# One that cannot start does not keep the others from being measured.
/usr/bin/python3 - >"$tap_dir/port" <<'END' &
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
time.sleep(600)
END
holder=$!
wait_until 10 test -s "$tap_dir/port"
ct_run -b -D mariadb,postgres --mariadb-port "$(cat "$tap_dir/port")" -v skiplocked --warmup 0.5 \
	--measure 2 --poll-interval 1 --json "$s"
kill "$holder"
wait "$holder" 2>/dev/null
tap_is "a server whose port is taken: status" "$ct_status" 1
tap_like "it is said" "$(cat "$tap_dir/err")" 'error: port .* cannot be used'
tap_ok "the other one is measured" ct_json "$s" \
	'[x["dialect"] for x in w if x["valid"]] == ["postgres"]'

# A view has no size.
variant=$tap_dir/view
cp -r "$top_srcdir/workload/variants/skiplocked" "$variant"
chmod -R u+w "$variant"
sed -i '0,/^) engine=InnoDB;/s//&\ncreate view waiting as select id from job where state = 0;/' \
	"$variant/mariadb.sql"
ct_run -b -D mariadb -v "$variant" --warmup 0.5 --measure 2 --poll-interval 1 --json "$s"
tap_is "a variant with a view: status" "$ct_status" 0
tap_diag <"$tap_dir/err"

mkdir -m 711 "$ct_tmp/with blank"
TMPDIR="$ct_tmp/with blank"
ct_run -b -D mariadb -v skiplocked --warmup 0 --measure 2
TMPDIR=$ct_tmp
tap_is "MariaDB below a TMPDIR with a blank: status" "$ct_status" 0
tap_diag <"$tap_dir/err"

# What gave a folder without a server is named.
(
	MYSQL_BIN=$tap_dir
	export MYSQL_BIN
	ct_run -b -D mysql -v skiplocked
	echo "$ct_status" >"$tap_dir/status"
)
tap_is "a wrong folder in a variable: status" "$(cat "$tap_dir/status")" 2
tap_like "the variable is named" "$(tail -n 1 "$tap_dir/err")" \
	"^cputop: there is no program mysqld in $tap_dir; MYSQL_BIN takes"
tap_done
