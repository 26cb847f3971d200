#!/bin/sh
# Mutex keys: what waits for one, and variants that are wrong about them, which must be seen.
set -u
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/lib/tap.sh"
. "$top_srcdir/tests/integration/cputop.sh"
s=$tap_dir/s.json
short="--warmup 1 --measure 4 --poll-interval 1"

# wrong NAME: a variant that is like skiplocked but for the claim on standard input.
wrong()
{
	mkdir "$tap_dir/$1"
	printf '[variant]\ntitle = Wrong\nclaim = shared\nlike = skiplocked\nkeys = yes\n' \
		>"$tap_dir/$1/variant.ini"
	{
		echo "-- :claim_keys"
		cat
	} >"$tap_dir/$1/postgres.sql"
}
wrong ignores <<'END'
with c as (
	select id from job where state = 0 and run_at <= now()
	order by run_at, id limit :limit for update skip locked
)
update job set state = 1, started_at = now() from c where job.id = c.id
returning job.id, job.name, job.seq, job.due_ns, job.payload, job.mkey;
END
wrong swaps <<'END'
with c as (
	select id from job where state = 0 and run_at <= now()
	order by run_at, id limit :limit for update skip locked
)
update job set state = 1, started_at = now() from c where job.id = c.id
returning job.id, job.name, job.seq, job.due_ns, job.payload,
	case job.mkey when 'key-1' then 'key-0' else 'key-1' end;
END
wrong unlocked <<'END'
select id, name, seq, due_ns, payload, mkey from job where state = 0 and run_at <= now()
order by run_at, id limit :limit;
END

# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked,park,"$tap_dir/ignores","$tap_dir/swaps" --mutex-keys 2 --hold 0.01 \
	--rate 100 --workers 2 --json "$s"
cp "$tap_dir/out" "$tap_dir/table"
tap_is "wrong variants: status" "$ct_status" 1
tap_ok "the snapshot says which keys there were" ct_json "$s" \
	'(d["workload"]["mutex_keys"], d["workload"]["hold_s"]) == (2, 0.01)'
tap_ok "good ones have no overlap and no wrong key" ct_json "$s" \
	'all(x["checks"]["mutex_overlaps"] == 0 and x["checks"]["mutex_wrong_keys"] == 0 for x in w[:2])'
tap_ok "a claim that ignores keys overlaps" ct_json "$s" \
	'w[2]["checks"]["mutex_overlaps"] > 0 and w[2]["checks"]["mutex_wrong_keys"] == 0'
tap_ok "a job under another key is seen" ct_json "$s" 'w[3]["checks"]["mutex_wrong_keys"] > 100'
tap_like "the table says it of the first" "$(cat "$tap_dir/table")" \
	'^postgres ignores: [0-9]+ jobs? began while another one of the same key ran'
tap_like "and of the second" "$(cat "$tap_dir/table")" \
	'^postgres swaps: [0-9]+ jobs ran under another key'
tap_ok "and nothing of the good ones" sh -c "! grep -E '(skiplocked|park): .*(key|twice|lost)' '$tap_dir/table'"
# shellcheck disable=SC2086 # options
ct_run -b $short -v "$tap_dir/unlocked" --mutex-keys 2 --hold 0.01 --rate 50 --workers 2 --json "$s"
tap_ok "a claim that locks nothing: twice, or two at a time" ct_json "$s" \
	'v["checks"]["duplicates"] + v["checks"]["mutex_overlaps"] > 0'
tap_is "unlocked: status" "$ct_status" 1

# Jobs that wait for a key.
ct_run -b --warmup 1 --measure 8 --poll-interval 1 -v park --mutex-keys 10 --blocked 2000 --queued 100 \
	--hold 0.03 --json "$s"
tap_is "--blocked and --queued" "$ct_status" 0
tap_ok "the snapshot says so" ct_json "$s" '(d["workload"]["blocked"], d["workload"]["queued"]) == (2000, 100)'
tap_ok "a queue that runs out marks the window" ct_json "$s" 'v["events"].count("queue empty") == 1'
tap_like "the table says at which second" "$(cat "$tap_dir/out")" \
	'^postgres park: the jobs of --queued ran out at second [0-9]\.[0-9] of a window'
tap_ok "its jobs are completed ones, and no backlog" ct_json "$s" \
	'v["jobs"]["completed"] > v["jobs"]["enqueued"] and v["jobs"]["backlog_before"] < 50 and v["checks"]["lost"] == 0'
# shellcheck disable=SC2086 # options
ct_run -b $short -v skiplocked --mutex-keys 10 --queued 5000 --hold 0.03 --json "$s"
tap_ok "one that does not run out does not" ct_json "$s" 'not v["events"] and v["valid"]'
# Variants that nobody named and that know no keys are left out; one that was named is an error.
# shellcheck disable=SC2086 # options
ct_run -b $short --mutex-keys 10 --json "$s"
tap_is "--mutex-keys with the default variants" "$ct_status" 0
tap_ok "runs those that know keys" ct_json "$s" '[x["variant"] for x in w] == ["skiplocked"]'
tap_like "and names the others" "$(cat "$tap_dir/err")" \
	'variant pername is left out with --mutex-keys: it knows no mutex keys'
tap_ok "nothing is left running" wait_until 2 ct_none
tap_ok "no temporary directory is left" ct_clean
tap_done
