#!/bin/sh
# cputop --counters icount on PostgreSQL with its default settings: instructions without a PMU that
# are the same in the next run, and nothing left behind.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
command -v valgrind >/dev/null || tap_skip_all "Valgrind is not installed"
[ -n "$(find "$top_builddir/icount" -name 'icount-*-linux' 2>/dev/null)" ] ||
	tap_skip_all "the icount tool is not built"
s=$tap_dir/s.json

# per_job FILE VARIANT ROLE: instructions of one job.
per_job()
{
	ct_json "$1" "window('$2')['per_job']['$3']['instructions']"
}

# within PERCENT A B
within()
{
	awk -v p="$1" -v a="$2" -v b="$3" 'BEGIN {
		d = a > b ? a - b : b - a
		printf "%.0f and %.0f: %.2f %% apart\n", a, b, 100 * d / b
		exit !(b > 0 && 100 * d <= p * b) }'
}

# steady FILE: skiplocked as often as it takes (6 times) for the rate to be held: on a machine with
# too much else to do jobs come together, one claim then serves several, and they cost less.
steady()
{
	for try in 1 2 3 4 5 6; do
		ct_run -b --counters icount -v skiplocked --warmup 4 --measure 10 --rate 20 --seed 7 \
			--json "$1" || :
		ct_json "$1" '197 <= v["jobs"]["completed"] <= 203 and v["latency_ns"]["p99"] < 300e6' \
			>"$tap_dir/held" 2>&1 && return 0
		echo "# try $try: $(ct_json "$1" \
			'"%d of 200 jobs, p99 %d ms" % (v["jobs"]["completed"], v["latency_ns"]["p99"] / 1e6)')"
	done
	return 1
}

tap_ok "skiplocked at 20 jobs/s" steady "$tap_dir/1.json"
cp "$tap_dir/out" "$tap_dir/table"
tap_ok "instructions of all three roles" ct_json "$tap_dir/1.json" \
	'all(v["processes"][r]["instructions"] > 0 for r in ("worker", "producer", "database"))'
tap_ok "the parts come to the total" ct_json "$tap_dir/1.json" \
	'sum(p["instructions"] for p in v["processes"]["database"]["parts"].values()) == v["processes"]["database"]["instructions"]'
tap_ok "and are known: backends have nearly all" ct_json "$tap_dir/1.json" \
	'v["processes"]["database"]["parts"]["backend"]["instructions"] > 0.9 * v["processes"]["database"]["instructions"]'
tap_ok "auxiliary processes are told apart" ct_json "$tap_dir/1.json" \
	'{"checkpointer", "background writer", "walwriter", "postmaster"} <= set(v["processes"]["database"]["parts"])'
tap_ok "no cycles, and no CPU time under Valgrind" ct_json "$tap_dir/1.json" \
	'all(v["processes"][r][k] is None for r in ("worker", "producer", "database") for k in ("cycles", "cpu_ns"))'
tap_ok "that of the machine and of cputop is there" ct_json "$tap_dir/1.json" \
	'v["processes"]["machine"]["busy_ns"] > 0 and v["processes"]["cputop"]["cpu_ns"] > 0'
tap_ok "the snapshot says what it is" ct_json "$tap_dir/1.json" \
	'd["counters"]["source"] == "icount" and d["counters"]["user_only"] and d["counters"]["icount"]["roles"] == ["worker", "producer", "database"]'
tap_ok "and what it depends on" ct_json "$tap_dir/1.json" \
	'd["counters"]["icount"]["valgrind"][0] in "3456789" and "glibc" in d["counters"]["icount"]["libc"]'
tap_ok "and why CPU time is missing" ct_json "$tap_dir/1.json" \
	'"Valgrind" in d["counters"]["cpu"]["reason"] and not d["counters"]["cpu"]["available"]'
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	tap_ok "it is as the schema says" /usr/bin/python3 -B "$top_srcdir/tests/lib/validate.py" \
		"$top_srcdir/contrib/snapshot.schema.json" "$tap_dir/1.json"
else
	tap_skip "it is as the schema says" "python3-jsonschema is not installed"
fi
tap_like "the table says it, too" "$(cat "$tap_dir/table")" 'instructions by icount, user only'
tap_like "with the reason" "$(cat "$tap_dir/table")" 'no CPU time of worker, producer, database: time under Valgrind'
tap_ok "no settings but the defaults" ct_json "$tap_dir/1.json" \
	'not [k for k in d["databases"][0]["settings"] if k.startswith(("autovacuum", "jit", "fsync", "shared_buffers", "synchronous"))]'

