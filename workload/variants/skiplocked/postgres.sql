-- Variant skiplocked. One claim statement for all names, one completion a job.
-- state: 0 waiting, 1 running, 2 completed. seq and due_ns are the producer's: the number of the
-- job, and the instant it was due (CLOCK_MONOTONIC); jobs that only fill the table have neither.

-- :setup
create table job (
	id bigint generated always as identity primary key,
	name text not null,
	state smallint not null default 0,
	run_at timestamptz not null default now(),
	seq bigint,
	due_ns bigint,
	payload text,
	mkey text,
	started_at timestamptz,
	finished_at timestamptz
);
-- Keys that are held, and by which job.
create table mutex (
	mkey text primary key,
	job_id bigint not null,
	until timestamptz not null
);
-- What the application does in the transaction that enqueues a job.
create table app (
	id bigint generated always as identity primary key,
	name text not null,
	seq bigint not null
);

-- :prefill  $1 how many names: one pending job a year ahead for each
insert into job (name, run_at)
select 'job-' || i, now() + interval '1 year' from generate_series(0, $1::int - 1) i;

-- :completed  $1 number of the first, $2 how many, $3 how many names they are spread over
insert into job (name, state, started_at, finished_at)
select 'job-' || i % $3::bigint, 2, now(), now()
from generate_series($1::bigint, $1::bigint + $2::bigint - 1) i;

-- :index  Only waiting jobs are in it, in the order in which they are claimed
create index job_due on job (run_at, id) where state = 0;

-- :enqueue  $1 name, $2 seq, $3 due_ns, $4 payload, $5 key: the job and the wake-up in one statement
with i as (
	insert into job (name, seq, due_ns, payload, mkey) values ($1, $2, $3, $4, $5)
)
select pg_notify('cputop', '');

-- :enqueue_many  $1 jobs as JSON, [[name, seq, due_ns, payload, key], ...]
with i as (
	insert into job (name, seq, due_ns, payload, mkey)
	select j ->> 0, (j ->> 1)::bigint, (j ->> 2)::bigint, j ->> 3, j ->> 4
	from json_array_elements($1::json) j
)
select pg_notify('cputop', '');

-- :other  $1 name, $2 seq: in the transaction before the job
insert into app (name, seq) values ($1, $2);

-- :claim  :limit is a literal: as a parameter it would make each claim be planned anew
with c as (
	select id from job where state = 0 and run_at <= now()
	order by run_at, id limit :limit for update skip locked
)
update job set state = 1, started_at = now() from c where job.id = c.id
returning job.id, job.name, job.seq, job.due_ns, job.payload;

-- :claim_keys  Jobs whose key is held are passed by; of those that are left, one for each key wins
with c as (
	select id, mkey from job where state = 0 and run_at <= now()
	and (mkey is null or not exists (
		select from mutex m where m.mkey = job.mkey and m.until > now()))
	order by run_at, id limit :limit for update skip locked
), k as (
	insert into mutex (mkey, job_id, until)
	select distinct on (mkey) mkey, id, now() + interval '1 hour'
	from c where mkey is not null order by mkey, id
	on conflict (mkey) do update set job_id = excluded.job_id, until = excluded.until
	where mutex.until <= now()
	returning job_id
)
update job set state = 1, started_at = now() from c
where job.id = c.id and (c.mkey is null or c.id in (select job_id from k))
returning job.id, job.name, job.seq, job.due_ns, job.payload, job.mkey;

-- :complete_keys  $1 id
with d as (
	update job set state = 2, finished_at = now() where id = $1 and state = 1
	returning id, mkey
), k as (
	delete from mutex using d where mutex.mkey = d.mkey and mutex.job_id = d.id
)
select id from d;

-- :hold  $1 key: nobody gets it for a day
insert into mutex (mkey, job_id, until) values ($1, 0, now() + interval '1 day');

-- :keyed  $1 how many, $2 how many names, $3 key: due jobs that all have this key
insert into job (name, run_at, payload, mkey)
select 'job-' || i % $2::bigint, now() - interval '1 hour', $3::text, $3::text
from generate_series(0, $1::bigint - 1) i;

-- :complete  $1 id
update job set state = 2, finished_at = now() where id = $1 and state = 1;

-- :prune  $1 seconds: completed jobs that are older. It reads the whole table: an index for it would
-- cost each job more
delete from job where state = 2 and finished_at < now() - $1::float8 * interval '1 second';

-- :rescue  Jobs whose worker has gone, after an hour. It reads the whole table, too
update job set state = 0, started_at = null
where state = 1 and started_at < now() - interval '1 hour';

-- :settle
vacuum (analyze) job;
checkpoint;

-- :check
select
	count(*) filter (where state = 0),
	count(*) filter (where state = 1),
	count(*) filter (where state = 2)
from job where seq is not null;

-- :listen
listen cputop;