tap_ok "once more" steady "$tap_dir/2.json"
for role in database worker producer; do
	limit=3
	[ $role != database ] || limit=2
	tap_ok "two runs agree within $limit %: $role" within $limit \
		"$(per_job "$tap_dir/1.json" skiplocked $role)" \
		"$(per_job "$tap_dir/2.json" skiplocked $role)"
done

# A sweep over 1000 names has to fit between two jobs: where the machine is too busy for 2 jobs/s,
# with fewer.
for rate in 2 1 0.5; do
	ct_run -b --counters icount -v pername,skiplocked --warmup 4 --measure 24 --rate $rate --json "$s"
	ct_json "$s" 'work("pername", "statements") >= 950' >/dev/null 2>&1 && break
	echo "# at $rate jobs/s: $(ct_json "$s" 'work("pername", "statements")') statements per job"
done
tap_ok "pername: a whole sweep for each job ($rate jobs/s)" ct_json "$s" \
	'work("pername", "statements") >= 950'
tap_ok "it costs at least 40 times skiplocked's instructions" ct_json "$s" \
	'window("pername")["per_job"]["database"]["instructions"] >= 40 * window("skiplocked")["per_job"]["database"]["instructions"]'
echo "# $(ct_json "$s" '"%.0f statements per job, %.0f times" % (work("pername", "statements"), window("pername")["per_job"]["database"]["instructions"] / window("skiplocked")["per_job"]["database"]["instructions"])')"

# Only the database: the others run as ever.
ct_run -b --counters icount:database -v skiplocked --warmup 2 --measure 5 --json "$s"
tap_ok "only the database has instructions" ct_json "$s" \
	'v["processes"]["database"]["instructions"] > 0 and v["processes"]["worker"]["instructions"] is None and v["processes"]["producer"]["instructions"] is None'
tap_ok "worker and producer have CPU time" ct_json "$s" \
	'v["processes"]["worker"]["cpu_ns"] > 0 and v["processes"]["producer"]["cpu_ns"] > 0 and v["processes"]["database"]["cpu_ns"] is None'
tap_ok "the snapshot names the role" ct_json "$s" 'd["counters"]["icount"]["roles"] == ["database"]'
tap_like "the table says why the others have none" "$(cat "$tap_dir/out")" \
	'no instructions of worker, producer: not under icount'

# However cputop ends.
for signal in INT KILL; do
	for phase in "starting the server" ": warm-up" ": window"; do
		ct_batch --counters icount -v skiplocked --warmup 2 --measure 5 --json "$s"
		tap_ok "'$phase' is reached" ct_wait_phase "$phase" 90
		kill -s $signal "$ct_pid"
		tap_ok "$signal while '$phase': nothing is left after 2 s" wait_until 2 ct_none
		ct_wait 2>/dev/null
		[ $signal = KILL ] || tap_ok "no temporary directory is left" ct_clean
		ct_kill_all
	done
done

# What is missing is said, and what to do.
mkdir "$tap_dir/libexec"
ln -s "$(cd "$top_builddir" && pwd)/cputop-keeper" "$(cd "$top_builddir" && pwd)/cputop-load" "$tap_dir/libexec/"
CPUTOP_LIBEXEC=$tap_dir/libexec ct_run -b --counters icount
tap_is "no tool: an error" "$ct_status" 1
tap_like "that says what to do" "$(cat "$tap_dir/err")" \
	'^cputop: --counters icount: the icount tool is not built; .*apt-get install valgrind'
mkdir "$tap_dir/path"
PATH=$tap_dir/path /usr/bin/env "$ct" -b --counters icount --postgres-bin "$ct_pg" 2>"$tap_dir/err"
tap_like "no Valgrind: an error that says it" "$(cat "$tap_dir/err")" \
	'^cputop: --counters icount: Valgrind is not installed; on Debian: apt-get install valgrind'
"$ct" --counters icount:nobody -b 2>"$tap_dir/err"
tap_like "an unknown role" "$(cat "$tap_dir/err")" "unknown role 'nobody'"
ct_run -b --counters auto -v skiplocked --warmup 0.5 --measure 1 --json "$s"
if ct_json "$s" 'd["counters"]["source"] == "none"' >/dev/null 2>&1; then
	tap_like "without counters, one line says that there is icount" "$(cat "$tap_dir/out")" \
		'^-  no instructions.*--counters icount'
else
	tap_skip "without counters, one line says that there is icount" "this machine has counters"
fi
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
